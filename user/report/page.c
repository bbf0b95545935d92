// SPDX-License-Identifier: BSD-2-Clause
#include "user/report/page.h"
#include "user/report/facts.h"
#include "user/report/page_data.h"
#include "user/report/page_image.h"
#include "user/text/html.h"
#include "user/text/java_number.h"
#include "user/text/java_time.h"
#include "user/text/log.h"
#include "user/view/views.h"

#include <errno.h>
#include <stdlib.h>

#define ROWS_MOST    500 /* of a table */
#define STORIES_MOST 250
#define REQUESTS     60 /* of the stories: the longest calls that lie in no other one */
#define LOST_CALL    32 /* bytes in jdk.DataLoss that stand for a call */
#define OPEN_NOTES   3	/* messages that are shown at once */

struct page {
	struct jfr_file *file;
	const char *name;
	struct facts facts;
	struct digest *digest;
	struct stories stories;
	struct verdict verdict[VERDICTS];
	size_t verdicts;
	struct bytes *out;
	int err;
};

static void page_put_element(struct bytes *out, const char *begin, const char *text, const char *end)
{
	put_text(out, begin);
	html_put(out, text);
	put_text(out, end);
}

/* Append what a function of verdict.h writes, as a paragraph; nothing if it writes nothing. */
static void page_put_sentence(struct page *p, const struct bytes *text, const char *begin)
{
	struct bytes sentence;

	bytes_init(&sentence);
	bytes_put(&sentence, text->data, text->size);
	bytes_put_u8(&sentence, 0);
	if (text->size && !sentence.failed)
		page_put_element(p->out, begin, (char *)sentence.data, "</p>");
	p->out->failed |= sentence.failed | text->failed;
	bytes_release(&sentence);
}

static void page_title(struct page *p)
{
	html_put(p->out, p->facts.program && p->facts.program[0] ? p->facts.program : p->name);
}

static void page_style_of(struct page *p)
{
	bytes_put(p->out, page_style, page_style_end - page_style);
}

static void page_script_of(struct page *p)
{
	bytes_put(p->out, page_script, page_script_end - page_script);
}

static void page_hash_of_style(struct page *p)
{
	put_text(p->out, page_style_hash);
}

static void page_hash_of_script(struct page *p)
{
	put_text(p->out, page_script_hash);
}

static void page_put_moment(struct page *p, int64_t ns)
{
	struct java_time t = {.seconds = ns / 1000000000, .nanos = ns % 1000000000};
	struct bytes text;

	bytes_init(&text);
	put_date_time(&text, t.seconds + p->digest->utc_offset);
	bytes_put_u8(&text, 0);
	html_put(p->out, text.failed ? "" : (char *)text.data);
	bytes_release(&text);
}

static void page_heading(struct page *p)
{
	const struct digest *d = p->digest;

	put_text(p->out, "<p class=\"sub\">");
	if (d->all.calls) {
		page_put_moment(p, d->first);
		put_text(p->out, " <span class=\"dot\">·</span> ");
		put_text(p->out, log_time(d->last - d->first));
		put_text(p->out, " <span class=\"dot\">·</span> ");
	}
	put_text(p->out, log_count(d->all.calls));
	put_text(p->out, d->all.calls == 1 ? " call" : " calls");
	put_text(p->out, " <span class=\"dot\">·</span> ");
	put_text(p->out, log_count(d->all.thrown));
	put_text(p->out, " thrown <span class=\"dot\">·</span> ");
	html_put(p->out, p->name);
	put_text(p->out, "</p>\n");
}

static void page_put_note(struct page *p, const struct facts_row *note)
{
	page_put_element(p->out, "<li><b>", note->label, "</b> ");
	page_put_element(p->out, "", note->text, "</li>\n");
}

static void page_put_notes(struct page *p)
{
	size_t n = p->facts.messages;

	for (size_t i = 0; i < n; i++) {
		if (i == OPEN_NOTES && n > OPEN_NOTES + 1) {
			put_text(p->out, "</ul><details><summary>and ");
			put_text(p->out, log_count(n - i));
			put_text(p->out, " more</summary><ul>\n");
		}
		page_put_note(p, &p->facts.message[i]);
	}
	put_text(p->out, n > OPEN_NOTES + 1 ? "</ul></details>" : "</ul>");
}

/* What limits the numbers: losses, unfinished files, what the recording says itself. */
static void page_banner(struct page *p)
{
	if (!p->facts.lost && !p->facts.messages && !p->file->unfinished)
		return;
	put_text(p->out, "<section class=\"banner\" aria-label=\"Limits of this recording\"><ul>\n");
	if (p->facts.lost) {
		put_text(p->out, "<li class=\"bad\"><b>lost</b> ");
		put_text(p->out, log_count(p->facts.of_frtrace ? p->facts.lost / LOST_CALL : p->facts.lost));
		put_text(p->out, p->facts.of_frtrace
					 ? " calls could not be recorded: all numbers are lower bounds</li>\n"
					 : " bytes of events were lost: all numbers are lower bounds</li>\n");
	}
	if (p->file->unfinished)
		put_text(p->out, "<li class=\"bad\"><b>unfinished</b> the recording was not finished; this is what was "
				 "written</li>\n");
	page_put_notes(p);
	put_text(p->out, "</section>\n");
}

