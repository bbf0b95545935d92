// SPDX-License-Identifier: BSD-2-Clause
/* From a filter list to the block of filters/block.h. */
#include "bpf/frtrace.h"
#include "filters/block.h"
#include "filters/list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_LIMIT (FRT_CONFIG_SIZE - sizeof(struct frt_config))

struct compiler {
	uint32_t *buckets;
	struct block_entry *entries;
	char *names;
	uint32_t bucket_count, entry_count, names_size;
	uint32_t names_at; /* in the block, once the entries are counted */
	uint32_t flags;
};

/* UTF-8 to the modified UTF-8 of class files: what lies beyond U+FFFF becomes two surrogates of three bytes each. */
static size_t name_encode(char *out, const char *name)
{
	const unsigned char *s = (const unsigned char *)name;
	unsigned char *o = (unsigned char *)out;
	uint32_t c;

	while (*s) {
		if (s[0] < 0xf0) {
			*o++ = *s == '.' ? '/' : *s;
			s++;
			continue;
		}
		c = ((s[0] & 7u) << 18 | (s[1] & 0x3fu) << 12 | (s[2] & 0x3fu) << 6 | (s[3] & 0x3fu)) - 0x10000;
		*o++ = 0xed;
		*o++ = (unsigned char)(0xa0 | c >> 16);
		*o++ = (unsigned char)(0x80 | (c >> 10 & 0x3f));
		*o++ = 0xed;
		*o++ = (unsigned char)(0xb0 | (c >> 6 & 0x0f));
		*o++ = (unsigned char)(0x80 | (c & 0x3f));
		s += 4;
	}
	return (size_t)((char *)o - out);
}

static bool same_name(const struct compiler *c, uint32_t at, uint16_t stored, const char *name, size_t length)
{
	return stored == length && memcmp(c->names + at, name, length) == 0;
}

/* The entry for the pair, made if need be. Names lie in c->names already; `at` is relative to it. */
static struct block_entry *entry_get(struct compiler *c, uint32_t class_at, size_t class_length, uint32_t method_at,
				     size_t method_length)
{
	const char *class_name = c->names + class_at, *method = c->names + method_at;
	uint32_t hash = block_hash_entry(class_name, class_length, method, method_length);
	uint32_t *bucket = &c->buckets[hash & (c->bucket_count - 1)];
	struct block_entry *e;

	for (uint32_t number = *bucket; number; number = e->next) {
		e = &c->entries[number - 1];
		if (e->hash == hash && same_name(c, e->class_at, e->class_length, class_name, class_length) &&
		    same_name(c, e->method_at, e->method_length, method, method_length))
			return e;
	}
	e = &c->entries[c->entry_count];
	*e = (struct block_entry){.next = *bucket,
				  .hash = hash,
				  .class_at = class_at,
				  .method_at = method_at,
				  .class_length = (uint16_t)class_length,
				  .method_length = (uint16_t)method_length};
	*bucket = ++c->entry_count;
	return e;
}

static void compile_filter(struct compiler *c, const struct filter *f, uint32_t flag)
{
	uint32_t class_at = c->names_size, method_at;
	size_t class_length = f->class_name ? name_encode(c->names + class_at, f->class_name) : 0;
	size_t method_length;

	method_at = class_at + (uint32_t)class_length;
	method_length = f->method ? name_encode(c->names + method_at, f->method) : 0;
	c->names_size = method_at + (uint32_t)method_length;
	entry_get(c, class_at, class_length, method_at, method_length)->flags |= flag;
	if (!method_length || flag != BLOCK_SELECT)
		return;
	if (class_length)
		entry_get(c, class_at, class_length, method_at, 0)->flags |= BLOCK_SOME;
	else
		c->flags |= BLOCK_ANY_CLASS;
}

/* Room for the worst case: two entries a filter, no name shared, three bytes for two at most. */
static int compiler_init(struct compiler *c, const struct filter_list *l)
{
	const struct filter_set *sets[] = {&l->select, &l->exclude};
	size_t filters = l->select.count + l->exclude.count, names = 1;

	memset(c, 0, sizeof(*c));
	for (size_t k = 0; k < 2; k++)
		for (size_t i = 0; i < sets[k]->count; i++)
			names += 2 * strlen(sets[k]->items[i].text);
	if (filters > BLOCK_LIMIT || names > UINT32_MAX / 2)
		return -E2BIG;
	for (c->bucket_count = 16; c->bucket_count < 2 * filters; c->bucket_count *= 2)
		;
	c->buckets = calloc(c->bucket_count, sizeof(*c->buckets));
	c->entries = calloc(2 * filters + 1, sizeof(*c->entries));
	c->names = malloc(names);
	return c->buckets && c->entries && c->names ? 0 : -ENOMEM;
}

static void compiler_release(struct compiler *c)
{
	free(c->buckets);
	free(c->entries);
	free(c->names);
}

static void block_write(struct compiler *c, char *block, size_t size)
{
	struct block_header h = {
		.magic = BLOCK_MAGIC,
		.version = BLOCK_VERSION,
		.size = (uint32_t)size,
		.flags = c->flags,
		.buckets = c->bucket_count,
		.entries = c->entry_count,
	};
	size_t buckets = c->bucket_count * sizeof(*c->buckets), entries = c->entry_count * sizeof(*c->entries);

	for (uint32_t i = 0; i < c->entry_count; i++) {
		c->entries[i].class_at += (uint32_t)(sizeof(h) + buckets + entries);
		c->entries[i].method_at += (uint32_t)(sizeof(h) + buckets + entries);
	}
	memcpy(block, &h, sizeof(h));
	memcpy(block + sizeof(h), c->buckets, buckets);
	memcpy(block + sizeof(h) + buckets, c->entries, entries);
	memcpy(block + sizeof(h) + buckets + entries, c->names, c->names_size);
}

static size_t block_size(const struct compiler *c)
{
	return sizeof(struct block_header) + c->bucket_count * sizeof(*c->buckets) +
	       c->entry_count * sizeof(*c->entries) + c->names_size;
}

int filter_list_compile(const struct filter_list *l, void **block, size_t *size, struct diag *d)
{
	struct compiler c;
	int err = compiler_init(&c, l);

	*block = NULL;
	if (err)
		goto out;
	for (size_t i = 0; i < l->select.count; i++)
		compile_filter(&c, &l->select.items[i], BLOCK_SELECT);
	for (size_t i = 0; i < l->exclude.count; i++)
		compile_filter(&c, &l->exclude.items[i], BLOCK_EXCLUDE);
	*size = block_size(&c);
	if (*size > BLOCK_LIMIT) {
		err = -E2BIG;
		goto out;
	}
	*block = malloc(*size);
	if (*block)
		block_write(&c, *block, *size);
	else
		err = -ENOMEM;
out:
	compiler_release(&c);
	if (err == -E2BIG)
		return diag_usage(d, "too many filters: %zu do not fit, name whole classes instead of methods",
				  l->select.count + l->exclude.count);
	return err ? diag_set(d, ENOMEM, "no memory for filters") : 0;
}
