// SPDX-License-Identifier: BSD-2-Clause
/*
 * Filters with original names become filters with the program's names. The matcher itself says which classes and methods of
 * the mapping a filter selects.
 */
#include "filters/filter_list_internal.h"
#include "filters/grammar.h"
#include "filters/mapping_internal.h"
#include "filters/quote.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ANY_METHOD "m"

struct renaming {
	const struct mapping *m;
	struct filter_list *to;
	const struct filter *filter;	/* the present one, */
	struct grammar_filter parts;	/* of its text, and */
	struct matcher classes, names;	/* which classes, and which methods have the names that it wants */
	bool pattern;			/* its class is one, or it has none */
	const struct mapped_class *own; /* the class that it names; NULL: not one of the mapping */
	bool found;			/* something took its place */
	struct diag *d;
};

static int renaming_no_memory(struct diag *d)
{
	return diag_set(d, ENOMEM, "no memory for filters");
}

/* ---- what a filter selects */

/* Compile text[from, to) of the present filter, or '*' if that is empty. */
static int compile_part(struct renaming *r, size_t from, size_t to, struct matcher *out)
{
	struct filter_list *l = filter_list_new();
	char *text = from < to ? strndup(r->filter->text + from, to - from) : strdup("*");
	void *program = NULL;
	int err = l && text ? filter_list_add(l, text, FILTER_TRACE, r->d) : renaming_no_memory(r->d);

	err = err ?: filter_list_compile(l, &program, &out->size, r->d);
	out->program = program;
	filter_list_free(l);
	free(text);
	return err;
}

/* A name in the form of class files. */
static struct slice put_internal(struct bytes *out, struct slice name)
{
	bytes_clear(out);
	for (size_t i = 0; i < name.length; i++)
		bytes_put_u8(out, name.at[i] == '.' ? '/' : name.at[i]);
	return slice_of(bytes_text(out));
}

static bool selects(const struct matcher *p, struct slice class_name, struct slice method, struct slice descriptor)
{
	struct bytes internal;
	bool selected;

	bytes_init(&internal);
	selected = matcher_selects(p, put_internal(&internal, class_name), method, descriptor);
	bytes_release(&internal);
	return selected;
}

static bool selects_class(const struct renaming *r, struct slice name)
{
	return selects(&r->classes, name, slice_of(ANY_METHOD), (struct slice){.length = 0});
}

/* Is a member, with its original names or with the program's, what the filter selects? */
static bool selects_member(const struct renaming *r, const struct mapped_class *c, const struct mapped_member *member,
			   bool renamed)
{
	struct slice name = renamed ? member->renamed : member->name;
	struct slice original = member->class_name.length ? member->class_name : c->name;
	struct slice class_name = renamed ? c->renamed : original;
	struct bytes descriptor;
	bool selected;

	if (!selects(&r->names, class_name, name, (struct slice){.length = 0}))
		return false;
	bytes_init(&descriptor);
	mapped_put_descriptor(r->m, &descriptor, member, renamed);
	selected = selects(&r->names, class_name, name, slice_of(bytes_text(&descriptor)));
	bytes_release(&descriptor);
	return selected;
}

/* Is it a method of the program? */
static bool member_counts(const struct mapping *m, const struct mapped_class *c, size_t i)
{
	const struct mapped_member *member = &m->member[c->first + i];

	return member->method && !mapped_is_inlined(member, c->count - i);
}

/* ---- what takes its place */

/* Add a filter like the present one for what `target` names. NULL: there is no memory. */
static int renaming_add(struct renaming *r, const char *target)
{
	const struct filter *f = r->filter;
	struct bytes out;
	int err;

	bytes_init(&out);
	bytes_put(&out, "!", r->parts.exclude);
	bytes_put(&out, &f->prefix, !!f->prefix);
	bytes_printf(&out, "%s", target ?: "");
	if (r->parts.time_length)
		bytes_printf(&out, ":%.*s", (int)r->parts.time_length, f->text + r->parts.time_at);
	bytes_printf(&out, "%s", f->thrown ? ":thrown" : "");
	err = target && !out.failed ? filter_list_add(r->to, bytes_text(&out), f->kind, r->d)
				    : renaming_no_memory(r->d);
	bytes_release(&out);
	r->found = true;
	return err;
}

