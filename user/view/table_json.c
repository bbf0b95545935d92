// SPDX-License-Identifier: BSD-2-Clause
#include "user/text/json.h"
#include "user/view/table.h"

#include <stdio.h>
#include <stdlib.h>

/* Print "1,204" as the number 1204. */
static void table_json_put_value(struct json *j, const char *label, const char *text)
{
	uint64_t n = 0;

	if (!*text || text[strspn(text, "0123456789,")] || strlen(text) > 24) {
		json_string(j, label, text);
		return;
	}
	for (; *text; text++)
		n = *text == ',' ? n : 10 * n + (*text - '0');
	json_unsigned(j, label, n);
}

static void table_json_put_rows(const struct table *t, struct json *j)
{
	const char *text = (char *)t->cells.data;

	for (size_t i = 0; i < t->filled; i++, text += strlen(text) + 1) {
		if (i % t->count == 0)
			json_object(j, NULL);
		table_json_put_value(j, t->columns[i % t->count].label, text);
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
