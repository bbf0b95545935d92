// SPDX-License-Identifier: BSD-2-Clause
/* Compiles a filter list into a program (filters/program.h). */
#include "bpf/frtrace.h"
#include "filters/program.h"
#include "filters/quote.h"
#include "filters/filter_list_internal.h"
#include "format/bytes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_LIMIT (FRT_CONFIG_SIZE - sizeof(struct frt_config))

struct compiler {
	uint32_t *buckets;
	struct program_entry *entries;
	struct bytes names;
	uint32_t bucket_count, entry_count;
	uint32_t wild; /* number of hashed entries, known when all of them exist */
	uint32_t flags;
};

/* A range of c->names. */
struct name {
	uint32_t at, length;
};

/*
 * Append a name, which may be NULL, with slashes, in the modified UTF-8 of class files: characters above U+FFFF become two
 * surrogates of three bytes each.
 */
static struct name name_add(struct compiler *c, const char *text)
{
	struct name n = {.at = (uint32_t)c->names.size};
	uint32_t wide;

	for (const unsigned char *s = (const unsigned char *)(text ?: ""); *s; s += s[0] < 0xf0 ? 1 : 4) {
		if (s[0] < 0xf0) {
			bytes_put_u8(&c->names, *s == '.' ? '/' : *s);
			continue;
		}
		wide = ((s[0] & 7u) << 18 | (s[1] & 0x3fu) << 12 | (s[2] & 0x3fu) << 6 | (s[3] & 0x3fu)) - 0x10000;
		bytes_put(&c->names,
			  (uint8_t[]){0xed, 0xa0 | wide >> 16, 0x80 | (wide >> 10 & 0x3f), 0xed,
				      0xb0 | (wide >> 6 & 0x0f), 0x80 | (wide & 0x3f)},
			  6);
	}
	n.length = (uint32_t)c->names.size - n.at;
	return n;
}

/* Append the class name, for an annotation as a descriptor. */
static struct name class_add(struct compiler *c, const struct filter *f)
{
	struct name n = {.at = (uint32_t)c->names.size};

	if (f->prefix != PROGRAM_BEARS)
		return name_add(c, f->class_name);
	bytes_put_u8(&c->names, 'L');
	name_add(c, f->class_name);
	bytes_put_u8(&c->names, ';');
	n.length = (uint32_t)c->names.size - n.at;
	return n;
}

static const char *name_text(const struct compiler *c, uint32_t at)
{
	return (const char *)c->names.data + at;
}

static bool same_name(const struct compiler *c, uint32_t at, uint16_t stored, struct name n)
{
	return stored == n.length && (!n.length || memcmp(name_text(c, at), name_text(c, n.at), n.length) == 0);
}

/* The key of an entry. */
struct key {
	char kind;
	struct name class_name, method, types;
	uint32_t flags; /* of PROGRAM_KEY */
};

static bool same_key(const struct compiler *c, const struct program_entry *e, const struct key *k)
{
	return e->kind == (uint8_t)k->kind && (e->flags & PROGRAM_KEY) == k->flags &&
	       same_name(c, e->class_at, e->class_length, k->class_name) &&
	       same_name(c, e->method_at, e->method_length, k->method) &&
	       same_name(c, e->types_at, e->types_length, k->types);
}

static struct program_entry *entry_new(struct compiler *c, const struct key *k)
{
	struct program_entry *e = &c->entries[c->entry_count++];

	*e = (struct program_entry){
		.threshold_ns = MATCHER_NO_THRESHOLD,
		.class_at = k->class_name.at,
		.method_at = k->method.at,
		.types_at = k->types.at,
		.class_length = (uint16_t)k->class_name.length,
		.method_length = (uint16_t)k->method.length,
		.types_length = (uint16_t)k->types.length,
		.kind = (uint8_t)k->kind,
		.flags = k->flags,
	};
	return e;
}

/* The hashed entry for the key, created if necessary. */
static struct program_entry *entry_get(struct compiler *c, const struct key *k)
{
	uint32_t hash = program_hash_entry(k->kind, name_text(c, k->class_name.at), k->class_name.length,
					   name_text(c, k->method.at), k->flags & PROGRAM_GLOB ? 0 : k->method.length);
	uint32_t *bucket = &c->buckets[hash & (c->bucket_count - 1)];
	struct program_entry *e;

	for (uint32_t number = *bucket; number; number = e->next) {
		e = &c->entries[number - 1];
		if (e->hash == hash && same_key(c, e, k))
			return e;
	}
	e = entry_new(c, k);
	e->next = *bucket;
	e->hash = hash;
	*bucket = c->entry_count;
	return e;
}

static uint32_t compile_flags_of(const struct filter *f, bool exclude)
{
	if (!exclude && f->kind == FILTER_ROOT)
		return f->thrown ? PROGRAM_ROOT | PROGRAM_THROWN : PROGRAM_ROOT;
	if (!exclude && f->kind == FILTER_UNTIL)
		return PROGRAM_UNTIL;
	if (!exclude)
		return f->kind == FILTER_TRACE ? PROGRAM_TRACE : PROGRAM_TIMING;
	if (f->kind == FILTER_EXCLUDE)
		return PROGRAM_NO_TRACE | PROGRAM_NO_TIMING;
	return f->kind == FILTER_TIMING ? PROGRAM_NO_TIMING : PROGRAM_NO_TRACE;
}

static bool is_wild(const struct filter *f)
{
	if (f->class_name)
		return strchr(f->class_name, QUOTE_WILDCARD);
	return strchr(f->method, QUOTE_WILDCARD);
}

