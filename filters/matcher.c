// SPDX-License-Identifier: BSD-2-Clause
/*
 * Matching with a compiled program. This code also runs in the traced JVM, where the program lies in shared
 * memory. Each value is copied before it is checked and used, so a program that changes concurrently can only give
 * a wrong answer. The builtin memcpy is expanded inline, even in a freestanding build.
 */
#include "filters/matcher.h"
#include "filters/glob.h"
#include "filters/program.h"
#include "format/classfile/class_file.h"

#include <string.h> /* memcmp; the agent has its own */

#define NOTHING ((struct slice){"", 0})

/* The combined result of all matching entries. */
struct findings {
	uint32_t flags, named; /* of all entries, and of those for the class's own name */
	uint64_t threshold_ns, root_ns;
};

static bool in_program(const struct matcher *p, uint64_t at, uint64_t length)
{
	return at <= p->size && length <= p->size - at;
}

static bool header_read(const struct matcher *p, struct program_header *h)
{
	if (!p->program || p->size < sizeof(*h))
		return false;
	__builtin_memcpy(h, p->program, sizeof(*h));
	if (h->magic != PROGRAM_MAGIC || h->version != PROGRAM_VERSION || h->size != p->size)
		return false;
	if (h->buckets == 0 || (h->buckets & (h->buckets - 1)) || h->wild > h->entries)
		return false;
	return in_program(p, sizeof(*h),
			  (uint64_t)h->buckets * sizeof(uint32_t) +
				  (uint64_t)h->entries * sizeof(struct program_entry));
}

static uint32_t bucket_read(const struct matcher *p, const struct program_header *h, uint32_t hash)
{
	uint32_t number;

	__builtin_memcpy(&number,
			 (const char *)p->program + sizeof(*h) + (size_t)(hash & (h->buckets - 1)) * sizeof(number),
			 sizeof(number));
	return number;
}

/* Read entry `number` - 1. */
static void entry_read(const struct matcher *p, const struct program_header *h, uint32_t number,
		       struct program_entry *e)
{
	size_t at = sizeof(*h) + (size_t)h->buckets * sizeof(uint32_t) + (size_t)(number - 1) * sizeof(*e);

	__builtin_memcpy(e, (const char *)p->program + at, sizeof(*e));
}

/* A name of an entry; empty if it is out of bounds. */
static struct slice stored(const struct matcher *p, uint32_t at, size_t length)
{
	if (!in_program(p, at, length))
		return NOTHING;
	return (struct slice){(const char *)p->program + at, length};
}

static bool has_package(struct slice type)
{
	for (size_t i = 0; i < type.length; i++)
		if (type.at[i] == '/')
			return true;
	return false;
}

/* True if `type`, from a descriptor, is the wanted one. LOrder; also matches La/b/Order; and La/b/Cart$Order;. */
static bool type_fits(struct slice wanted, struct slice type)
{
	char before;

	while (wanted.at[0] == '[' && type.at[0] == '[') {
		wanted.at++, wanted.length--;
		type.at++, type.length--;
	}
	if (slice_equal(wanted, type))
		return true;
	if (wanted.at[0] != 'L' || type.at[0] != 'L' || type.length <= wanted.length || has_package(wanted))
		return false;
	type.at += type.length - wanted.length;
	before = type.at[0];
	return (before == '/' || before == '$') && memcmp(type.at + 1, wanted.at + 1, wanted.length - 1) == 0;
}

/* Compare what is returned; V is no type. */
static bool returned_fits(struct slice wanted, struct slice returned)
{
	struct slice a, b;

	if (slice_is(wanted, "V") || slice_is(returned, "V"))
		return slice_equal(wanted, returned);
	return class_descriptor_next(&wanted, &a) && class_descriptor_next(&returned, &b) && type_fits(a, b);
}

/* Compare "(I[Ljava/lang/String;)" or "(I[Ljava/lang/String;)V" with a descriptor. */
static bool types_fit(struct slice wanted, struct slice descriptor)
{
	struct slice a, b;

	if (wanted.length < 2 || descriptor.length < 2)
		return false;
	wanted.at++, wanted.length--;
	descriptor.at++, descriptor.length--;
	while (wanted.at[0] != ')' && descriptor.at[0] != ')')
		if (!class_descriptor_next(&wanted, &a) || !class_descriptor_next(&descriptor, &b) ||
		    !type_fits(a, b) || !wanted.length || !descriptor.length)
			return false;
	if (wanted.at[0] != ')' || descriptor.at[0] != ')')
		return false;
	wanted.at++, wanted.length--;
	descriptor.at++, descriptor.length--;
	return !wanted.length || returned_fits(wanted, descriptor);
}

