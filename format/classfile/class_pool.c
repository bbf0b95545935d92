// SPDX-License-Identifier: BSD-2-Clause
/*
 * The constants that an edit appends: three Methodrefs, the class Throwable, the name StackMapTable, an Integer
 * for each id above 32767, and Class constants for parameters, which the first frame of a method may omit but a
 * full frame must name. Texts are looked up by hash, so that a class with a thousand methods gets each only once.
 * The table merely saves space: equal constants are legal, so a probe may give up early.
 */
#include "format/classfile/class_pool.h"

enum { PROBES = 24, OWN_CONSTANTS = 64 };

static uint32_t added_limit(size_t size, uint32_t edits)
{
	size_t n = OWN_CONSTANTS + edits + size;

	return n < 65536 ? (uint32_t)n : 65536;
}

/* Upper bound of appended bytes: each byte of a descriptor, shared or not, adds at most 3. */
static size_t added_size(size_t size, uint32_t edits)
{
	return size * 3 + (size_t)edits * 5 + 4096;
}

static uint32_t table_size(size_t size)
{
	uint32_t n = 256;

	/* a constant has at least 3 bytes */
	while (n < size && n < 131072)
		n *= 2;
	return n;
}

size_t pool_memory(size_t size, uint32_t edits)
{
	return added_limit(size, edits) * sizeof(uint32_t) + added_size(size, edits) +
	       table_size(size) * sizeof(uint16_t) + 64;
}

static bool constant_text(const struct class_pool *p, uint32_t index, uint8_t *tag, struct slice *text);

static uint32_t text_hash(uint8_t tag, struct slice t)
{
	uint32_t h = 2166136261u ^ tag;
	uint32_t i;

	for (i = 0; i < t.length; i++)
		h = (h ^ (uint8_t)t.at[i]) * 16777619u;
	return h ^ h >> 15;
}

/* The slot with that constant, or a free slot for it. NULL if neither is near. */
static uint16_t *table_find(struct class_pool *p, uint8_t tag, struct slice text)
{
	uint32_t h = text_hash(tag, text);
	uint32_t i;

	for (i = 0; i < PROBES; i++) {
		uint16_t *slot = &p->table[(h + i) & p->mask];
		struct slice t;
		uint8_t other;

		if (!*slot)
			return slot;
		if (constant_text(p, *slot, &other, &t) && other == tag && t.length == text.length &&
		    !memcmp(t.at, text.at, t.length))
			return slot;
	}
	return NULL;
}

static const uint8_t *constant_bytes(const struct class_pool *p, uint32_t index)
{
	if (index >= p->c->constants)
		return p->added.bytes + p->added_at[index - p->c->constants];
	return p->c->constant[index] ? p->c->bytes + p->c->constant[index] : NULL;
}

static bool constant_text(const struct class_pool *p, uint32_t index, uint8_t *tag, struct slice *text)
{
	const uint8_t *b = constant_bytes(p, index);

	*tag = b ? *b : 0;
	if (*tag == CONSTANT_CLASS) {
		index = get_u2(b + 1);
		b = index && index < p->count ? constant_bytes(p, index) : NULL;
	}
	if (!b || *b != CONSTANT_UTF8)
		return false;
	*text = (struct slice){(const char *)b + 3, get_u2(b + 1)};
	return *tag == CONSTANT_UTF8 || *tag == CONSTANT_CLASS;
}

bool pool_init(struct class_pool *p, const struct class_file *c, uint32_t edits, struct arena *a)
{
	uint32_t slots = table_size(c->size);
	uint32_t i;

	*p = (struct class_pool){.c = c, .count = c->constants, .limit = added_limit(c->size, edits)};
	p->added.end = (uint32_t)added_size(c->size, edits);
	p->added.bytes = arena_alloc(a, p->added.end);
	p->added_at = arena_alloc(a, p->limit * sizeof(*p->added_at));
	p->table = arena_alloc(a, slots * sizeof(*p->table));
	if (!p->added.bytes || !p->added_at || !p->table)
		return false;
	p->mask = slots - 1;
	for (i = 1; i < c->constants; i++) {
		struct slice text;
		uint16_t *slot;
		uint8_t tag;

		slot = constant_text(p, i, &tag, &text) ? table_find(p, tag, text) : NULL;
		if (slot && !*slot)
			*slot = (uint16_t)i;
	}
	return true;
}

/* The number of a new constant of `size` bytes, which the caller writes. 0 if it does not fit. */
static uint16_t class_pool_add(struct class_pool *p, uint32_t size, uint8_t tag)
{
	uint32_t n = p->count - p->c->constants;

	if (p->count >= 65535 || n >= p->limit || p->added.end - p->added.at < size + 1) {
		p->full = true;
		return 0;
	}
	p->added_at[n] = p->added.at;
	output_u1(&p->added, tag);
	return (uint16_t)p->count++;
}

uint16_t pool_utf8(struct class_pool *p, struct slice text)
{
	uint16_t *slot = table_find(p, CONSTANT_UTF8, text);
	uint16_t index;

	if (slot && *slot)
		return *slot;
	index = class_pool_add(p, 2u + text.length, CONSTANT_UTF8);
	if (!index)
		return 0;
	output_u2(&p->added, text.length);
	output_copy(&p->added, text.at, text.length);
	if (slot)
		*slot = index;
	return index;
}

uint16_t pool_class(struct class_pool *p, struct slice name)
{
	uint16_t *slot = table_find(p, CONSTANT_CLASS, name);
	uint16_t utf8, index;

	if (slot && *slot)
		return *slot;
	utf8 = pool_utf8(p, name);
	index = utf8 ? class_pool_add(p, 2, CONSTANT_CLASS) : 0;
	if (!index)
		return 0;
	output_u2(&p->added, utf8);
	slot = table_find(p, CONSTANT_CLASS, name); /* the name may have taken the slot */
	if (slot)
		*slot = index;
	return index;
}

uint16_t pool_integer(struct class_pool *p, uint32_t value)
{
	uint16_t index = class_pool_add(p, 4, CONSTANT_INTEGER);

	if (index)
		output_u4(&p->added, value);
	return index;
}

/* A two-operand constant; 0 if either operand is 0 (pool full). */
static uint16_t pool_pair(struct class_pool *p, uint8_t tag, uint16_t first, uint16_t second)
{
	uint16_t index = first && second ? class_pool_add(p, 4, tag) : 0;

	if (index) {
		output_u2(&p->added, first);
		output_u2(&p->added, second);
	}
	return index;
}

uint16_t pool_methodref(struct class_pool *p, const char *owner, const char *name, const char *descriptor)
{
	uint16_t type =
		pool_pair(p, CONSTANT_NAME_AND_TYPE, pool_utf8(p, slice_of(name)), pool_utf8(p, slice_of(descriptor)));

	return pool_pair(p, CONSTANT_METHODREF, pool_class(p, slice_of(owner)), type);
}
