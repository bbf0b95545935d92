// SPDX-License-Identifier: BSD-2-Clause
#include "format/jfr/jfr_type_write.h"
#include "format/hash.h"

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
	free(t->slots);
	t->slots = NULL;
}

static struct string_slot *type_write_slot_of(const struct jfr_type_writer *t, const char *text)
{
	uint32_t mask = (1u << t->bits) - 1, i = hash_data(text, strlen(text)) & mask;

	while (t->slots[i].at && strcmp((char *)t->strings.data + t->slots[i].at - 1, text) != 0)
		i = (i + 1) & mask;
	return &t->slots[i];
}

static bool type_write_grow(struct jfr_type_writer *t)
{
	struct jfr_type_writer larger = *t;

	larger.bits = t->bits ? t->bits + 1 : 8;
	larger.slots = calloc(1u << larger.bits, sizeof(*larger.slots));
	if (!larger.slots) {
		t->failed = true;
		return false;
	}
	for (uint32_t i = 0; t->slots && i < 1u << t->bits; i++)
		if (t->slots[i].at)
			*type_write_slot_of(&larger, (char *)t->strings.data + t->slots[i].at - 1) = t->slots[i];
	free(t->slots);
	*t = larger;
	return true;
}

/* The index of a string, which is added if it is new. */
static uint32_t string_index(struct jfr_type_writer *t, const char *text)
{
	size_t at = t->strings.size;
	struct string_slot *slot;

	if (t->failed || (2 * (uint64_t)t->count >= (t->bits ? 1u << t->bits : 0) && !type_write_grow(t)))
		return 0;
	slot = type_write_slot_of(t, text);
	if (slot->at)
		return slot->index;
	bytes_put(&t->strings, text, strlen(text) + 1);
	t->failed |= t->strings.failed || t->strings.size > UINT32_MAX;
	if (t->failed)
		return 0;
	*slot = (struct string_slot){at + 1, t->count};
	return t->count++;
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
