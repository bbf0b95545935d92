// SPDX-License-Identifier: BSD-2-Clause
#include "user/text/name_fit.h"
#include "format/slice.h"

#include <string.h>

/* The parts of "a.b.C.m(Order, int):17". Without parentheses all is `member`. */
struct name {
	struct slice packages;	 /* "a.b." */
	struct slice member;	 /* "C.m" */
	struct slice parameters; /* "Order, int" */
	struct slice end;	 /* ":17" */
	bool parentheses;
};

static size_t name_fit_characters(struct slice s)
{
	size_t n = 0;

	for (size_t i = 0; i < s.length; i++)
		n += (s.at[i] & 0xc0) != 0x80;
	return n;
}

/* The beginning of the last word before `end` that a dot separates from what is before. */
static const char *word_begin(const char *begin, const char *end)
{
	while (end > begin && end[-1] != '.')
		end--;
	return end;
}

/* Hidden classes end in a number, as in a.b.C$$Lambda.0x0000000088040228. It is not the whole name of the class. */
static const char *class_begin(const char *begin, const char *dot)
{
	const char *at = word_begin(begin, dot);

	return at > begin && strncmp(at, "0x", 2) == 0 ? word_begin(begin, at - 1) : at;
}

static struct name name_fit_split(const char *text)
{
	const char *open = strchr(text, '('), *close = open ? strchr(open, ')') : NULL, *method, *class;
	struct name n = {.member = slice_of(text)};

	if (!close || open == text)
		return n;
	method = word_begin(text, open);
	class = method > text ? class_begin(text, method - 1) : text;
	n.packages = (struct slice){text, class - text};
	n.member = (struct slice){class, open - class};
	n.parameters = (struct slice){open + 1, close - open - 1};
	n.end = slice_of(close + 1);
	n.parentheses = true;
	return n;
}

size_t name_columns(const char *name)
{
	return name_fit_characters(slice_of(name));
}

size_t name_essential(const char *name, bool parameters)
{
	struct name n = name_fit_split(name);
	size_t length = name_fit_characters(n.member) + name_fit_characters(n.end);

	return parameters && n.parentheses ? length + name_fit_characters(n.parameters) + 2 : length;
}

static bool name_ends_in_line(struct slice end)
{
	return end.length && end.at[0] == ':';
}

bool name_is_overload(const char *a, const char *b)
{
	struct name x = name_fit_split(a), y = name_fit_split(b);

	if (!x.parentheses || !y.parentheses || !slice_equal(x.packages, y.packages) ||
	    !slice_equal(x.member, y.member))
		return false;
	return !slice_equal(x.parameters, y.parameters) ||
	       (!name_ends_in_line(x.end) && !name_ends_in_line(y.end) && strcmp(a, b) != 0);
}

/* The bytes of the first `count` characters. */
static size_t name_fit_behind(struct slice s, size_t count)
{
	size_t i = 0;

	while (i < s.length && ((s.at[i] & 0xc0) == 0x80 || count)) {
		count -= (s.at[i] & 0xc0) != 0x80;
		i++;
	}
	return i;
}

/* Replace the packages by initials, from the left, until at most `room` characters are left. */
static size_t abbreviate(struct bytes *out, struct slice packages, size_t room)
{
	size_t left = name_fit_characters(packages), length, initial;

	for (; packages.length; packages.at += length, packages.length -= length) {
		struct slice word = packages;

		length = (const char *)memchr(packages.at, '.', packages.length) - packages.at + 1;
		word.length = length;
		initial = name_fit_behind(word, 1);
		if (left <= room || length <= initial + 1) {
			bytes_put(out, packages.at, length);
			continue;
		}
		bytes_put(out, packages.at, initial);
		bytes_put_u8(out, '.');
		left -= name_fit_characters(word) - 2;
	}
	return left;
}

/* Append the packages, shortened, or nothing if that is not enough. Returns the number of characters. */
static size_t put_packages(struct bytes *out, struct slice packages, size_t room)
{
	size_t begin = out->size, length = abbreviate(out, packages, room);

	if (length <= room)
		return length;
	out->size = out->failed ? out->size : begin;
	return 0;
}

/*
 * Append the parameters with their parentheses if they fit; else with `part` the beginning of them; else "(...)"; else
 * nothing.
 */
static void name_fit_put_parameters(struct bytes *out, struct slice parameters, size_t room, bool part)
{
	bool whole = name_fit_characters(parameters) + 2 <= room;

	if (!whole && room < strlen("(...)"))
		return;
	if (!whole)
		parameters.length = part ? name_fit_behind(parameters, room - strlen("(...)")) : 0;
	bytes_put_u8(out, '(');
	bytes_put(out, parameters.at, parameters.length);
	if (!whole)
		bytes_put(out, "...", 3);
	bytes_put_u8(out, ')');
}

void name_fit(struct bytes *out, const char *name, size_t width, bool parameters)
{
	struct name n = name_fit_split(name);
	size_t essential = name_fit_characters(n.member) + name_fit_characters(n.end);
	size_t room = width > essential ? width - essential : 0, wanted = name_fit_characters(n.parameters) + 2;

	if (!n.parentheses || name_columns(name) <= width) {
		bytes_put(out, name, strlen(name));
		return;
	}
	if (!parameters && wanted > strlen("(...)"))
		wanted = strlen("(...)");
	room -= put_packages(out, n.packages, room > wanted ? room - wanted : 0);
	bytes_put(out, n.member.at, n.member.length);
	name_fit_put_parameters(out, n.parameters, room, parameters);
	bytes_put(out, n.end.at, n.end.length);
}

static bool continues_character(char byte)
{
	return (byte & 0xc0) == 0x80;
}

void name_cut(struct bytes *out, const char *text, size_t width)
{
	size_t most = width > strlen("...") ? width - strlen("...") : 0, columns = 0, bytes = 0;

	if (name_columns(text) <= width) {
		bytes_put(out, text, strlen(text));
		return;
	}
	for (; columns < most || continues_character(text[bytes]); bytes++)
		columns += !continues_character(text[bytes]);
	bytes_put(out, text, bytes);
	bytes_put(out, "...", strlen("..."));
}
