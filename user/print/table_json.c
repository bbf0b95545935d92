// SPDX-License-Identifier: BSD-2-Clause
#include "user/text/json.h"
#include "user/print/table.h"

#include <stdio.h>
#include <stdlib.h>

static void table_json_put_cell(const struct table *t, struct json *j, size_t cell, const char *text)
{
	const struct table_column *c = &t->columns[cell % t->count];

	if (!c->key)
		return;
	if (c->kind == TABLE_TYPED && text[0] == '#')
		json_literal(j, c->key, text + 1);
	else if (c->kind == TABLE_TYPED)
		json_string(j, c->key, text[0] ? text + 1 : NULL);
	else if (c->kind != TABLE_NUMBER)
		json_string(j, c->key, text);
	else if (t->number[cell] == TABLE_UNKNOWN)
		json_null(j, c->key);
	else
		json_signed(j, c->key, t->number[cell]);
}

static void table_json_put_rows(const struct table *t, struct json *j)
{
	const char *text = (char *)t->cells.data;

	for (size_t i = 0; i < t->filled; i++, text += strlen(text) + 1) {
		if (i % t->count == 0)
			json_object(j, NULL);
		table_json_put_cell(t, j, i, text);
		if (i % t->count == t->count - 1)
			json_end(j);
	}
}

bool table_print_json(const struct table *t, struct bytes *out)
{
	char *text = NULL;
	size_t size = 0;
	FILE *to = open_memstream(&text, &size);
	struct json j;
	bool written;

	if (!to)
		return false;
	json_init(&j, to);
	json_object(&j, NULL);
	json_string(&j, "view", t->title);
	json_array(&j, "rows");
	table_json_put_rows(t, &j);
	json_end(&j);
	json_end(&j);
	written = !fclose(to);
	if (written)
		bytes_put(out, text, size);
	free(text);
	return written;
}
