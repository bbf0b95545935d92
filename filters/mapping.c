// SPDX-License-Identifier: BSD-2-Clause
#include "filters/mapping_internal.h"
#include "format/vec.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ARROW "->"

static int mapping_no_memory(struct diag *d)
{
	return diag_set(d, ENOMEM, "no memory for the mapping");
}

void mapping_free(struct mapping *m)
{
	if (!m)
		return;
	hash_release(&m->by_name);
	hash_release(&m->by_renamed);
	free(m->class);
	free(m->member);
	free(m->text);
	free(m);
}

/* ---- classes by their names */

static char name_letter(char c)
{
	return c == '/' ? '.' : c;
}

static uint64_t hash_name(struct slice name)
{
	uint64_t hash = hash_seed();

	for (size_t i = 0; i < name.length; i++)
		hash = hash_mix(hash, name_letter(name.at[i]));
	return hash;
}

static bool names_equal(struct slice a, struct slice b)
{
	if (a.length != b.length)
		return false;
	for (size_t i = 0; i < a.length; i++)
		if (name_letter(a.at[i]) != name_letter(b.at[i]))
			return false;
	return true;
}

struct class_key {
	const struct mapping *m;
	struct slice name;
};

static bool has_name(const void *context, uint32_t row)
{
	const struct class_key *key = context;

	return names_equal(key->m->class[row - 1].name, key->name);
}

static bool has_new_name(const void *context, uint32_t row)
{
	const struct class_key *key = context;

	return names_equal(key->m->class[row - 1].renamed, key->name);
}

const struct mapped_class *mapping_find(const struct mapping *m, struct slice name, bool renamed)
{
	const struct class_key key = {m, name};
	uint32_t row = hash_find(renamed ? &m->by_renamed : &m->by_name, hash_name(name),
				 renamed ? has_new_name : has_name, &key);

	return row ? &m->class[row - 1] : NULL;
}

/* ---- the parts of a line */

static bool mapping_is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static struct slice mapping_trim(struct slice s)
{
	while (s.length && mapping_is_blank(s.at[0]))
		s.at++, s.length--;
	while (s.length && (mapping_is_blank(s.at[s.length - 1]) || s.at[s.length - 1] == '\r'))
		s.length--;
	return s;
}

/* A word without blanks and control characters. */
static bool mapping_is_name(struct slice s)
{
	for (size_t i = 0; i < s.length; i++)
		if ((unsigned char)s.at[i] <= ' ')
			return false;
	return s.length;
}

/* Take the text before `end` off *s, with it. False: there is no such character, and *s stays. */
static bool mapping_take_until(struct slice *s, char end, struct slice *out)
{
	const char *at = memchr(s->at, end, s->length);

	if (!at)
		return false;
	*out = (struct slice){s->at, at - s->at};
	s->length -= out->length + 1;
	s->at = at + 1;
	return true;
}

static bool mapping_read_number(struct slice s, uint32_t *number)
{
	*number = 0;
	if (!s.length || s.length > 9)
		return false;
	for (size_t i = 0; i < s.length; i++) {
		if (s.at[i] < '0' || s.at[i] > '9')
			return false;
		*number = *number * 10 + (s.at[i] - '0');
	}
	return true;
}

/* Split at the last arrow. */
static bool split_arrow(struct slice line, struct slice *name, struct slice *renamed)
{
	const size_t arrow = strlen(ARROW);

	for (size_t i = line.length; i > arrow; i--) {
		if (memcmp(line.at + i - arrow, ARROW, arrow) != 0)
			continue;
		*name = mapping_trim((struct slice){line.at, i - arrow});
		*renamed = mapping_trim((struct slice){line.at + i, line.length - i});
		return true;
	}
	return false;
}