static bool method_fits(const struct matcher *p, const struct program_entry *e, const struct matcher_method *m)
{
	struct slice method = stored(p, e->method_at, e->method_length);

	if (e->method_length &&
	    !(e->flags & PROGRAM_GLOB ? glob_matches(GLOB_NAME, method, m->name) : slice_equal(method, m->name)))
		return false;
	return !e->types_length || !m->descriptor.length ||
	       types_fit(stored(p, e->types_at, e->types_length), m->descriptor);
}

static void matcher_take(struct findings *f, const struct program_entry *e)
{
	f->flags |= e->flags;
	if (e->flags & PROGRAM_TRACE && e->threshold_ns < f->threshold_ns)
		f->threshold_ns = e->threshold_ns;
	if (e->flags & PROGRAM_ROOT && e->threshold_ns < f->root_ns)
		f->root_ns = e->threshold_ns;
}

/*
 * Find the matching entries of a class. With a method: those that fit the method; without: those for the class as
 * a whole. `by_name` looks under the method's name, else under the class alone.
 */
static uint32_t matcher_find(const struct matcher *p, const struct program_header *h, char kind,
			     struct slice class_name, const struct matcher_method *m, bool by_name, struct findings *f)
{
	struct slice method = by_name ? m->name : NOTHING;
	uint32_t hash = program_hash_entry(kind, class_name.at, class_name.length, method.at, method.length);
	uint32_t limit = h->wild, number = bucket_read(p, h, hash), first = 0;
	struct program_entry e;

	while (number != 0 && number <= limit) {
		entry_read(p, h, number, &e);
		if (e.hash == hash && e.kind == (uint8_t)kind &&
		    !!e.method_length == (by_name || e.flags & PROGRAM_GLOB) &&
		    slice_equal(stored(p, e.class_at, e.class_length), class_name)) {
			first = number;
			if (m ? method_fits(p, &e, m) : !e.method_length)
				matcher_take(f, &e);
		}
		limit = number - 1;
		number = e.next;
	}
	return first;
}

static void find_both(const struct matcher *p, const struct program_header *h, char kind, struct slice class_name,
		      const struct matcher_method *m, struct findings *f)
{
	matcher_find(p, h, kind, class_name, m, false, f);
	matcher_find(p, h, kind, class_name, m, true, f);
}

/* A tag is the number of an entry for that type. */
static void find_tagged(const struct matcher *p, const struct program_header *h, const struct matcher_tags *tags,
			const struct matcher_method *m, struct findings *f)
{
	struct program_entry e;

	for (uint32_t i = 0; tags && i < tags->count && i < MATCHER_TAGS; i++) {
		if (tags->tag[i] == 0 || tags->tag[i] > h->wild)
			continue;
		entry_read(p, h, tags->tag[i], &e);
		find_both(p, h, (char)e.kind, stored(p, e.class_at, e.class_length), m, f);
	}
}

/* Find matching entries with a wildcard in the class name; without a method, all that fit the class. */
static void find_wild(const struct matcher *p, const struct program_header *h, struct slice class_name,
		      const struct matcher_method *m, struct findings *f)
{
	struct program_entry e;

	for (uint32_t number = h->wild + 1; number <= h->entries; number++) {
		entry_read(p, h, number, &e);
		if (e.class_length && !glob_matches(GLOB_NAME, stored(p, e.class_at, e.class_length), class_name))
			continue;
		if (m && method_fits(p, &e, m))
			matcher_take(f, &e);
		else if (!m)
			f->flags |= e.method_length ? e.flags & PROGRAM_SELECT ? PROGRAM_SOME : 0 : e.flags;
	}
}

