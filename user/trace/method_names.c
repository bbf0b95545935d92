// SPDX-License-Identifier: BSD-2-Clause
#include "user/trace/method_names.h"
#include "user/text/memory.h"
#include "user/text/name_fit.h"
#include "user/trace/jfr_names.h"

#include <stdlib.h>

void method_names_release(struct method_names *n)
{
	for (size_t i = 0; i < n->count; i++)
		free(n->method[i].unique);
	free(n->method);
	texts_release(&n->texts);
	chunk_map_release(&n->keys);
	map_release(&n->loaders);
	map_release(&n->known);
	map_release(&n->valued);
	*n = (struct method_names){0};
}

static uint32_t method_names_add_text(struct method_names *n, struct bytes *text)
{
	uint32_t number = texts_number(&n->texts, memory_text(text));

	bytes_release(text);
	return number;
}

/* "a.b.C.m(ILjava/lang/String;)V" */
static uint32_t exact_name(struct method_names *n, struct jfr_chunk *chunk, const struct jfr_value *method)
{
	struct method_parts parts;
	struct bytes text;

	bytes_init(&text);
	method_parts_take(&parts, chunk, method, -1);
	put_shown_name(&text, bytes_text(&parts.class_name));
	bytes_put_u8(&text, '.');
	put_shown_name(&text, bytes_text(&parts.name));
	put_shown_name(&text, bytes_text(&parts.descriptor));
	method_parts_release(&parts);
	return method_names_add_text(n, &text);
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
static uint32_t loader_of(struct method_names *n, struct jfr_chunk *chunk, const struct jfr_value *class,
			  uint32_t *identity)
{
	struct jfr_value raw = method_names_raw(chunk, class, "classLoader"), loader = raw, name, type;
	uint32_t text, *known;
	uint64_t key = 0;
	struct bytes put;

	bytes_init(&put);
	jfr_resolve(chunk, &loader);
	name = jfr_field(chunk, &loader, "name");
	type = jfr_field(chunk, &loader, "type");
	if (name.kind == VALUE_TEXT) {
		put_value_text(&put, &name);
	} else if (type.kind == VALUE_STRUCT) {
		name = jfr_field(chunk, &type, "name");
		put_value_text(&put, &name);
		for (size_t i = 0; i < put.size; i++)
			put.data[i] = put.data[i] == '/' ? '.' : put.data[i];
		key = raw.kind == VALUE_KEY && !chunk->mixed ? raw.key : 0;
	} else {
		put_value_text(&put, &(struct jfr_value){.kind = VALUE_NULL});
	}
	text = method_names_add_text(n, &put);
	known = memory_map_at(&n->loaders, text, key);
	if (!*known)
		*known = n->loaders.count;
	*identity = *known;
	return text;
}

/* The number of a method that the cache does not have. */
static uint32_t identify(struct method_names *n, struct jfr_chunk *chunk, struct jfr_value method)
{
	struct method_name m = {0};
	struct jfr_value class;
	uint32_t loader, *known;
	struct bytes text;

	jfr_resolve(chunk, &method);
	class = jfr_field(chunk, &method, "type");
	bytes_init(&text);
	put_method_or_none(&text, chunk, method);
	m.text = method_names_add_text(n, &text);
	m.exact = method.kind == VALUE_STRUCT ? exact_name(n, chunk, &method) : m.text;
	m.loader = loader_of(n, chunk, &class, &loader);
	known = memory_map_at(&n->known, m.exact, n->any_loader ? 0 : loader);
	if (!*known) {
		memory_reserve(&n->method, &n->capacity, n->count + 1);
		n->method[n->count++] = m;
		*known = n->count;
	}
	return *known;
}

uint32_t method_names_number(struct method_names *n, struct jfr_chunk *chunk, const struct jfr_value *method)
{
	uint32_t *number = chunk_map_at(&n->keys, chunk, method, 0);

	if (!*number)
		*number = identify(n, chunk, *method);
	return *number;
}

uint32_t method_names_valued(struct method_names *n, uint32_t number, const char *value)
{
	uint32_t text = texts_number(&n->texts, value), *known = memory_map_at(&n->valued, number, text);

	if (!*known) {
		memory_reserve(&n->method, &n->capacity, n->count + 1);
		n->method[n->count] = n->method[number - 1];
		n->method[n->count].plain = number;
		n->method[n->count++].value = text;
		*known = n->count;
	}
	return *known;
}

const char *method_names_value(const struct method_names *n, uint32_t number)
{
	const struct method_name *m = &n->method[number - 1];

	return m->plain ? n->texts.text[m->value] : NULL;
}

/* By name; of equal ones by descriptor, by loader, and then in order of first appearance. */
static int method_names_compare(const void *a, const void *b, void *context)
{
	const struct method_name *x = *(struct method_name *const *)a, *y = *(struct method_name *const *)b;
	char *const *text = ((const struct method_names *)context)->texts.text;
	int order = strcmp(text[x->text], text[y->text]);

	order = order ?: strcmp(text[x->exact], text[y->exact]);
	order = order ?: strcmp(text[x->loader], text[y->loader]);
	return order ?: (x > y) - (x < y);
}

/* `number`: of a loader among those with its name; 0: it is the only one. `loaders`: all with the same method. */
static char *unique_text(const struct method_names *n, const struct method_name *m, bool descriptor, size_t loaders,
			 size_t number)
{
	char *const *text = n->texts.text;
	struct bytes out;

	bytes_init(&out);
	bytes_printf(&out, "%s%s", text[m->text], descriptor ? strchr(text[m->exact], '(') ?: "" : "");
	if (loaders > 1)
		bytes_printf(&out, " (loader %s", text[m->loader]);
	if (loaders > 1 && number)
		bytes_printf(&out, " #%zu", number);
	bytes_printf(&out, "%s", loaders > 1 ? ")" : "");
	return memory_need(bytes_steal_text(&out));
}

/* The number of entries from `begin` on that are equal to it, in the descriptor and, with `loader`, in the loader. */
static size_t equal_from(struct method_name *const *sorted, size_t begin, size_t end, bool loader)
{
	size_t i = begin + 1;

	while (i < end && sorted[i]->exact == sorted[begin]->exact &&
	       (!loader || sorted[i]->loader == sorted[begin]->loader))
		i++;
	return i - begin;
}

/*
 * Distinguish `count` methods with equal names: by the descriptor if types of one name from two packages are alike; by
 * the loader; by a number if another loader has the same name.
 */
static void settle_alike(const struct method_names *n, struct method_name **alike, size_t count)
{
	size_t loaders, twins;

	for (size_t i = 0; count > 1 && i < count; i += loaders) {
		loaders = equal_from(alike, i, count, false);
		for (size_t k = i; k < i + loaders; k += twins) {
			twins = equal_from(alike, k, i + loaders, true);
			for (size_t t = 0; t < twins; t++)
				alike[k + t]->unique =
					unique_text(n, alike[k + t], loaders < count, loaders, twins > 1 ? t + 1 : 0);
		}
	}
}

void method_names_settle(struct method_names *n)
{
	struct method_name **sorted = memory_need(calloc(n->count + 1, sizeof(*sorted)));
	char *const *text = n->texts.text;
	size_t end, count = 0;

	for (size_t i = 0; i < n->count; i++)
		if (!n->method[i].plain)
			sorted[count++] = &n->method[i];
	qsort_r(sorted, count, sizeof(*sorted), method_names_compare, n);
	for (size_t i = 0; i < count; i = end) {
		for (end = i + 1; end < count && sorted[i]->text == sorted[end]->text;)
			end++;
		settle_alike(n, sorted + i, end - i);
		if (end < count && name_is_overload(text[sorted[i]->text], text[sorted[end]->text]))
			sorted[i]->overloaded = sorted[end]->overloaded = true;
		for (size_t k = i + 1; k < end; k++)
			sorted[k]->overloaded = sorted[i]->overloaded;
	}
	free(sorted);
}

/* The method itself of one with a value. */
static const struct method_name *method_names_plain(const struct method_names *n, uint32_t number)
{
	uint32_t plain = n->method[number - 1].plain;

	return &n->method[(plain ?: number) - 1];
}

const char *method_names_text(const struct method_names *n, uint32_t number)
{
	const struct method_name *m = method_names_plain(n, number);

	return m->unique ?: n->texts.text[m->text];
}

bool method_names_overloaded(const struct method_names *n, uint32_t number)
{
	return method_names_plain(n, number)->overloaded;
}