/* "1:4:" before the type. A member without lines has none. */
static bool take_range(struct slice *s, struct mapped_member *member)
{
	struct slice from, to;

	if (!s->length || s->at[0] < '0' || s->at[0] > '9')
		return true;
	member->ranged = true;
	return mapping_take_until(s, ':', &from) && mapping_take_until(s, ':', &to) &&
	       mapping_read_number(from, &member->from) && mapping_read_number(to, &member->to) &&
	       member->from <= member->to;
}

/* ":20:23", or ":20" of one line, behind the parentheses. */
static bool mapping_read_lines(struct slice s, struct mapped_member *member)
{
	struct slice line;

	if (!s.length)
		return true;
	if (s.at[0] != ':')
		return false;
	s.at++, s.length--;
	member->lined = true;
	if (!mapping_take_until(&s, ':', &line))
		return mapping_read_number(s, &member->line) && mapping_read_number(s, &member->last);
	return mapping_read_number(line, &member->line) && mapping_read_number(s, &member->last);
}

/* "int,java.lang.String[]" */
static bool mapping_are_types(struct slice types)
{
	struct slice type;

	if (!types.length)
		return true;
	while (mapping_take_until(&types, ',', &type))
		if (!mapping_is_name(type))
			return false;
	return mapping_is_name(types);
}

/* "com.acme.Cart.add": of a method that another class had. */
static void split_class(struct mapped_member *member)
{
	for (size_t i = member->name.length; i > 1; i--) {
		if (member->name.at[i - 1] != '.')
			continue;
		member->class_name = (struct slice){member->name.at, i - 1};
		member->name.at += i;
		member->name.length -= i;
		return;
	}
}

static bool mapping_read_member(struct slice line, struct mapped_member *member)
{
	struct slice rest, before;

	*member = (struct mapped_member){.order = 0};
	if (!split_arrow(line, &rest, &member->renamed) || !mapping_is_name(member->renamed) ||
	    !take_range(&rest, member) || !mapping_take_until(&rest, ' ', &member->type) ||
	    !mapping_is_name(member->type))
		return false;
	member->method = mapping_take_until(&rest, '(', &before);
	member->name = member->method ? before : rest;
	if (member->method && (!mapping_take_until(&rest, ')', &member->types) || !mapping_are_types(member->types) ||
			       !mapping_read_lines(rest, member)))
		return false;
	split_class(member);
	return mapping_is_name(member->name);
}

/* ---- the file */

struct mapping_reader {
	struct mapping *m;
	const char *name;
	unsigned int number; /* of the line */
	struct diag *d;
};

static int mapping_wrong_line(const struct mapping_reader *r, const char *what)
{
	return diag_usage(r->d, "wrong mapping in %.200s, line %u: %s", r->name, r->number, what);
}

static int slice_order(struct slice a, struct slice b)
{
	size_t common = a.length < b.length ? a.length : b.length;
	int order = common ? memcmp(a.at, b.at, common) : 0;

	return order ?: (a.length > b.length) - (a.length < b.length);
}

static int member_order(const void *a, const void *b)
{
	const struct mapped_member *x = a, *y = b;

	return slice_order(x->renamed, y->renamed) ?: (x->order > y->order) - (x->order < y->order);
}

/* The members of the last class are complete. */
static void mapping_end_class(struct mapping *m)
{
	struct mapped_class *c = m->classes ? &m->class[m->classes - 1] : NULL;

	if (!c || !c->count)
		return;
	qsort(m->member + c->first, c->count, sizeof(*m->member), member_order);
	for (size_t i = 0; i < c->count; i++) {
		const struct mapped_member *member = &m->member[c->first + i];

		c->foreign |= member->class_name.length && !names_equal(member->class_name, c->name) &&
			      !mapped_is_inlined(member, c->count - i);
	}
}

