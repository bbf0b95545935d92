// SPDX-License-Identifier: BSD-2-Clause
#include "user/text/cpp_name.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A mangled name while it is read, and what it has been translated to. */
struct mangled {
	const char *at;
	char text[512];
	size_t length, last, last_length; /* the last component, which a constructor repeats */
};

static bool put_component(struct mangled *m, const char *text, size_t length, const char *before)
{
	size_t separator = m->length ? 2 : 0, more = strlen(before);

	if (length + separator + more >= sizeof(m->text) - m->length)
		return false;
	memcpy(m->text + m->length, "::", separator);
	memcpy(m->text + m->length + separator, before, more);
	m->last = m->length + separator + more;
	m->last_length = length;
	memmove(m->text + m->last, text, length);
	m->length = m->last + length;
	return true;
}

/* "4park" */
static bool take_source_name(struct mangled *m)
{
	char *end;
	unsigned long length = strtoul(m->at, &end, 10);

	if (*m->at < '1' || *m->at > '9' || length > strnlen(end, length))
		return false;
	m->at = end + length;
	if (length > 8 && !strncmp(end, "_GLOBAL_", 8))
		return put_component(m, "(anonymous)", strlen("(anonymous)"), "");
	return put_component(m, end, length, "");
}

/* C1, C2: a constructor, D0, D1, D2: a destructor; both have the name of the class. */
static bool take_class_name(struct mangled *m)
{
	bool is_constructor = *m->at == 'C';

	if (!m->length || (!is_constructor && *m->at != 'D') || m->at[1] < '0' || m->at[1] > '4')
		return false;
	m->at += 2;
	return put_component(m, m->text + m->last, m->last_length, is_constructor ? "" : "~");
}

/* "N6Parker4parkE", "NK...": of a const method */
static bool take_nested_name(struct mangled *m)
{
	m->at += strspn(m->at, "rVK");
	if (!strncmp(m->at, "St", 2)) {
		m->at += 2;
		put_component(m, "std", 3, "");
	}
	while (*m->at != 'E') {
		m->at += *m->at == 'L';
		if (!take_source_name(m) && !take_class_name(m))
			return false;
	}
	m->at++;
	return m->length;
}

static bool take_name(struct mangled *m)
{
	if (*m->at == 'N') {
		m->at++;
		return take_nested_name(m);
	}
	m->at += *m->at == 'L';
	return take_source_name(m);
}

bool cpp_name(const char *symbol, char *out, size_t size)
{
	struct mangled m = {.at = symbol + 2};

	if (!strncmp(symbol, "_Z", 2) && take_name(&m) && *m.at != 'I')
		snprintf(out, size, "%.*s", (int)m.length, m.text);
	else
		snprintf(out, size, "%s", symbol);
	return symbol[0];
}