static struct findings findings_of(const struct matcher *p, const struct program_header *h,
				   const struct matcher_method *m)
{
	struct findings f = {.threshold_ns = MATCHER_NO_THRESHOLD, .root_ns = MATCHER_NO_THRESHOLD};

	find_both(p, h, PROGRAM_NAME, m->class_name, m, &f);
	f.named = f.flags;
	matcher_find(p, h, PROGRAM_NAME, NOTHING, m, true, &f);
	find_tagged(p, h, m->of_class, m, &f);
	find_tagged(p, h, m->of_method, m, &f);
	find_wild(p, h, m->class_name, m, &f);
	return f;
}

/* The offset of the '$' before a last part of decimal or hexadecimal digits; 0 if there is none. */
static size_t cut_number(struct slice name, bool hex)
{
	size_t i = name.length;

	while (i && ((name.at[i - 1] >= '0' && name.at[i - 1] <= '9') ||
		     (hex && name.at[i - 1] >= 'a' && name.at[i - 1] <= 'f')))
		i--;
	return i && i < name.length && name.at[i - 1] == '$' ? i - 1 : 0;
}

/*
 * The method that contains a lambda body, or empty. javac names the body lambda$METHOD$NUMBER, with `new` for a
 * constructor and `static` for the initializer; the body of a serializable lambda is lambda$METHOD$HASH$NUMBER.
 */
static struct slice lambda_method(struct slice name, bool serializable)
{
	static const struct slice constructor = {"<init>", 6}, initializer = {"<clinit>", 8};

	if (!slice_begins(name, "lambda$"))
		return NOTHING;
	name = (struct slice){name.at + 7, name.length - 7};
	name.length = cut_number(name, false);
	if (serializable)
		name.length = cut_number(name, true);
	if (slice_is(name, "new"))
		return constructor;
	return slice_is(name, "static") ? initializer : name;
}

static bool flag(const struct matcher *p, uint32_t flags)
{
	struct program_header h;

	return header_read(p, &h) && (h.flags & flags);
}

bool matcher_valid(const struct matcher *p)
{
	struct program_header h;

	return header_read(p, &h);
}

bool matcher_any_class(const struct matcher *p)
{
	struct program_header h;

	return header_read(p, &h) &&
	       (h.wild < h.entries || h.flags & (PROGRAM_ANY_CLASS | PROGRAM_SUPERTYPE | PROGRAM_ANNOTATION));
}

bool matcher_has_supertypes(const struct matcher *p)
{
	return flag(p, PROGRAM_SUPERTYPE);
}

bool matcher_has_annotations(const struct matcher *p)
{
	return flag(p, PROGRAM_ANNOTATION);
}

bool matcher_takes_lambda(const struct matcher *p, struct slice name)
{
	return flag(p, PROGRAM_LAMBDA) && name.length > 7 && slice_begins(name, "lambda$");
}

enum matcher_answer matcher_class(const struct matcher *p, const char *name, size_t length)
{
	struct slice class_name = {name, length};
	struct findings f = {0};
	struct program_header h;

	if (length == 0 || !header_read(p, &h))
		return MATCHER_NO;
	matcher_find(p, &h, PROGRAM_NAME, class_name, NULL, false, &f);
	find_wild(p, &h, class_name, NULL, &f);
	if ((f.flags & PROGRAM_NO_TRACE) && (f.flags & PROGRAM_NO_TIMING))
		return MATCHER_NO;
	if (f.flags & (PROGRAM_SELECT | PROGRAM_SOME) || h.flags & PROGRAM_ANY_CLASS)
		return MATCHER_METHODS;
	return h.flags & (PROGRAM_SUPERTYPE | PROGRAM_ANNOTATION) ? MATCHER_TAGGED : MATCHER_NO;
}

static void tags_add(struct matcher_tags *tags, uint32_t tag)
{
	for (uint32_t i = 0; i < tags->count; i++)
		if (tags->tag[i] == tag)
			return;
	if (tag && tags->count < MATCHER_TAGS)
		tags->tag[tags->count++] = tag;
}

static void matcher_tag_type(const struct matcher *p, char kind, struct slice type, struct matcher_tags *tags)
{
	struct findings f = {0};
	struct program_header h;

	if (header_read(p, &h) && h.flags & (kind == PROGRAM_BELOW ? PROGRAM_SUPERTYPE : PROGRAM_ANNOTATION))
		tags_add(tags, matcher_find(p, &h, kind, type, NULL, false, &f));
}

void matcher_tag_supertype(const struct matcher *p, struct slice name, struct matcher_tags *tags)
{
	matcher_tag_type(p, PROGRAM_BELOW, name, tags);
}