static void page_put_verdict(struct page *p, size_t i)
{
	const struct verdict *v = &p->verdict[i];
	struct bytes text;

	bytes_init(&text);
	page_put_element(p->out, "<article><h3>", method_names_text(&p->digest->names, v->method->name), "</h3>");
	verdict_put_what(&text, v);
	page_put_sentence(p, &text, "<p class=\"what\">");
	bytes_clear(&text);
	verdict_put_why(&text, v, p->digest);
	page_put_sentence(p, &text, "<p>");
	bytes_clear(&text);
	verdict_put_who(&text, v, p->digest);
	page_put_sentence(p, &text, "<p>");
	bytes_clear(&text);
	verdict_put_same(&text, v, p->digest);
	page_put_sentence(p, &text, "<p class=\"same\">");
	bytes_release(&text);
	put_text(p->out, "</article>\n");
}

static void page_verdict(struct page *p)
{
	for (size_t i = 0; i < p->verdicts; i++)
		page_put_verdict(p, i);
	if (!p->digest->all.calls)
		put_text(p->out, "<p>No call was recorded.</p>");
	else if (!p->verdicts)
		put_text(p->out, "<p>No method stands out.</p>");
}

static void page_put_band(struct bytes *out, const char *name, const struct digest_split *s, bool faults)
{
	const int64_t parts[] = {s->cpu, s->run_queue, digest_blocked(s), s->pause};

	page_put_element(out, "<tr><td>", name, "</td><td class=\"n\">");
	put_text(out, log_count(s->calls));
	for (size_t i = 0; i < 2; i++) {
		put_text(out, "</td><td class=\"n\">");
		put_text(out, s->calls ? log_time(i ? s->most : s->least) : "-");
	}
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		put_text(out, "</td><td class=\"n\">");
		put_text(out, s->known > 0 ? log_count(100.0 * (parts[i] > 0 ? parts[i] : 0) / s->known + 0.5) : "-");
		put_text(out, s->known > 0 ? " %" : "");
	}
	put_text(out, "</td>");
	if (faults)
		page_put_element(out, "<td class=\"n\">", log_count(s->faults), "</td>");
	put_text(out, "</tr>\n");
}

/* For a browser without scripts, and for paper. */
static void page_bands(struct page *p)
{
	static const char *const names[DIGEST_BANDS] = {"fastest 50 %", "50-90 %", "90-99 %", "99-99.9 %", "slowest"};

	for (uint32_t rank = 0; rank < p->digest->charted && rank < 10; rank++) {
		const struct digest_method *m = digest_ranked(p->digest, rank);

		page_put_element(p->out, "<div class=\"wide\"><table class=\"bands\"><caption>",
				 method_names_text(&p->digest->names, m->name), "</caption>");
		put_text(p->out,
			 "<thead><tr><th>Calls by duration</th><th class=\"n\">Calls</th><th class=\"n\">From</th>"
			 "<th class=\"n\">To</th><th class=\"n\">CPU</th><th class=\"n\">Run Queue</th>"
			 "<th class=\"n\">Blocked</th><th class=\"n\">JVM Paused</th>");
		put_text(p->out, p->digest->has_faults ? "<th class=\"n\">Page Faults</th>" : "");
		put_text(p->out, "</tr></thead><tbody>\n");
		for (int band = 0; band < DIGEST_BANDS; band++)
			page_put_band(p->out, names[band], &m->band[band], p->digest->has_faults);
		put_text(p->out, "</tbody></table></div>\n");
	}
}

static void page_put_view(struct page *p, const char *name, uint64_t top)
{
	struct call_filter all = {0};
	struct view_request request = {.layout = {.html = true}, .filter = &all, .top = top};
	struct jfr_file again;
	int err;

	jfr_file_again(&again, p->file);
	err = view_show(view_find(name), &again, &request, p->out);
	if (!p->file->fault.what)
		p->file->fault = again.fault;
	jfr_file_release(&again);
	call_filter_release(&all);
	p->err = p->err ?: err;
}

static void page_methods(struct page *p)
{
	page_put_view(p, "method-trace", ROWS_MOST);
}

static void page_callers(struct page *p)
{
	page_put_view(p, "method-calls", ROWS_MOST);
}

static void page_slowest(struct page *p)
{
	page_put_view(p, "slowest", 0);
}

