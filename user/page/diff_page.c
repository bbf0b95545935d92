// SPDX-License-Identifier: BSD-2-Clause
#include "user/page/diff_page.h"
#include "user/page/page_image.h"
#include "user/text/html.h"
#include "user/text/java_number.h"
#include "user/text/log.h"
#include "user/text/memory.h"

#include <stdlib.h>

#define PARTS 64

struct html_writer {
	struct diff_writer writer;
	struct bytes *out;
};

/* Append the lines that a function of diff.h has put as text. */
static void html_put_lines(struct bytes *out, struct bytes *text, const char *begin, const char *end)
{
	char *whole = memory_need(bytes_steal_text(text)), *rest = whole, *line;

	while ((line = strsep(&rest, "\n")) && *line) {
		put_text(out, begin);
		html_put(out, line);
		put_text(out, end);
	}
	free(whole);
}

static void html_put_element(struct bytes *out, const char *begin, const char *text, const char *end)
{
	put_text(out, begin);
	html_put(out, text);
	put_text(out, end);
}

static void html_put_row(const struct diff_writer *w, const struct diff_row *r)
{
	struct bytes *out = ((const struct html_writer *)w)->out;

	put_text(out, r->differs ? "<tr class=\"differs\"><td>" : "<tr><td>");
	html_put_element(out, "", r->label + strspn(r->label, " "), "</td>");
	html_put_element(out, "<td class=\"n\">", r->before, "</td>");
	html_put_element(out, "<td class=\"n\">", r->after, "</td>");
	html_put_element(out, "<td class=\"n\">", r->change, "</td></tr>\n");
}

static void html_put_parts(const struct diff_writer *w, const char *from)
{
	struct bytes *out = ((const struct html_writer *)w)->out;

	html_put_element(out, "<tr><th colspan=\"4\">Mean of calls from ", from, " on</th></tr>\n");
}

static const char *part_family(const struct diff_part *p)
{
	return p->blocked ? "blocked" : strcmp(p->name, "cpu") == 0 ? "cpu" : "runq";
}

static void html_put_bar(struct bytes *out, const char *name, const struct diff_part *parts, size_t count, bool after,
			 double longest)
{
	bytes_printf(out, "<span class=\"name\">%s</span><div class=\"stack\">", name);
	for (size_t i = 0; i < count && longest > 0; i++) {
		double share = 100 * (after ? parts[i].after : parts[i].before) / longest;

		if (share <= 0)
			continue;
		bytes_printf(out, "<span class=\"%s\" style=\"width:%.2f%%\">", part_family(&parts[i]), share);
		html_put_element(out, "", share > 8 ? parts[i].name : "", "</span>");
	}
	put_text(out, "</div>");
}

/* Both means on one scale. */
static void html_put_bars(struct bytes *out, const struct diff *d, const struct diff_method *m)
{
	struct diff_part parts[PARTS];
	double before = 0, after = 0;
	int q = RUN_QUANTILES - 1;
	size_t count;

	while (q > 0 && !m->differs[q])
		q--;
	count = diff_parts(d, m, q, parts, PARTS);
	for (size_t i = 0; i < count; i++) {
		before += parts[i].before;
		after += parts[i].after;
	}
	if (!count)
		return;
	put_text(out, "<div class=\"pair\">");
	html_put_bar(out, "old", parts, count, false, before > after ? before : after);
	html_put_bar(out, "new", parts, count, true, before > after ? before : after);
	put_text(out, "</div>\n");
}

static void html_put_method(struct bytes *out, const struct diff *d, const struct diff_method *m)
{
	struct html_writer w = {{html_put_row, html_put_parts, true}, out};
	const char *only = diff_only_in(m);

	put_text(out, diff_method_differs(m) ? "<article class=\"changed\"><h3>" : "<article><h3>");
	html_put_element(out, "", (m->before ?: m->after)->name, "");
	if ((m->before ?: m->after)->value)
		html_put_element(out, " ", (m->before ?: m->after)->value, "");
	put_text(out, "</h3>\n");
	if (only)
		bytes_printf(out, "<p class=\"hint\">%s</p>\n", only);
	html_put_bars(out, d, m);
	put_text(out, "<div class=\"wide\"><table><thead><tr><th></th><th class=\"n\">Old</th><th class=\"n\">New</th>"
		      "<th class=\"n\">Change</th></tr></thead><tbody>\n");
	diff_each_row(d, m, &w.writer);
	put_text(out, "</tbody></table></div></article>\n");
}

static void html_put_head(struct bytes *out, const char *before, const char *after)
{
	bytes_printf(out,
		     "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		     "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src '%s'; "
		     "style-src-attr 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'\">\n"
		     "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
		     "<meta name=\"color-scheme\" content=\"light dark\">\n<link rel=\"icon\" href=\"data:,\">\n",
		     page_style_hash);
	html_put_element(out, "<title>", after, " - frtrace diff</title>\n<style>");
	bytes_put(out, page_style, page_style_end - page_style);
	html_put_element(
		out,
		"</style>\n</head>\n<body>\n<header><div class=\"top\"><span class=\"brand\">frtrace diff</span>"
		"</div>\n<h1>",
		before, " → ");
	html_put_element(out, "", after, "</h1></header>\n<main>\n");
}

void diff_page_put(struct bytes *out, const struct diff *d, const char *before, const char *after, size_t top)
{
	size_t shown = d->count < top ? d->count : top;
	struct bytes text;
	bool limited;

	html_put_head(out, before, after);
	bytes_init(&text);
	diff_put_remarks(&text, d);
	limited = text.size;
	put_text(out, limited ? "<section class=\"banner\"><ul>" : "");
	html_put_lines(out, &text, "<li class=\"bad\">", "</li>\n");
	put_text(out, limited ? "</ul></section>\n" : "");
	put_text(out, "<section id=\"verdict\"><h2>What differs</h2><div class=\"cards\"><article>");
	bytes_init(&text);
	diff_put_sentence(&text, d);
	html_put_lines(out, &text, "<p class=\"what\">", "</p>");
	put_text(
		out,
		"</article></div></section>\n<section id=\"methods\"><h2>Methods</h2>\n"
		"<p class=\"hint\">Percentiles have their 95 % intervals. ~ means that the difference may be chance, or "
		"that there are too few calls.</p>\n<div class=\"blocks\">\n");
	for (size_t i = 0; i < shown; i++)
		html_put_method(out, d, &d->method[i]);
	put_text(out, "</div>\n");
	if (d->count > shown)
		bytes_printf(out, "<p class=\"hint\">and %s more</p>\n", log_count(d->count - shown));
	put_text(out, "</section>\n</main>\n<footer>Made by frtrace " FRTRACE_VERSION
		      ". This page is one file and requests nothing.</footer>\n</body>\n</html>\n");
	memory_text(out);
}