static int mapping_add_class(struct mapping_reader *r, struct slice line)
{
	struct mapping *m = r->m;
	struct mapped_class class = {.first = m->members};
	bool known;

	if (!line.length || line.at[line.length - 1] != ':')
		return mapping_wrong_line(r, "it is no class, as in 'com.acme.Cart -> a.b:'");
	line.length--;
	if (!split_arrow(line, &class.name, &class.renamed) || !mapping_is_name(class.name) ||
	    !mapping_is_name(class.renamed))
		return mapping_wrong_line(r, "it is no class, as in 'com.acme.Cart -> a.b:'");
	if (mapping_find(m, class.renamed, true))
		return mapping_wrong_line(r, "an earlier line has a class of that new name");
	mapping_end_class(m);
	known = mapping_find(m, class.name, false);
	if (vec_reserve(&m->class, &m->class_capacity, m->classes + 1))
		return mapping_no_memory(r->d);
	m->class[m->classes++] = class;
	if ((!known && hash_add(&m->by_name, hash_name(class.name), m->classes)) ||
	    hash_add(&m->by_renamed, hash_name(class.renamed), m->classes))
		return mapping_no_memory(r->d);
	return 0;
}

static int mapping_add_member(struct mapping_reader *r, struct slice line)
{
	struct mapping *m = r->m;
	struct mapped_class *c = m->classes ? &m->class[m->classes - 1] : NULL;
	struct mapped_member member;

	if (!c)
		return mapping_wrong_line(r, "a member stands before the first class");
	if (!mapping_read_member(line, &member))
		return mapping_wrong_line(r, "it is no member, as in '    1:4:void add(int):20:23 -> a'");
	if (vec_reserve(&m->member, &m->member_capacity, m->members + 1))
		return mapping_no_memory(r->d);
	member.order = c->count++;
	m->member[m->members++] = member;
	return 0;
}

/* R8: # {"id":"com.android.tools.r8.residualsignature","signature":"()V"} about the member of the line before. */
static void read_comment(struct mapping *m, struct slice line)
{
	static const char key[] = "\"signature\":\"";
	const struct mapped_class *c = m->classes ? &m->class[m->classes - 1] : NULL;
	const char *at;

	if (!c || !c->count || !slice_contains(line, "\"com.android.tools.r8.residualsignature\""))
		return;
	at = memmem(line.at, line.length, key, strlen(key));
	if (!at)
		return;
	line.length -= at + strlen(key) - line.at;
	line.at = at + strlen(key);
	mapping_take_until(&line, '"', &m->member[m->members - 1].descriptor);
}

static int mapping_add_line(struct mapping_reader *r, struct slice line)
{
	bool indented = line.length && mapping_is_blank(line.at[0]);

	line = mapping_trim(line);
	if (!line.length)
		return 0;
	if (line.at[0] != '#')
		return indented ? mapping_add_member(r, line) : mapping_add_class(r, line);
	read_comment(r->m, line);
	return 0;
}

static int mapping_read_all(struct mapping_reader *r, size_t size)
{
	struct slice rest = {r->m->text, size}, line;
	int err = 0;

	while (!err && rest.length) {
		r->number++;
		if (!mapping_take_until(&rest, '\n', &line)) {
			line = rest;
			rest.length = 0;
		}
		err = mapping_add_line(r, line);
	}
	if (!err && !r->m->classes)
		err = diag_usage(r->d, "wrong mapping: no class in %.200s", r->name);
	mapping_end_class(r->m);
	return err;
}

int mapping_parse(struct mapping **out, const char *name, const char *text, size_t size, struct diag *d)
{
	struct mapping *m = calloc(1, sizeof(*m));
	int err;

	*out = NULL;
	if (m)
		m->text = malloc(size + 1);
	if (!m || !m->text) {
		mapping_free(m);
		return mapping_no_memory(d);
	}
	memcpy(m->text, text, size);
	m->text[size] = 0;
	err = mapping_read_all(&(struct mapping_reader){.m = m, .name = name, .d = d}, size);
	if (err)
		mapping_free(m);
	else
		*out = m;
	return err;
}
