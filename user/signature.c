// SPDX-License-Identifier: BSD-2-Clause
#include "user/signature.h"

#include <stdio.h>
#include <string.h>

void signature_dots(char *name)
{
	for (; *name; name++)
		if (*name == '/')
			*name = '.';
}

static const char *primitive(char c)
{
	switch (c) {
	case 'B':
		return "byte";
	case 'C':
		return "char";
	case 'D':
		return "double";
	case 'F':
		return "float";
	case 'I':
		return "int";
	case 'J':
		return "long";
	case 'S':
		return "short";
	case 'Z':
		return "boolean";
	}
	return NULL;
}

struct text {
	char *at;
	size_t left;
};

static void put(struct text *t, const char *from, size_t length)
{
	if (length >= t->left)
		length = t->left ? t->left - 1 : 0;
	memcpy(t->at, from, length);
	t->at += length;
	t->left -= length;
	*t->at = 0;
}

/* One parameter, without its package; the rest of the descriptor, or NULL when it is none. */
static const char *put_type(struct text *t, const char *d)
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
		put(t, simple, end - simple);
		d = end + 1;
	} else if (primitive(*d)) {
		put(t, primitive(*d), strlen(primitive(*d)));
		d++;
	} else {
		return NULL;
	}
	while (dimensions--)
		put(t, "[]", 2);
	return d;
}

void signature_print(const char *name, const char *descriptor, char *out, size_t size)
{
	struct text t = { out, size };
	const char *d = descriptor + 1;

	put(&t, name, strlen(name));
	put(&t, "(", 1);
	if (*descriptor != '(')
		d = NULL;
	while (d && *d != ')') {
		if (d != descriptor + 1)
			put(&t, ", ", 2);
		d = put_type(&t, d);
	}
	if (!d) {
		snprintf(out, size, "%s%s", name, descriptor);
		return;
	}
	put(&t, ")", 1);
}
