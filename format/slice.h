/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A piece of text that somebody else owns, without a 0 at its end: a name in a
 * class file, in a compiled filter, from JVMTI. Freestanding: the agent brings
 * memcmp() and __builtin_strlen() itself.
 */
#ifndef FORMAT_SLICE_H
#define FORMAT_SLICE_H

#include <stdbool.h>
#include <stddef.h>

struct slice {
	const char *at;
	size_t length;
};

/* A whole string; NULL gives an empty slice. */
static inline struct slice slice_of(const char *text)
{
	return (struct slice){text, text ? __builtin_strlen(text) : 0};
}

static inline bool slice_equal(struct slice a, struct slice b)
{
	return a.length == b.length && (!a.length || !__builtin_memcmp(a.at, b.at, a.length));
}

static inline bool slice_is(struct slice s, const char *text)
{
	return slice_equal(s, slice_of(text));
}

static inline bool slice_begins(struct slice s, const char *prefix)
{
	size_t length = __builtin_strlen(prefix);

	return s.length >= length && (!length || !__builtin_memcmp(s.at, prefix, length));
}

static inline bool slice_contains(struct slice s, const char *part)
{
	for (size_t i = 0; i < s.length; i++)
		if (slice_begins((struct slice){s.at + i, s.length - i}, part))
			return true;
	return !*part;
}

#endif
