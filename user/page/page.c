// SPDX-License-Identifier: BSD-2-Clause
#include "user/page/page.h"
#include "user/page/facts.h"
#include "user/page/page_data.h"
#include "user/page/page_image.h"
#include "user/text/html.h"
#include "user/text/java_number.h"
#include "user/text/java_time.h"
#include "user/text/log.h"
#include "user/trace/user_values.h"
#include "user/view/views.h"

#include <stdlib.h>

#define ROWS_MOST    500 /* of a table */
#define KNOWN_MOST   100 /* of one by URL or statement */
#define STORIES_MOST 250
#define REQUESTS     60 /* of the stories: the longest calls that lie in no other one */
#define LOST_CALL    32 /* bytes in jdk.DataLoss that stand for a call */
#define OPEN_NOTES   3	/* messages that are shown at once */

enum page_pass { PASS_SURVEY, PASS_FILL, PASS_STORIES, PASS_OPEN };

/* The tables of the page, and the pass over the recording in which they are read, or begin to be. */
static const struct page_table {
	const char *part;
	const struct view_pass *view;
	enum page_pass pass;
	uint64_t top;
} page_tables[] = {
	{"methods", &view_methods, PASS_SURVEY, ROWS_MOST},
	{"callers", &view_calls, PASS_SURVEY, ROWS_MOST},
	{"waits", &view_waits, PASS_SURVEY, 0},
	{"timing", &view_timing, PASS_SURVEY, ROWS_MOST},
	{"slowest", &view_slowest_rows, PASS_STORIES, 0}, /* needs to know which they are */
	{"open", &view_open, PASS_OPEN, 0},		  /* reads other events as calls */
};

#define TABLES	     (sizeof(page_tables) / sizeof(page_tables[0]))
#define READERS_MOST (TABLES + 3)

struct page {
	struct jfr_file *file;
	const char *name;
	struct facts facts;
	struct digest *digest;
	struct outermost requests;
	struct task_runs runs;
	struct stories stories;
	struct verdict verdict[VERDICTS];
	size_t verdicts;
	struct bytes table[TABLES];
	void *table_state[TABLES]; /* of those that are being read */
	struct bytes *out;
};

static void page_put_element(struct bytes *out, const char *begin, const char *text, const char *end)
{
	put_text(out, begin);
	html_put(out, text);
	put_text(out, end);
}

static void page_title(struct page *p)
{
	html_put(p->out, p->facts.program && p->facts.program[0] ? p->facts.program : p->name);
}

static void page_heading(struct page *p)
{
	static const char *const dot = " <span class=\"dot\">·</span> ";
	const struct digest *d = p->digest;

	put_text(p->out, "<p class=\"sub\">");
	if (d->all.calls) {
		put_date_time(p->out, d->first / 1000000000 + d->utc_offset);
		bytes_printf(p->out, "%s%s%s", dot, log_time(d->last - d->first), dot);
	}
	bytes_printf(p->out, "%s %s%s%s thrown%s", log_count(d->all.calls), d->all.calls == 1 ? "call" : "calls", dot,
		     log_count(d->all.thrown), dot);
	page_put_element(p->out, "", p->name, "</p>\n");
}

static void page_put_notes(struct page *p)
{
	size_t n = p->facts.messages.count;

	for (size_t i = 0; i < n; i++) {
		const struct facts_row *note = &p->facts.messages.row[i];

		if (i == OPEN_NOTES && n > OPEN_NOTES + 1)
			bytes_printf(p->out, "</ul><details><summary>and %s more</summary><ul>\n", log_count(n - i));
		page_put_element(p->out, "<li><b>", note->label, "</b> ");
		page_put_element(p->out, "", note->text, "</li>\n");
	}
	put_text(p->out, n > OPEN_NOTES + 1 ? "</ul></details>" : "</ul>");
}

/* What limits the numbers: losses, unfinished files, what the recording says itself. */
static void page_banner(struct page *p)
{
	const struct facts *f = &p->facts;

	if (!f->lost && !f->messages.count && !p->file->unfinished)
		return;
	put_text(p->out, "<section class=\"banner\" aria-label=\"Limits of this recording\"><ul>\n");
	if (f->lost)
		bytes_printf(p->out, "<li class=\"bad\"><b>lost</b> %s %s: all numbers are lower bounds</li>\n",
			     log_count(f->of_frtrace ? f->lost / LOST_CALL : f->lost),
			     f->of_frtrace ? "calls could not be recorded" : "bytes of events were lost");
	if (p->file->unfinished)
		put_text(p->out, "<li class=\"bad\"><b>unfinished</b> the recording was not finished; this is what was "
				 "written</li>\n");
	page_put_notes(p);
	put_text(p->out, "</section>\n");
}

