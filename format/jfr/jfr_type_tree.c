// SPDX-License-Identifier: BSD-2-Clause
#include "format/jfr/jfr_type_tree.h"

#include <errno.h>
#include <stdlib.h>

#define MAX_DEPTH 16 /* real ones have 5: root, metadata, class, field, annotation */

enum { ELEMENTS, ATTRIBUTES, TEXT, STARTS };

static void read_string(struct jfr_tree *t, struct cursor *c)
{
	struct cursor_text text = cursor_text(c);
	size_t start = t->memory[TEXT].size;

	bytes_put(&t->memory[STARTS], &start, sizeof(start));
	bytes_put_decoded(&t->memory[TEXT], &text);
	bytes_put_u8(&t->memory[TEXT], 0);
}

static void read_strings(struct jfr_tree *t, struct cursor *c)
{
	size_t at = c->at;
	uint64_t count = cursor_leb(c);

	if (count > c->size - c->at)
		cursor_fail(c, at, "more strings than bytes");
	while (count-- && cursor_ok(c))
		read_string(t, c);
}

/* Read a name or value: the index of a string. */
static const char *type_tree_read_name(struct jfr_tree *t, struct cursor *c)
{
	size_t at = c->at;
	uint64_t index = cursor_leb(c);

	if (index >= t->memory[STARTS].size / sizeof(size_t))
		cursor_fail(c, at, "no such string");
	if (!cursor_ok(c) || t->memory[TEXT].failed || t->memory[STARTS].failed)
		return "";
	return (char *)t->memory[TEXT].data + ((size_t *)t->memory[STARTS].data)[index];
}

static void read_attribute(struct jfr_tree *t, struct cursor *c)
{
	struct jfr_attribute a;

	a.name = type_tree_read_name(t, c);
	a.value = type_tree_read_name(t, c);
	bytes_put(&t->memory[ATTRIBUTES], &a, sizeof(a));
}

/* Attributes move while they are read. Until all are read, `attribute` is the index of the first one. */
static void read_element(struct jfr_tree *t, struct cursor *c, unsigned int depth)
{
	struct jfr_element e = {.name = type_tree_read_name(t, c)};
	size_t place = t->memory[ELEMENTS].size;
	uint64_t i, count = cursor_leb(c);

	if (depth == MAX_DEPTH)
		cursor_fail(c, c->at, "elements are nested too deep");
	e.attribute = (void *)(t->memory[ATTRIBUTES].size / sizeof(struct jfr_attribute));
	for (i = 0; i < count && cursor_ok(c); i++)
		read_attribute(t, c);
	e.attributes = i;
	bytes_put(&t->memory[ELEMENTS], &e, sizeof(e));
	count = cursor_leb(c);
	for (i = 0; i < count && cursor_ok(c); i++)
		read_element(t, c, depth + 1);
	if (cursor_ok(c) && !t->memory[ELEMENTS].failed)
		((struct jfr_element *)(t->memory[ELEMENTS].data + place))->end = t->memory[ELEMENTS].size / sizeof(e);
}

static bool tree_failed(const struct jfr_tree *t)
{
	return t->memory[ELEMENTS].failed || t->memory[ATTRIBUTES].failed || t->memory[TEXT].failed ||
	       t->memory[STARTS].failed;
}

int jfr_tree_read(struct jfr_tree *t, struct cursor *c)
{
	uint32_t i;

	memset(t, 0, sizeof(*t));
	if (c->size - c->at > UINT32_MAX)
		cursor_fail(c, c->at, "the description of the types is too large");
	read_strings(t, c);
	read_element(t, c, 0);
	if (tree_failed(t))
		return -ENOMEM;
	if (!cursor_ok(c))
		return -EINVAL;
	t->element = (struct jfr_element *)t->memory[ELEMENTS].data;
	t->elements = t->memory[ELEMENTS].size / sizeof(*t->element);
	for (i = 0; i < t->elements && t->memory[ATTRIBUTES].data; i++)
		t->element[i].attribute =
			(struct jfr_attribute *)t->memory[ATTRIBUTES].data + (size_t)t->element[i].attribute;
	return 0;
}

void jfr_tree_release(struct jfr_tree *t)
{
	for (size_t i = 0; i < sizeof(t->memory) / sizeof(t->memory[0]); i++)
		bytes_release(&t->memory[i]);
	t->element = NULL;
	t->elements = 0;
}

const char *jfr_element_get(const struct jfr_element *e, const char *name)
{
	for (uint32_t i = 0; i < e->attributes; i++)
		if (strcmp(e->attribute[i].name, name) == 0)
			return e->attribute[i].value;
	return NULL;
}

int64_t jfr_element_number(const struct jfr_element *e, const char *name, int64_t otherwise)
{
	const char *text = jfr_element_get(e, name);
	char *end;
	int64_t n;

	if (!text || !*text)
		return otherwise;
	n = strtoll(text, &end, 10);
	return *end ? otherwise : n;
}

uint32_t jfr_tree_child(const struct jfr_tree *t, uint32_t parent, uint32_t after, const char *name)
{
	uint32_t i = after ? t->element[after].end : parent + 1;

	for (; i < t->element[parent].end; i = t->element[i].end)
		if (!name || strcmp(t->element[i].name, name) == 0)
			return i;
	return 0;
}
