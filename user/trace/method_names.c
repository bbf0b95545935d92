// SPDX-License-Identifier: BSD-2-Clause
#include "user/trace/method_names.h"
#include "format/vec.h"
#include "user/text/name_fit.h"
#include "user/trace/jfr_names.h"

#include <stdio.h>
#include <stdlib.h>

void method_names_release(struct method_names *n)
{
	for (size_t i = 0; i < n->count; i++) {
		free(n->method[i].text);
		free(n->method[i].exact);
		free(n->method[i].loader);
		free(n->method[i].unique);
	}
	free(n->method);
	aggregate_release(&n->keys);
	aggregate_release(&n->known);
	*n = (struct method_names){0};
}

static char *method_names_taken(struct bytes *text)
{
	bytes_put_u8(text, 0);
	if (text->failed)
		bytes_release(text);
	return (char *)text->data;
}

/* "a.b.C.m(ILjava/lang/String;)V" */
static char *exact_name(struct jfr_chunk *chunk, const struct jfr_value *method, const struct jfr_value *class)
{
	struct jfr_value name = jfr_field(chunk, class, "name");
	struct bytes text;

	bytes_init(&text);
	put_value_text(&text, &name);
	bytes_put_u8(&text, '.');
	name = jfr_field(chunk, method, "name");
	put_value_text(&text, &name);
	name = jfr_field(chunk, method, "descriptor");
	put_value_text(&text, &name);
	return method_names_taken(&text);
}

static char *readable_name(struct jfr_chunk *chunk, const struct jfr_value *method)
{
	struct bytes text;

	bytes_init(&text);
	put_method(&text, chunk, method);
	return method_names_taken(&text);
}

/* The unresolved value of a struct's field. */
static struct jfr_value method_names_raw(struct jfr_chunk *chunk, const struct jfr_value *v, const char *name)
{
	struct jfr_value field = {.kind = VALUE_NULL};
	int n = v->kind == VALUE_STRUCT ? meta_type_field(v->type, name) : -1;
	struct cursor c;

	if (n < 0)
		return field;
	c = jfr_enter(chunk, v);
	for (int i = 0; i <= n; i++)
		jfr_take(&c, &v->type->fields[i], &field);
	return field;
}

/*
 * The name of the class's loader, and *identity: loaders with a name are the same if the names are, others if the
 * recording has given them the same key.
 */
static char *loader_of(struct jfr_chunk *chunk, const struct jfr_value *class, uint64_t *identity)
{
	struct jfr_value raw = method_names_raw(chunk, class, "classLoader"), loader = raw, name, type;
	struct bytes text;

	bytes_init(&text);
	jfr_resolve(chunk, &loader);
	name = jfr_field(chunk, &loader, "name");
	type = jfr_field(chunk, &loader, "type");
	if (name.kind == VALUE_TEXT) {
		put_value_text(&text, &name);
	} else if (type.kind == VALUE_STRUCT) {
		name = jfr_field(chunk, &type, "name");
		put_value_text(&text, &name);
		for (size_t i = 0; i < text.size; i++)
			text.data[i] = text.data[i] == '/' ? '.' : text.data[i];
		*identity = raw.kind == VALUE_KEY && !chunk->mixed ? raw.key : 0;
	} else {
		put_value_text(&text, &(struct jfr_value){.kind = VALUE_NULL});
	}
	if (!text.failed)
		*identity = hash_mix(*identity, hash_data(text.data, text.size));
	return method_names_taken(&text);
}

static bool add_method(struct method_names *n, struct method_name *m)
{
	if (vec_reserve(&n->method, &n->capacity, n->count + 1))
		return false;
	n->method[n->count++] = *m;
	return true;
}

/* The number of a method that the cache does not have. 0: no memory. */
static uint32_t identify(struct method_names *n, struct jfr_chunk *chunk, struct jfr_value method)
{
	struct jfr_value class;
	struct method_name m = {0};
	uint64_t loader = 0;
	struct group *g = NULL;

	jfr_resolve(chunk, &method);
	class = jfr_field(chunk, &method, "type");
	m.exact = method.kind == VALUE_STRUCT ? exact_name(chunk, &method, &class) : strdup("N/A");
	m.text = method.kind == VALUE_STRUCT ? readable_name(chunk, &method) : strdup("N/A");
	m.loader = loader_of(chunk, &class, &loader);
	if (m.text && m.exact && m.loader)
		g = aggregate_of(&n->known, hash_data(m.exact, strlen(m.exact)), loader);
	if (g && !g->count && add_method(n, &m)) {
		g->count = 1;
		g->mark = n->count;
		return g->mark;
	}
	free(m.text);
	free(m.exact);
	free(m.loader);
	return g && g->count ? g->mark : 0;
}