static void page_put_verdict(struct page *p, const struct verdict *v)
{
	static const struct {
		const char *begin;
		void (*put)(struct bytes *out, const struct verdict *v, const struct digest *d);
	} sentences[] = {{"<p class=\"what\">", verdict_put_what},
			 {"<p>", verdict_put_why},
			 {"<p>", verdict_put_who},
			 {"<p>", verdict_put_chain},
			 {"<p class=\"same\">", verdict_put_same}};
	struct bytes text;

	bytes_init(&text);
	page_put_element(p->out, "<article><h3>", method_names_text(&p->digest->names, v->method->name), "</h3>");
	for (size_t i = 0; i < sizeof(sentences) / sizeof(sentences[0]); i++) {
		bytes_clear(&text);
		sentences[i].put(&text, v, p->digest);
		if (text.size)
			page_put_element(p->out, sentences[i].begin, memory_text(&text), "</p>");
	}
	bytes_release(&text);
	put_text(p->out, "</article>\n");
}

static void page_verdict(struct page *p)
{
	for (size_t i = 0; i < p->verdicts; i++)
		page_put_verdict(p, &p->verdict[i]);
	if (!p->digest->all.calls)
		put_text(p->out, "<p>No call was recorded.</p>");
	else if (!p->verdicts)
		put_text(p->out, "<p>No method stands out.</p>");
}

#define CELL "<td class=\"n\">%s</td>"