void matcher_tag_annotation(const struct matcher *p, struct slice descriptor, struct matcher_tags *tags)
{
	matcher_tag_type(p, PROGRAM_BEARS, descriptor, tags);
}

void matcher_tag_again(const struct matcher *p, const struct matcher *other, const struct matcher_tags *of_other,
		       struct matcher_tags *tags)
{
	struct program_header h;
	struct program_entry e;

	if (!header_read(other, &h))
		return;
	for (uint32_t i = 0; i < of_other->count && i < MATCHER_TAGS; i++) {
		if (of_other->tag[i] == 0 || of_other->tag[i] > h.entries)
			continue;
		entry_read(other, &h, of_other->tag[i], &e);
		matcher_tag_type(p, (char)e.kind, stored(other, e.class_at, e.class_length), tags);
	}
}

bool matcher_one_threshold(const struct matcher *p, uint64_t *threshold_ns)
{
	struct program_header h;
	struct program_entry e;
	bool any = false;

	*threshold_ns = MATCHER_NO_THRESHOLD;
	if (!header_read(p, &h))
		return false;
	for (uint32_t number = 1; number <= h.entries; number++) {
		entry_read(p, &h, number, &e);
		if (!(e.flags & PROGRAM_TRACE))
			continue;
		if (any && e.threshold_ns != *threshold_ns)
			return false;
		any = true;
		*threshold_ns = e.threshold_ns;
	}
	return true;
}

bool matcher_may_tag(const struct matcher *p, struct slice method, struct slice descriptor)
{
	const struct matcher_method m = {.name = method, .descriptor = descriptor};
	struct program_header h;
	struct program_entry e;

	for (uint32_t number = 1; header_read(p, &h) && number <= h.entries; number++) {
		entry_read(p, &h, number, &e);
		if (e.kind != PROGRAM_NAME && e.flags & PROGRAM_TRACE && method_fits(p, &e, &m))
			return true;
	}
	return false;
}

struct matcher_decision matcher_decide(const struct matcher *p, const struct matcher_method *m)
{
	struct matcher_decision v = {.threshold_ns = MATCHER_NO_THRESHOLD, .root_ns = MATCHER_NO_THRESHOLD};
	struct matcher_method body = *m;
	struct findings f, g;
	struct program_header h;

	if (m->class_name.length == 0 || m->name.length == 0 || !header_read(p, &h))
		return v;
	f = findings_of(p, &h, m);
	for (int serializable = 0; serializable < 2 && m->synthetic && h.flags & PROGRAM_LAMBDA; serializable++) {
		body.name = lambda_method(m->name, serializable);
		body.descriptor = NOTHING; /* the body's own descriptor, which no filter means */
		if (!body.name.length)
			continue;
		g = findings_of(p, &h, &body);
		f.flags |= g.flags;
		f.threshold_ns = g.threshold_ns < f.threshold_ns ? g.threshold_ns : f.threshold_ns;
		f.root_ns = g.root_ns < f.root_ns ? g.root_ns : f.root_ns;
	}
	v.root = (f.flags & (PROGRAM_ROOT | PROGRAM_NO_TRACE)) == PROGRAM_ROOT;
	v.root_thrown = v.root && f.flags & PROGRAM_THROWN;
	v.until = (f.flags & (PROGRAM_UNTIL | PROGRAM_NO_TRACE)) == PROGRAM_UNTIL;
	v.trace = v.root || v.until || (f.flags & (PROGRAM_TRACE | PROGRAM_NO_TRACE)) == PROGRAM_TRACE;
	v.timing = (f.flags & (PROGRAM_TIMING | PROGRAM_NO_TIMING)) == PROGRAM_TIMING;
	v.named = (v.trace && f.named & PROGRAM_TRACE) || (v.timing && f.named & PROGRAM_TIMING);
	if (v.trace)
		v.threshold_ns = f.threshold_ns;
	if (v.root)
		v.root_ns = f.root_ns;
	return v;
}

bool matcher_selects(const struct matcher *p, struct slice class_name, struct slice method, struct slice descriptor)
{
	return matcher_decide(
		       p, &(struct matcher_method){.class_name = class_name, .name = method, .descriptor = descriptor})
		.trace;
}