/* Make sure that the class can be found by its name alone, to decide whether to inspect it or to tag it. */
static void note_class(struct compiler *c, const struct filter *f, const struct key *k, uint32_t flags)
{
	struct key class_key = {.kind = k->kind, .class_name = k->class_name};
	uint32_t some = flags & PROGRAM_SELECT ? PROGRAM_SOME : 0;

	if (!k->class_name.length && some)
		c->flags |= PROGRAM_ANY_CLASS;
	if (k->kind)
		c->flags |= k->kind == PROGRAM_BELOW ? PROGRAM_SUPERTYPE : PROGRAM_ANNOTATION;
	if (k->kind || (some && k->class_name.length && k->method.length && !is_wild(f)))
		entry_get(c, &class_key)->flags |= some;
}

static void compile_filter(struct compiler *c, const struct filter *f, bool exclude)
{
	uint32_t flags = compile_flags_of(f, exclude);
	uint32_t glob = f->method && strchr(f->method, QUOTE_WILDCARD) ? PROGRAM_GLOB : 0;
	struct key k = {.kind = f->prefix, .flags = glob | (flags & (PROGRAM_ROOT | PROGRAM_UNTIL))};
	struct program_entry *e;

	k.class_name = class_add(c, f);
	k.method = name_add(c, f->method);
	k.types = name_add(c, f->types);
	note_class(c, f, &k, flags);
	e = is_wild(f) ? entry_new(c, &k) : entry_get(c, &k);
	e->flags |= flags;
	if (f->threshold_ns < e->threshold_ns)
		e->threshold_ns = f->threshold_ns;
	if (f->kind == FILTER_ROOT && !f->thrown && f->threshold_ns == MATCHER_NO_THRESHOLD)
		e->threshold_ns = 0; /* each is kept */
}

/* Compile the filters with a wildcard class, or those without. */
static void compile_set(struct compiler *c, const struct filter_set *s, bool exclude, bool wild)
{
	for (size_t i = 0; i < s->count; i++)
		if (is_wild(&s->filters[i]) == wild && c->names.size <= BLOCK_LIMIT)
			compile_filter(c, &s->filters[i], exclude);
}

static void compile_list(struct compiler *c, const struct filter_list *l)
{
	compile_set(c, &l->select, false, false);
	compile_set(c, &l->exclude, true, false);
	c->wild = c->entry_count;
	compile_set(c, &l->select, false, true);
	compile_set(c, &l->exclude, true, true);
	c->flags |= l->lambda ? PROGRAM_LAMBDA : 0;
}

/* There are two entries for each filter at most. */
static int compiler_init(struct compiler *c, const struct filter_list *l)
{
	size_t filters = l->select.count + l->exclude.count;

	memset(c, 0, sizeof(*c));
	if (filters > BLOCK_LIMIT)
		return -E2BIG;
	for (c->bucket_count = 16; c->bucket_count < 2 * filters; c->bucket_count *= 2)
		;
	c->buckets = calloc(c->bucket_count, sizeof(*c->buckets));
	c->entries = calloc(2 * filters + 1, sizeof(*c->entries));
	return c->buckets && c->entries ? 0 : -ENOMEM;
}

static void compiler_release(struct compiler *c)
{
	free(c->buckets);
	free(c->entries);
	bytes_release(&c->names);
}

static void program_write(struct compiler *c, char *program, size_t size)
{
	struct program_header h = {
		.magic = PROGRAM_MAGIC,
		.version = PROGRAM_VERSION,
		.size = (uint32_t)size,
		.flags = c->flags,
		.buckets = c->bucket_count,
		.entries = c->entry_count,
		.wild = c->wild,
	};
	size_t buckets = c->bucket_count * sizeof(*c->buckets), entries = c->entry_count * sizeof(*c->entries);

	for (uint32_t i = 0; i < c->entry_count; i++) {
		c->entries[i].class_at += (uint32_t)(sizeof(h) + buckets + entries);
		c->entries[i].method_at += (uint32_t)(sizeof(h) + buckets + entries);
		c->entries[i].types_at += (uint32_t)(sizeof(h) + buckets + entries);
	}
	memcpy(program, &h, sizeof(h));
	memcpy(program + sizeof(h), c->buckets, buckets);
	memcpy(program + sizeof(h) + buckets, c->entries, entries);
	memcpy(program + sizeof(h) + buckets + entries, bytes_text(&c->names), c->names.size);
}

static size_t block_size(const struct compiler *c)
{
	return sizeof(struct program_header) + c->bucket_count * sizeof(*c->buckets) +
	       c->entry_count * sizeof(*c->entries) + c->names.size;
}

int filter_list_compile(const struct filter_list *l, void **program, size_t *size, struct diag *d)
{
	struct compiler c;
	int err = compiler_init(&c, l);

	*program = NULL;
	if (err)
		goto out;
	compile_list(&c, l);
	*size = block_size(&c);
	if (*size > BLOCK_LIMIT) {
		err = -E2BIG;
		goto out;
	}
	*program = c.names.failed ? NULL : malloc(*size);
	if (*program)
		program_write(&c, *program, *size);
	else
		err = -ENOMEM;
out:
	compiler_release(&c);
	if (err == -E2BIG)
		return diag_usage(d, "too many filters: %zu do not fit, name whole classes instead of methods",
				  l->select.count + l->exclude.count);
	return err ? diag_set(d, ENOMEM, "no memory for filters") : 0;
}