/* A text for names that end with a zero; empty after a failure. */
static const char *put_terminated(struct bytes *out, struct slice name)
{
	bytes_init(out);
	bytes_put(out, name.at, name.length);
	return bytes_text(out);
}

/* The class, with the methods that the filter itself names. */
static int renaming_add_class(struct renaming *r, const struct mapped_class *c)
{
	const struct grammar_filter *p = &r->parts;
	size_t from = p->method_length ? p->method_at - strlen("::") : 0;
	size_t to = p->types_length ? p->types_at + p->types_length : p->method_at + p->method_length;
	struct bytes name, target;
	char *quoted = quote_filter(put_terminated(&name, c->renamed), NULL, NULL);
	int err;

	bytes_init(&target);
	bytes_printf(&target, "%s", quoted ?: "");
	bytes_put(&target, r->filter->text + from, p->method_length ? to - from : 0);
	err = renaming_add(r, quoted ? bytes_text(&target) : NULL);
	bytes_release(&target);
	bytes_release(&name);
	free(quoted);
	return err;
}

/* A method, with all its types or without. */
static int renaming_add_method(struct renaming *r, const struct mapped_class *c, const struct mapped_member *member,
			       bool types)
{
	struct bytes class_name, name, descriptor;
	const char *method = put_terminated(&name, member->renamed);
	const char *of_class = put_terminated(&class_name, c->renamed);
	char *target;
	int err;

	bytes_init(&descriptor);
	mapped_put_descriptor(r->m, &descriptor, member, true);
	target = types ? quote_exact(of_class, method, bytes_text(&descriptor)) : quote_filter(of_class, method, NULL);
	err = renaming_add(r, target);
	bytes_release(&descriptor);
	bytes_release(&name);
	bytes_release(&class_name);
	free(target);
	return err;
}

/* Are all methods of the class with that new name selected? Then the types need not be told, which an optimizer may change. */
static bool selects_namesakes(const struct renaming *r, const struct mapped_class *c,
			      const struct mapped_member *member)
{
	size_t count;
	const struct mapped_member *namesake = mapping_members(r->m, c, member->renamed, &count);

	for (size_t i = 0; i < count; i++)
		if (namesake[i].method && !mapped_is_inlined(namesake + i, count - i) &&
		    !selects_member(r, c, namesake + i, false))
			return false;
	return true;
}

/* Would the filter's own name of a method select one in the class that it does not mean? */
static bool method_misleads(const struct renaming *r, const struct mapped_class *c)
{
	for (size_t i = 0; i < c->count; i++) {
		struct mapped_member other = r->m->member[c->first + i];

		if (!member_counts(r->m, c, i) || selects_member(r, c, &other, false))
			continue;
		other.name = other.renamed;
		if (selects_member(r, c, &other, false))
			return true;
	}
	return false;
}

static int rename_methods(struct renaming *r, const struct mapped_class *c)
{
	int err = 0;

	for (size_t i = 0; !err && i < c->count; i++) {
		const struct mapped_member *member = &r->m->member[c->first + i];

		/* a subclass may have other methods of that new name */
		if (member_counts(r->m, c, i) && selects_member(r, c, member, false))
			err = renaming_add_method(r, c, member, r->filter->prefix || !selects_namesakes(r, c, member));
	}
	return err;
}

static int rename_class(struct renaming *r, const struct mapped_class *c)
{
	bool fits = selects_class(r, c->name);
	int err;

	if (!fits && !c->foreign)
		return 0;
	if (!r->parts.method_length && (!c->foreign || r->filter->prefix))
		return fits ? renaming_add_class(r, c) : 0;
	err = rename_methods(r, c);
	/* R8 leaves out methods that it has not changed */
	if (!err && fits && r->parts.class_length && r->parts.method_length && !method_misleads(r, c))
		err = renaming_add_class(r, c);
	return err;
}

