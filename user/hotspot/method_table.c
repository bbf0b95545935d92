// SPDX-License-Identifier: BSD-2-Clause
#include "user/hotspot/method_table.h"
#include "format/vec.h"

#include <stdlib.h>
#include <string.h>

struct method_text {
	size_t length;
	char bytes[];
};

struct method_text_key {
	const struct method_table *table;
	const char *text;
	size_t length;
};

struct method_key {
	const struct method_table *table;
	const struct resolved_method *method;
};

void method_table_release(struct method_table *t)
{
	for (uint32_t i = 0; i < t->texts; i++)
		free(t->text[i]);
	for (uint32_t i = 0; i < t->methods; i++)
		free(t->method[i]);
	free(t->text);
	free(t->method);
	hash_release(&t->by_text);
	hash_release(&t->by_method);
	*t = (struct method_table){0};
}

static bool method_table_text_is(const void *context, uint32_t row)
{
	const struct method_text_key *k = context;
	const struct method_text *t = k->table->text[row - 1];

	return t->length == k->length && !memcmp(t->bytes, k->text, k->length);
}

const char *method_table_text(struct method_table *t, const char *text, size_t length)
{
	struct method_text_key key = {t, text, length};
	uint64_t hash = hash_data(text, length);
	struct method_text *own;
	uint32_t row;

	row = hash_find(&t->by_text, hash, method_table_text_is, &key);
	if (row)
		return t->text[row - 1]->bytes;
	if (t->bytes + length > METHOD_TABLE_TEXT || vec_reserve(&t->text, &t->text_capacity, (size_t)t->texts + 1))
		return NULL;
	own = malloc(sizeof(*own) + length + 1);
	if (!own || hash_add(&t->by_text, hash, t->texts + 1)) {
		free(own);
		return NULL;
	}
	own->length = length;
	memcpy(own->bytes, text, length);
	own->bytes[length] = 0;
	t->text[t->texts++] = own;
	t->bytes += length;
	return own->bytes;
}

/* Texts are interned, so equal texts have equal addresses. */
bool resolved_module_is(const struct resolved_module *a, const struct resolved_module *b)
{
	return a->known == b->known && a->exported == b->exported && a->name == b->name && a->version == b->version &&
	       a->location == b->location;
}

static bool method_is(const void *context, uint32_t row)
{
	const struct method_key *k = context;
	const struct resolved_method *a = k->table->method[row - 1], *b = k->method;

	return a->class_name == b->class_name && a->name == b->name && a->descriptor == b->descriptor &&
	       a->loader == b->loader && a->loader_type == b->loader_type && a->loader_name == b->loader_name &&
	       a->modifiers == b->modifiers && a->class_modifiers == b->class_modifiers && a->hidden == b->hidden &&
	       a->class_hidden == b->class_hidden && resolved_module_is(&a->module, &b->module);
}

const struct resolved_method *method_table_add(struct method_table *t, const struct resolved_method *m)
{
	struct method_key key = {t, m};
	uint64_t hash = hash_mix(hash_mix((uintptr_t)m->class_name, (uintptr_t)m->name),
				 hash_mix((uintptr_t)m->descriptor, m->loader));
	uint32_t row = hash_find(&t->by_method, hash, method_is, &key);
	struct resolved_method *own;

	if (row)
		return t->method[row - 1];
	if (t->methods >= METHOD_TABLE_ROWS || vec_reserve(&t->method, &t->method_capacity, (size_t)t->methods + 1))
		return NULL;
	own = malloc(sizeof(*own));
	if (!own || hash_add(&t->by_method, hash, t->methods + 1)) {
		free(own);
		return NULL;
	}
	*own = *m;
	own->number = t->methods + 1;
	t->method[t->methods++] = own;
	return own;
}
