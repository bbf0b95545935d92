// SPDX-License-Identifier: BSD-2-Clause
#include "user/text/java_name.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

void java_name_dots(char *name)
{
	for (; *name; name++)
		if (*name == '/')
			*name = '.';
}

static const char *primitive(char c)
{
	switch (c) {
	case 'B': return "byte";
	case 'C': return "char";
	case 'D': return "double";
	case 'F': return "float";
	case 'I': return "int";
	case 'J': return "long";
	case 'S': return "short";
	case 'Z': return "boolean";
	}
	return NULL;
}

struct text {
	char *at;
	size_t left;
};

static void java_name_put(struct text *t, const char *from, size_t length)
{
	if (length >= t->left)
		length = t->left ? t->left - 1 : 0;
	memcpy(t->at, from, length);
	t->at += length;
	t->left -= length;
	*t->at = 0;
}

/* Append one parameter type without its package. Returns the rest of the descriptor, or NULL if it is invalid. */
static const char *java_name_put_type(struct text *t, const char *d)
{
	const char *end, *simple;
	size_t dimensions = strspn(d, "[");

	d += dimensions;
	if (*d == 'L') {
		end = strchr(d, ';');
		if (!end)
			return NULL;
		for (simple = end; simple > d + 1 && simple[-1] != '/';)
			simple--;
		java_name_put(t, simple, end - simple);
		d = end + 1;
	} else if (primitive(*d)) {
		java_name_put(t, primitive(*d), strlen(primitive(*d)));
		d++;
	} else {
		return NULL;
	}
	while (dimensions--)
		java_name_put(t, "[]", 2);
	return d;
}

/* Append "(int, Order)". Returns false if the descriptor is invalid. */
static bool put_types(struct text *t, const char *descriptor)
{
	const char *d = descriptor + 1;

	java_name_put(t, "(", 1);
	if (*descriptor != '(')
		return false;
	while (*d != ')') {
		if (d != descriptor + 1)
			java_name_put(t, ", ", 2);
		d = java_name_put_type(t, d);
		if (!d)
			return false;
	}
	java_name_put(t, ")", 1);
	return true;
}

void java_name_print(const char *name, const char *descriptor, char *out, size_t size)
{
	struct text t = {out, size};

	java_name_put(&t, name, strlen(name));
	if (!put_types(&t, descriptor))
		snprintf(out, size, "%s%s", name, descriptor);
}