static void page_put_band(struct bytes *out, const char *name, const struct digest_split *s, bool faults)
{
	const int64_t parts[] = {s->cpu, s->run_queue, digest_blocked(s), s->pause};

	bytes_printf(out, "<tr><td>%s</td>" CELL CELL CELL, name, log_count(s->calls),
		     s->calls ? log_time(s->least) : "-", s->calls ? log_time(s->most) : "-");
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		bytes_printf(out, "<td class=\"n\">%s%s</td>",
			     s->known > 0 ? log_count(100.0 * (parts[i] > 0 ? parts[i] : 0) / s->known + 0.5) : "-",
			     s->known > 0 ? " %" : "");
	if (faults)
		bytes_printf(out, CELL, log_count(s->faults));
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

static void page_facts(struct page *p)
{
	for (size_t i = 0; i < p->facts.about.count; i++) {
		page_put_element(p->out, "<dt>", p->facts.about.row[i].label, "</dt>");
		page_put_element(p->out, "<dd>", p->facts.about.row[i].text, "</dd>\n");
	}
}

static void page_data(struct page *p)
{
	page_data_put(p->out, p->digest, &p->stories, p->verdict, p->verdicts);
}

static void page_cells(struct page *p)
{
	page_cells_put(p->out, p->digest);
}

/* The events of presets by what they are about. A recording has them or not, so each is read in a pass of its own. */
static void page_known(struct page *p)
{
	struct bytes tables;

	bytes_init(&tables);
	for (const struct user_values_group *known = user_values_groups; known->event; known++) {
		struct call_filter all = {0};
		struct diag absent;
		struct view_request request = {.layout = {.html = true},
					       .filter = &all,
					       .top = KNOWN_MOST,
					       .event = known->event,
					       .by = known->by,
					       .diag = &absent};
		struct jfr_file again;

		jfr_file_again(&again, p->file);
		view_show(view_find("events"), &again, &request, &tables);
		jfr_file_release(&again);
	}
	if (tables.size) {
		put_text(p->out, "<section id=\"known\">\n<h2>Requests and statements</h2>\n");
		put_text(p->out, memory_text(&tables));
		put_text(p->out, "</section>\n");
	}
	bytes_release(&tables);
}

/* {{name}} in page.html; tables have names, too */
static const struct page_part {
	const char *name;
	void (*put)(struct page *p);
	const char *text, *text_end; /* instead; NULL: the text ends with a NUL */
} page_parts[] = {
	{"title", page_title, NULL, NULL},
	{"style", NULL, page_style, page_style_end},
	{"script", NULL, page_script, page_script_end},
	{"style-hash", NULL, page_style_hash, NULL},
	{"script-hash", NULL, page_script_hash, NULL},
	{"heading", page_heading, NULL, NULL},
	{"banner", page_banner, NULL, NULL},
	{"verdict", page_verdict, NULL, NULL},
	{"bands", page_bands, NULL, NULL},
	{"known", page_known, NULL, NULL},
	{"facts", page_facts, NULL, NULL},
	{"data", page_data, NULL, NULL},
	{"cells", page_cells, NULL, NULL},
	{"version", NULL, FRTRACE_VERSION, NULL},
};

static bool part_has_name(const char *part, const char *name, size_t length)
{
	return strlen(part) == length && memcmp(part, name, length) == 0;
}

static void page_put_part(struct page *p, const char *name, size_t length)
{
	for (size_t i = 0; i < TABLES; i++)
		if (part_has_name(page_tables[i].part, name, length))
			put_text(p->out, memory_text(&p->table[i]));
	for (const struct page_part *part = page_parts; part < page_parts + sizeof(page_parts) / sizeof(page_parts[0]);
	     part++) {
		if (!part_has_name(part->name, name, length))
			continue;
		if (part->put)
			part->put(p);
		else
			bytes_put(p->out, part->text,
				  part->text_end ? (size_t)(part->text_end - part->text) : strlen(part->text));
	}
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

/* Begin with a table in this pass, or read on. The ops that it has in the pass; NULL: none. */
static const struct trace_ops *page_begin_table(struct page *p, size_t i, enum page_pass pass,
						struct view_request *request)
{
	const struct view_pass *view = page_tables[i].view;

	if (page_tables[i].pass != pass)
		return p->table_state[i] ? &view->again : NULL;
	p->table_state[i] = memory_need(calloc(1, view->size));
	request->top = page_tables[i].top;
	if (view->begin)
		view->begin(p->table_state[i], request);
	return &view->ops;
}

/* A table is complete after its last pass. */
static void page_end_table(struct page *p, size_t i, enum page_pass pass, struct view_request *request)
{
	const struct view_pass *view = page_tables[i].view;
	void *state = p->table_state[i];

	if (!state)
		return;
	if (view->between && view->between(state))
		return;
	request->top = page_tables[i].top;
	view->put(state, request, &p->table[i]);
	view->release(state);
	free(state);
	p->table_state[i] = NULL;
}

/* A pass over the recording for some readers and the tables that belong to it. No reader ends it. */
static void page_read_pass(struct page *p, enum page_pass pass, const struct trace_reader *readers, size_t count)
{
	struct call_filter all = {0};
	struct view_request request = {.layout = {.html = true}, .filter = &all, .calls = &p->requests};
	struct trace_reader reader[READERS_MOST];
	struct jfr_file again, *file = pass == PASS_SURVEY ? p->file : &again;
	const struct trace_ops *ops;

	jfr_file_again(&again, p->file);
	if (count)
		memcpy(reader, readers, count * sizeof(*reader));
	for (size_t i = 0; i < TABLES; i++) {
		ops = page_begin_table(p, i, pass, &request);
		if (ops)
			reader[count++] = (struct trace_reader){ops, p->table_state[i], NULL};
	}
	trace_read_all(file, reader, count);
	request.utc_offset = file->utc_offset;
	for (size_t i = 0; i < TABLES; i++)
		page_end_table(p, i, pass, &request);
	if (!p->file->fault.what)
		p->file->fault = again.fault;
	jfr_file_release(&again);
}

/* Choose the calls that are shown one by one. */
static void page_choose_stories(struct page *p)
{
	struct outermost_call *wanted = memory_need(calloc(STORIES_MOST + REQUESTS, sizeof(*wanted)));
	size_t count;

	for (count = 0; count < p->requests.count; count++) {
		wanted[count] = p->requests.call[count];
		wanted[count].thread = threads_of_id(&p->digest->threads, wanted[count].thread);
	}
	count += digest_longest(p->digest, wanted + count, STORIES_MOST);
	stories_init(&p->stories, wanted, count);
	p->stories.threads = &p->digest->threads;
	p->stories.names = &p->digest->names;
	p->stories.holders = &p->digest->holders;
	p->stories.runs = &p->runs;
	stories_add_tasks(&p->stories);
	free(wanted);
}

/* Passes over the file: what there is; sums, and the requests again if the first pass did not find enough; calls; open calls. */
static void page_read(struct page *p)
{
	struct trace_reader requests = {&outermost_ops, &p->requests, NULL};
	bool found;

	outermost_init(&p->requests, &p->runs, REQUESTS);
	page_read_pass(
		p, PASS_SURVEY,
		(struct trace_reader[]){{&digest_survey, p->digest, NULL}, {&facts_ops, &p->facts, NULL}, requests}, 3);
	digest_survey_end(p->digest, p->file->utc_offset);
	found = outermost_settle(&p->requests);
	page_read_pass(p, PASS_FILL, (struct trace_reader[]){{&digest_fill, p->digest, NULL}, requests}, 2 - found);
	digest_fill_end(p->digest);
	for (found = found || outermost_settle(&p->requests); !found; found = outermost_settle(&p->requests))
		trace_read_again(p->file, &requests, 1);
	page_choose_stories(p);
	page_read_pass(p, PASS_STORIES,
		       (struct trace_reader[]){{&stories_ops, &p->stories, NULL}, {&digest_sampled, p->digest, NULL}},
		       2);
	stories_end(&p->stories);
	page_read_pass(p, PASS_OPEN, NULL, 0);
	method_names_settle(&p->digest->names);
	p->verdicts = verdict_find(p->digest, p->verdict);
}

void page_write(struct jfr_file *file, const char *name, struct bytes *out)
{
	struct page p = {.file = file, .name = name, .out = out, .digest = memory_need(calloc(1, sizeof(*p.digest)))};

	for (size_t i = 0; i < TABLES; i++)
		bytes_init(&p.table[i]);
	page_read(&p);
	page_put_all(&p);
	memory_text(out);
	for (size_t i = 0; i < TABLES; i++)
		bytes_release(&p.table[i]);
	stories_release(&p.stories);
	outermost_release(&p.requests);
	task_runs_release(&p.runs);
	digest_release(p.digest);
	free(p.digest);
	facts_release(&p.facts);
}
