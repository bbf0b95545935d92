// SPDX-License-Identifier: BSD-2-Clause
#include "format/jfr/jfr_type_write.h"
#include "format/vec.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define TEXT_LIMIT (1 << 16)

void jfr_type_writer_init(struct jfr_type_writer *t)
{
	*t = (struct jfr_type_writer){.count = 0};
}

void jfr_type_writer_release(struct jfr_type_writer *t)
{
	bytes_release(&t->elements);
	bytes_release(&t->strings);
	hash_release(&t->lookup);
	free(t->at);
	t->at = NULL;
}

struct string_wanted {
	const struct jfr_type_writer *writer;
	const char *text;
};

static bool string_is(const void *context, uint32_t row)
{
	const struct string_wanted *w = context;

	return strcmp((const char *)w->writer->strings.data + w->writer->at[row - 1], w->text) == 0;
}

static bool string_add(struct jfr_type_writer *t, uint64_t hash, const char *text)
{
	size_t at = t->strings.size;

	bytes_put(&t->strings, text, strlen(text) + 1);
	if (t->strings.failed || vec_reserve(&t->at, &t->capacity, (size_t)t->count + 1) ||
	    hash_add(&t->lookup, hash, t->count + 1))
		return false;
	t->at[t->count++] = at;
	return true;
}

/* The index of a string, which is added if it is new. */
static uint32_t string_index(struct jfr_type_writer *t, const char *text)
{
	uint64_t hash = hash_data(text, strlen(text));
	uint32_t row = hash_find(&t->lookup, hash, string_is, &(struct string_wanted){t, text});

	if (row)
		return row - 1;
	t->failed = t->failed || !string_add(t, hash, text);
	return t->failed ? 0 : t->count - 1;
}

void jfr_type_write_element(struct jfr_type_writer *t, const char *name, uint32_t attributes)
{
	bytes_put_leb(&t->elements, string_index(t, name));
	bytes_put_leb(&t->elements, attributes);
}

void jfr_type_write_attribute(struct jfr_type_writer *t, const char *name, const char *value)
{
	bytes_put_leb(&t->elements, string_index(t, name));
	bytes_put_leb(&t->elements, string_index(t, value));
}

void jfr_type_write_number(struct jfr_type_writer *t, const char *name, int64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRId64, value);
	jfr_type_write_attribute(t, name, text);
}

void jfr_type_write_children(struct jfr_type_writer *t, uint32_t count)
{
	bytes_put_leb(&t->elements, count);
}

bool jfr_type_writer_write(const struct jfr_type_writer *t, struct bytes *body, uint64_t *id)
{
	size_t start = body->size;

	bytes_put_leb(body, t->count);
	for (size_t at = 0; at < t->strings.size;) {
		const char *text = (const char *)t->strings.data + at;

		bytes_put_text(body, text, TEXT_LIMIT);
		at += strlen(text) + 1;
	}
	bytes_put(body, t->elements.data, t->elements.size);
	if (t->failed || t->elements.failed || body->failed)
		return false;
	*id = hash_data(body->data + start, body->size - start) >> 2 | 1;
	return true;
}

void jfr_metadata_write(struct bytes *out, const struct bytes *body, uint64_t id, int64_t start_ticks)
{
	size_t start = out->size;

	bytes_put_be32(out, 0); /* size */
	bytes_put_leb(out, 0);	/* type: metadata */
	bytes_put_leb(out, start_ticks);
	bytes_put_leb(out, 0); /* duration */
	bytes_put_leb(out, id);
	bytes_put(out, body->data, body->size);
	bytes_patch_leb(out, start, out->size - start);
}
