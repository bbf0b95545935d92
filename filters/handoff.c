// SPDX-License-Identifier: BSD-2-Clause
#include "filters/handoff.h"
#include "filters/java_type.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MOST_ARGUMENTS 254

static struct slice handoff_trim(struct slice s)
{
	while (s.length && isspace((unsigned char)s.at[0]))
		s.at++, s.length--;
	while (s.length && isspace((unsigned char)s.at[s.length - 1]))
		s.length--;
	return s;
}

static bool is_handoff_name(struct slice s, bool dots)
{
	for (size_t i = 0; i < s.length; i++) {
		unsigned char c = s.at[i];

		if (!isalnum(c) && c != '_' && c != '$' && c < 0x80 && !(dots && c == '.'))
			return false;
	}
	return s.length;
}

/* Append a class's name in the internal form. */
static bool handoff_put_class(char *out, size_t size, struct slice s)
{
	size_t length = strlen(out);

	if (!is_handoff_name(s, true) || s.length >= size - length)
		return false;
	for (size_t i = 0; i < s.length; i++)
		out[length + i] = s.at[i] == '.' ? '/' : s.at[i];
	out[length + s.length] = 0;
	return true;
}

static bool handoff_put(char *out, size_t size, const char *text)
{
	size_t length = strlen(out), more = strlen(text);

	if (more >= size - length)
		return false;
	memcpy(out + length, text, more + 1);
	return true;
}

/* Append the type as in a descriptor. */
static bool handoff_put_type(char *out, size_t size, struct slice s)
{
	char letter[2] = "";

	s = handoff_trim(s);
	while (s.length > 2 && !memcmp(s.at + s.length - 2, "[]", 2)) {
		s = handoff_trim((struct slice){s.at, s.length - 2});
		if (!handoff_put(out, size, "["))
			return false;
	}
	for (const char *l = "ZBCSIJFD"; *l; l++)
		if (slice_is(s, java_primitive(*l)))
			letter[0] = *l;
	if (letter[0])
		return handoff_put(out, size, letter);
	return handoff_put(out, size, "L") && handoff_put_class(out, size, s) && handoff_put(out, size, ";");
}

/* "(int, a.b.C)" */
static bool handoff_put_types(struct frt_place *p, struct slice s)
{
	if (s.at[s.length - 1] != ')')
		return false;
	s = handoff_trim((struct slice){s.at + 1, s.length - 2});
	if (!handoff_put(p->types, sizeof(p->types), "("))
		return false;
	while (s.length) {
		const char *comma = memchr(s.at, ',', s.length);
		size_t length = comma ? (size_t)(comma - s.at) : s.length;

		if (!handoff_put_type(p->types, sizeof(p->types), (struct slice){s.at, length}))
			return false;
		s.at += length + !!comma;
		s.length -= length + !!comma;
	}
	return handoff_put(p->types, sizeof(p->types), ")");
}

static bool handoff_parse_object(struct frt_place *p, struct slice s)
{
	unsigned int number = 0;

	if (slice_is(s, "this"))
		return true;
	if (!slice_begins(s, "arg") || s.length < 4 || s.length > 6)
		return false;
	for (size_t i = 3; i < s.length; i++) {
		if (!isdigit((unsigned char)s.at[i]))
			return false;
		number = number * 10 + (s.at[i] - '0');
	}
	p->argument = number + 1;
	return number <= MOST_ARGUMENTS;
}

/* "a.b.C::m(int) arg0" */
static bool handoff_parse_place(struct frt_place *p, struct slice s)
{
	const char *colons, *types;
	struct slice method;
	size_t object;

	s = handoff_trim(s);
	for (object = s.length; object && !isspace((unsigned char)s.at[object - 1]); object--)
		;
	if (!handoff_parse_object(p, (struct slice){s.at + object, s.length - object}))
		return false;
	s = handoff_trim((struct slice){s.at, object});
	colons = memmem(s.at, s.length, "::", 2);
	if (!colons || !handoff_put_class(p->class_name, sizeof(p->class_name), (struct slice){s.at, colons - s.at}))
		return false;
	method = (struct slice){colons + 2, s.at + s.length - colons - 2};
	types = memchr(method.at, '(', method.length);
	if (types && !handoff_put_types(p, (struct slice){types, method.at + method.length - types}))
		return false;
	method.length = types ? (size_t)(types - method.at) : method.length;
	if (!is_handoff_name(method, false) || method.length >= sizeof(p->method))
		return false;
	memcpy(p->method, method.at, method.length);
	return true;
}

int handoff_add(struct handoff_list *l, const char *text, struct diag *d)
{
	const char *arrow = strstr(text, "=>");
	struct frt_place place[2] = {0};

	if (!arrow || !handoff_parse_place(&place[0], (struct slice){text, arrow - text}) ||
	    !handoff_parse_place(&place[1], slice_of(arrow + 2)))
		return diag_usage(
			d,
			"wrong --handoff '%s': it has to be two methods with the object that both have, as in "
			"'com.acme.Queue::put arg0 => com.acme.Worker::handle arg0'",
			text);
	if (handoff_is_of_jdk(place[0].class_name) || handoff_is_of_jdk(place[1].class_name))
		return diag_usage(d, "wrong --handoff '%s': it has to be methods of the program, not of the JDK", text);
	if (l->count + 2 > FRT_PLACES)
		return diag_usage(d, "too many --handoff: at most %u", FRT_PLACES / 2);
	memcpy(&l->place[l->count], place, sizeof(place));
	l->count += 2;
	return 0;
}
