/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A position in foreign bytes that never leaves its bounds. It remembers the first error, so a caller may read a
 * whole record and check once: after an error, all reads return 0 and the cursor stays where it is. Freestanding: the
 * agent reads class files with it.
 */
#ifndef FORMAT_CURSOR_H
#define FORMAT_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cursor {
	const unsigned char *data;
	size_t size, at;
	const char *error; /* the error, for example "string ends early"; NULL: none */
	size_t bad;	   /* offset of the first bad value */
};

void cursor_init(struct cursor *c, const void *data, size_t size);

/* A cursor at an offset; the bytes before `end` may be read. An offset after the end is an error. */
struct cursor cursor_at(const void *data, size_t at, size_t end);

static inline bool cursor_ok(const struct cursor *c)
{
	return !c->error;
}

/* Report the value at offset `at` as bad, unless an earlier one was. `error` must outlive the cursor. */
void cursor_fail(struct cursor *c, size_t at, const char *error);

/* Move to an offset. An offset after the end is an error. */
void cursor_seek(struct cursor *c, size_t at);

/* True if n more bytes are available; fewer are an error. */
static inline bool cursor_has(struct cursor *c, size_t n)
{
	if (!c->error && c->size - c->at < n)
		cursor_fail(c, c->at, "value ends early");
	return !c->error;
}

/* Return the next n bytes and move past them; NULL if there are fewer. */
static inline const unsigned char *cursor_take(struct cursor *c, size_t n)
{
	if (!cursor_has(c, n))
		return NULL;
	c->at += n;
	return c->data + c->at - n;
}

/* Big-endian numbers, 0 after an error. Without memcpy(), which is a call in the agent. */
static inline uint64_t cursor_big_endian(struct cursor *c, size_t size)
{
	const unsigned char *p = cursor_take(c, size);
	uint64_t v = 0;

	for (size_t i = 0; p && i < size; i++)
		v = v << 8 | p[i];
	return v;
}

static inline uint8_t cursor_u8(struct cursor *c)
{
	return cursor_big_endian(c, 1);
}

static inline uint16_t cursor_be16(struct cursor *c)
{
	return cursor_big_endian(c, 2);
}

static inline uint32_t cursor_be32(struct cursor *c)
{
	return cursor_big_endian(c, 4);
}

static inline uint64_t cursor_be64(struct cursor *c)
{
	return cursor_big_endian(c, 8);
}

#endif