static void page_waits(struct page *p)
{
	page_put_view(p, "waits", 0);
}

static void page_open(struct page *p)
{
	page_put_view(p, "open", 0);
}

static void page_timing(struct page *p)
{
	page_put_view(p, "method-timing", ROWS_MOST);
}

static void page_facts(struct page *p)
{
	for (size_t i = 0; i < p->facts.rows; i++) {
		page_put_element(p->out, "<dt>", p->facts.row[i].label, "</dt>");
		page_put_element(p->out, "<dd>", p->facts.row[i].text, "</dd>\n");
	}
}

static void page_data(struct page *p)
{
	if (!page_data_put(p->out, p->digest, &p->stories, p->verdict, p->verdicts))
		p->err = p->err ?: -ENOMEM;
}

static void page_cells(struct page *p)
{
	if (!page_cells_put(p->out, p->digest))
		p->err = p->err ?: -ENOMEM;
}

static void page_version(struct page *p)
{
	put_text(p->out, FRTRACE_VERSION);
}

static const struct page_part {
	const char *name; /* {{name}} in page.html */
	void (*put)(struct page *p);
} page_parts[] = {
	{"title", page_title},
	{"style", page_style_of},
	{"script", page_script_of},
	{"style-hash", page_hash_of_style},
	{"script-hash", page_hash_of_script},
	{"heading", page_heading},
	{"banner", page_banner},
	{"verdict", page_verdict},
	{"bands", page_bands},
	{"methods", page_methods},
	{"callers", page_callers},
	{"slowest", page_slowest},
	{"waits", page_waits},
	{"open", page_open},
	{"timing", page_timing},
	{"facts", page_facts},
	{"data", page_data},
	{"cells", page_cells},
	{"version", page_version},
};

static void page_put_part(struct page *p, const char *name, size_t length)
{
	for (size_t i = 0; i < sizeof(page_parts) / sizeof(page_parts[0]); i++)
		if (strlen(page_parts[i].name) == length && memcmp(page_parts[i].name, name, length) == 0)
			page_parts[i].put(p);
}

static void page_put_all(struct page *p)
{
	const char *at = page_html, *begin, *end;

	while ((begin = memmem(at, page_html_end - at, "{{", 2)) &&
	       (end = memmem(begin, page_html_end - begin, "}}", 2))) {
		bytes_put(p->out, at, begin - at);
		page_put_part(p, begin + 2, end - begin - 2);
		at = end + 2;
	}
	bytes_put(p->out, at, page_html_end - at);
}

/* Choose the calls that are shown one by one, and read them. */
static int page_read_stories(struct page *p)
{
	struct outermost_call *wanted = calloc(STORIES_MOST + REQUESTS, sizeof(*wanted));
	struct call_filter all = {0};
	struct outermost longest = {.count = 0};
	struct jfr_file again;
	size_t count;
	int err;

	if (!wanted)
		return -ENOMEM;
	jfr_file_again(&again, p->file);
	err = outermost_find(&longest, &again, &all, REQUESTS);
	jfr_file_release(&again);
	for (count = 0; count < longest.count; count++) {
		wanted[count] = longest.call[count];
		wanted[count].thread = threads_of_id(&p->digest->threads, longest.call[count].thread);
	}
	count += candidates_take(&p->digest->candidates, wanted + count, STORIES_MOST);
	err = err ?: stories_init(&p->stories, wanted, count);
	p->stories.threads = &p->digest->threads;
	p->stories.names = &p->digest->names;
	p->stories.holders = &p->digest->holders;
	jfr_file_again(&again, p->file);
	err = err ?: stories_read(&p->stories, &again);
	jfr_file_release(&again);
	outermost_release(&longest);
	call_filter_release(&all);
	free(wanted);
	return err;
}

static int page_read(struct page *p)
{
	struct jfr_file again;
	int err = digest_survey(p->digest, p->file);

	jfr_file_again(&again, p->file);
	err = err ?: facts_read(&p->facts, &again);
	jfr_file_release(&again);
	jfr_file_again(&again, p->file);
	err = err ?: digest_read(p->digest, &again);
	jfr_file_release(&again);
	err = err ?: page_read_stories(p);
	if (!err)
		method_names_settle(&p->digest->names);
	if (!err)
		p->verdicts = verdict_find(p->digest, p->verdict);
	return err;
}

int page_write(struct jfr_file *file, const char *name, struct bytes *out)
{
	struct page p = {.file = file, .name = name, .out = out, .digest = calloc(1, sizeof(*p.digest))};

	if (!p.digest)
		return -ENOMEM;
	p.err = page_read(&p);
	if (!p.err)
		page_put_all(&p);
	stories_release(&p.stories);
	digest_release(p.digest);
	free(p.digest);
	facts_release(&p.facts);
	return p.err ?: out->failed ? -ENOMEM : 0;
}