/* Would the filter as it is select something renamed that it does not mean? */
static bool pattern_misleads(const struct renaming *r)
{
	for (size_t n = 0; n < r->m->classes; n++) {
		const struct mapped_class *c = &r->m->class[n];

		if (!selects_class(r, c->renamed))
			continue;
		if (!r->parts.method_length && !selects_class(r, c->name))
			return true;
		for (size_t i = 0; r->parts.method_length && i < c->count; i++)
			if (member_counts(r->m, c, i) && selects_member(r, c, &r->m->member[c->first + i], true) &&
			    !selects_member(r, c, &r->m->member[c->first + i], false))
				return true;
	}
	return false;
}

/* Does the pattern for classes select all that it means, under their new names? */
static bool pattern_suffices(const struct renaming *r)
{
	if (r->parts.method_length || r->filter->prefix)
		return false;
	for (size_t n = 0; n < r->m->classes; n++) {
		const struct mapped_class *c = &r->m->class[n];

		if (c->foreign || (selects_class(r, c->name) && !selects_class(r, c->renamed)))
			return false;
	}
	return true;
}

static int rename_filter(struct renaming *r)
{
	const struct filter *f = r->filter;
	bool misleads = r->pattern && pattern_misleads(r), stays = r->pattern ? !misleads : !r->own;
	int err = 0;

	if (!r->pattern || misleads || !pattern_suffices(r))
		for (size_t i = 0; !err && i < r->m->classes; i++)
			if (r->pattern || r->own == &r->m->class[i] || r->m->class[i].foreign)
				err = rename_class(r, &r->m->class[i]);
	if (!err && stays) {
		err = filter_list_add(r->to, f->text, f->kind, r->d);
		r->found = true;
	}
	if (!err && !r->found)
		err = diag_usage(r->d, "wrong filter: the mapping has nothing that '%.200s' selects", f->text);
	return err;
}

static int rename_one(struct renaming *r, const struct filter *f)
{
	const size_t begin = strspn(f->text, "!"), end = strlen(f->text) - (f->thrown ? strlen(":thrown") : 0);
	struct fault fault;
	int err;

	r->filter = f;
	r->found = false;
	if (!grammar_parse(f->text, 0, end, &r->parts, &fault))
		return diag_usage(r->d, "wrong filter: %s", fault.what);
	r->pattern = !f->class_name || strchr(f->class_name, QUOTE_WILDCARD);
	r->own = r->pattern ? NULL : mapping_find(r->m, slice_of(f->class_name), false);
	err = compile_part(r, r->parts.class_at, r->parts.class_at + r->parts.class_length, &r->classes);
	err = err ?: compile_part(r, begin + !!f->prefix, r->parts.time_length ? r->parts.time_at - 1 : end, &r->names);
	err = err ?: rename_filter(r);
	free((void *)r->classes.program);
	free((void *)r->names.program);
	r->classes = r->names = (struct matcher){.size = 0};
	return err;
}

static int rename_set(struct renaming *r, const struct filter_set *s)
{
	int err = 0;

	for (size_t i = 0; !err && i < s->count; i++)
		err = rename_one(r, &s->filters[i]);
	return err;
}

int mapping_rename_filters(const struct mapping *m, struct filter_list *l, struct diag *d)
{
	struct renaming r = {.m = m, .to = filter_list_new(), .d = d};
	struct filter_list old = *l;
	int err = r.to ? rename_set(&r, &l->select) : renaming_no_memory(d);

	err = err ?: rename_set(&r, &l->exclude);
	if (!err) {
		l->select = r.to->select;
		l->exclude = r.to->exclude;
		r.to->select = old.select;
		r.to->exclude = old.exclude;
	}
	filter_list_free(r.to);
	return err;
}
