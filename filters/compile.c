// SPDX-License-Identifier: BSD-2-Clause
/* Compiles a filter list into a program (filters/program.h). */
#include "bpf/frtrace.h"
#include "filters/program.h"
#include "filters/quote.h"
#include "filters/filter_list_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_LIMIT (FRT_CONFIG_SIZE - sizeof(struct frt_config))

struct compiler {
	uint32_t *buckets;
	struct program_entry *entries;
	char *names;
	uint32_t bucket_count, entry_count, names_size;
	uint32_t wild; /* number of hashed entries, known when all of them exist */
	uint32_t flags;
};

/* A range of c->names. */
struct name {
	uint32_t at, length;
};

/*
 * Convert UTF-8 to the modified UTF-8 of class files: characters above U+FFFF become two surrogates of three bytes
 * each.
 */
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

static struct name name_add(struct compiler *c, const char *text)
{
	struct name n = {.at = c->names_size};

	n.length = text ? (uint32_t)name_encode(c->names + n.at, text) : 0;
	c->names_size += n.length;
	return n;
}

static void compile_put(struct compiler *c, const char *text)
{
	memcpy(c->names + c->names_size, text, strlen(text));
	c->names_size += (uint32_t)strlen(text);
}

/* Append the class name, for an annotation as a descriptor. */
static struct name class_add(struct compiler *c, const struct filter *f)
{
	struct name n = {.at = c->names_size};

	if (f->prefix != PROGRAM_BEARS)
		return name_add(c, f->class_name);
	compile_put(c, "L");
	name_add(c, f->class_name);
	compile_put(c, ";");
	n.length = c->names_size - n.at;
	return n;
}

static bool same_name(const struct compiler *c, uint32_t at, uint16_t stored, struct name n)
{
	return stored == n.length && memcmp(c->names + at, c->names + n.at, n.length) == 0;
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
	uint32_t hash = program_hash_entry(k->kind, c->names + k->class_name.at, k->class_name.length,
					   c->names + k->method.at, k->flags & PROGRAM_GLOB ? 0 : k->method.length);
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
	struct key k = {.kind = f->prefix, .flags = glob | (flags & PROGRAM_ROOT)};
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
		if (is_wild(&s->filters[i]) == wild)
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

/*
 * Allocate for the worst case: two entries per filter, no shared names, three bytes per name byte (a type C
 * becomes LC;).
 */
static int compiler_init(struct compiler *c, const struct filter_list *l)
{
	const struct filter_set *sets[] = {&l->select, &l->exclude};
	size_t filters = l->select.count + l->exclude.count, names = 1;

	memset(c, 0, sizeof(*c));
	for (size_t k = 0; k < 2; k++)
		for (size_t i = 0; i < sets[k]->count; i++)
			names += 3 * strlen(sets[k]->filters[i].text);
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
	memcpy(program + sizeof(h) + buckets + entries, c->names, c->names_size);
}

static size_t block_size(const struct compiler *c)
{
	return sizeof(struct program_header) + c->bucket_count * sizeof(*c->buckets) +
	       c->entry_count * sizeof(*c->entries) + c->names_size;
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
	*program = malloc(*size);
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
