// SPDX-License-Identifier: BSD-2-Clause
#include "user/text/html.h"
#include "user/text/java_number.h"
#include "user/text/log.h"
#include "user/print/table.h"

static const char *html_class_of(const struct table_column *c)
{
	return c->kind == TABLE_NUMBER ? " class=\"n\"" : c->kind == TABLE_METHOD ? " class=\"m\"" : "";
}

static void table_html_put_head(const struct table *t, struct bytes *out)
{
	put_text(out, "<thead><tr>");
	for (unsigned int i = 0; i < t->count; i++) {
		if (!t->columns[i].label)
			continue;
		put_text(out, "<th scope=\"col\" data-key=\"");
		html_put(out, t->columns[i].key ?: "");
		put_text(out, "\"");
		put_text(out, html_class_of(&t->columns[i]));
		put_text(out, ">");
		html_put(out, t->columns[i].label);
		put_text(out, "</th>");
	}
	put_text(out, "</tr></thead>\n");
}

static void table_html_put_cell(const struct table *t, struct bytes *out, size_t cell, const char *text)
{
	const struct table_column *c = &t->columns[cell % t->count];

	if (!c->label)
		return;
	put_text(out, "<td");
	put_text(out, html_class_of(c));
	if (c->kind == TABLE_NUMBER && t->number[cell] != TABLE_UNKNOWN) {
		put_text(out, " data-n=\"");
		put_integer(out, t->number[cell]);
		put_text(out, "\"");
	}
	put_text(out, ">");
	html_put(out, text);
	put_text(out, "</td>");
}

static void table_html_put_rows(const struct table *t, struct bytes *out)
{
	const char *text = (char *)t->cells.data;

	put_text(out, "<tbody>\n");
	for (size_t i = 0; i < t->filled; i++, text += strlen(text) + 1) {
		if (i % t->count == 0)
			put_text(out, "<tr>");
		table_html_put_cell(t, out, i, text);
		if (i % t->count == t->count - 1)
			put_text(out, "</tr>\n");
	}
	put_text(out, "</tbody>");
}

bool table_print_html(const struct table *t, struct bytes *out)
{
	put_text(out, "<div class=\"wide\"><table data-view=\"");
	html_put(out, t->title);
	put_text(out, "\"><caption>");
	html_put(out, t->title);
	put_text(out, "</caption>");
	if (t->filled) {
		table_html_put_head(t, out);
		table_html_put_rows(t, out);
	}
	put_text(out, "</table>");
	if (!t->filled)
		put_text(out, "<p class=\"none\">none</p>");
	if (t->more) {
		put_text(out, "<p class=\"none\">and ");
		put_text(out, log_count(t->more));
		put_text(out, " more</p>");
	}
	put_text(out, "</div>\n");
	return !out->failed;
}