uint32_t method_names_number(struct method_names *n, struct jfr_chunk *chunk, const struct jfr_value *method)
{
	struct group *g = aggregate_of_key(&n->keys, method->kind == VALUE_KEY ? method->key : 0, chunk->number);

	if (!g)
		return 0;
	if (!g->count) {
		g->mark = identify(n, chunk, *method);
		g->count = g->mark != 0;
	}
	return g->mark;
}

/* By name; of equal ones by descriptor, by loader, and then in order of first appearance. */
static int compare_names(const void *a, const void *b)
{
	const struct method_name *x = *(struct method_name *const *)a, *y = *(struct method_name *const *)b;
	int order = strcmp(x->text, y->text);

	if (!order)
		order = strcmp(x->exact, y->exact);
	if (!order)
		order = strcmp(x->loader, y->loader);
	return order ? order : (x > y) - (x < y);
}

/* `number`: of a loader among those with its name; 0: it is the only one. `loaders`: all with the same method. */
static char *unique_text(const struct method_name *m, bool descriptor, size_t loaders, size_t number)
{
	char *text = NULL, end[24] = "", loader[512] = "";

	if (number)
		snprintf(end, sizeof(end), " #%zu", number);
	if (loaders > 1)
		snprintf(loader, sizeof(loader), " (loader %.400s%s)", m->loader, end);
	return asprintf(&text, "%s%s%s", m->text, descriptor ? strchr(m->exact, '(') ?: "" : "", loader) < 0 ? NULL
													     : text;
}

/* The number of entries from `begin` on that are equal to it, in the descriptor and, with `loader`, in the loader. */
static size_t equal_from(struct method_name *const *sorted, size_t begin, size_t end, bool loader)
{
	size_t i = begin + 1;

	while (i < end && strcmp(sorted[i]->exact, sorted[begin]->exact) == 0 &&
	       (!loader || strcmp(sorted[i]->loader, sorted[begin]->loader) == 0))
		i++;
	return i - begin;
}

/*
 * Distinguish `count` methods with equal names: by the descriptor if types of one name from two packages are alike; by
 * the loader; by a number if another loader has the same name. False: no memory.
 */
static bool settle_alike(struct method_name **alike, size_t count)
{
	size_t loaders, twins;

	for (size_t i = 0; count > 1 && i < count; i += loaders) {
		loaders = equal_from(alike, i, count, false);
		for (size_t k = i; k < i + loaders; k += twins) {
			twins = equal_from(alike, k, i + loaders, true);
			for (size_t n = 0; n < twins; n++) {
				alike[k + n]->unique =
					unique_text(alike[k + n], loaders < count, loaders, twins > 1 ? n + 1 : 0);
				if (!alike[k + n]->unique)
					return false;
			}
		}
	}
	return true;
}

bool method_names_settle(struct method_names *n)
{
	struct method_name **sorted = calloc(n->count + 1, sizeof(*sorted));
	bool good = sorted != NULL;
	size_t end;

	for (size_t i = 0; good && i < n->count; i++)
		sorted[i] = &n->method[i];
	if (good)
		qsort(sorted, n->count, sizeof(*sorted), compare_names);
	for (size_t i = 0; good && i < n->count; i = end) {
		for (end = i + 1; end < n->count && strcmp(sorted[i]->text, sorted[end]->text) == 0;)
			end++;
		good = settle_alike(sorted + i, end - i);
		if (end < n->count && name_is_overload(sorted[i]->text, sorted[end]->text))
			sorted[i]->overloaded = sorted[end]->overloaded = true;
		for (size_t k = i + 1; k < end; k++)
			sorted[k]->overloaded = sorted[i]->overloaded;
	}
	free(sorted);
	return good;
}

const char *method_names_text(const struct method_names *n, uint32_t number)
{
	const struct method_name *m = &n->method[number - 1];

	return m->unique ?: m->text;
}

bool method_names_overloaded(const struct method_names *n, uint32_t number)
{
	return n->method[number - 1].overloaded;
}
