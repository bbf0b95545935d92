// SPDX-License-Identifier: BSD-2-Clause
#include "format/cursor.h"

void cursor_init(struct cursor *c, const void *data, size_t size)
{
	*c = (struct cursor){.data = data, .size = size};
}

struct cursor cursor_at(const void *data, size_t at, size_t end)
{
	struct cursor c = {.data = data, .size = end, .at = at};

	if (at > end)
		cursor_fail(&c, at, "offset past the end");
	return c;
}

void cursor_fail(struct cursor *c, size_t at, const char *error)
{
	if (c->error)
		return;
	c->error = error;
	c->bad = at;
}

void cursor_seek(struct cursor *c, size_t at)
{
	if (at > c->size)
		cursor_fail(c, c->at, "offset past the end");
	else if (!c->error)
		c->at = at;
}

bool cursor_has(struct cursor *c, size_t n)
{
	if (!c->error && c->size - c->at < n)
		cursor_fail(c, c->at, "value ends early");
	return !c->error;
}

const unsigned char *cursor_take(struct cursor *c, size_t n)
{
	if (!cursor_has(c, n))
		return NULL;
	c->at += n;
	return c->data + c->at - n;
}

/* Without memcpy(), which is a call in the agent. */
static inline uint64_t cursor_big_endian(struct cursor *c, size_t size)
{
	const unsigned char *p = cursor_take(c, size);
	uint64_t v = 0;

	for (size_t i = 0; p && i < size; i++)
		v = v << 8 | p[i];
	return v;
}

uint8_t cursor_u8(struct cursor *c)
{
	return cursor_big_endian(c, 1);
}

uint16_t cursor_be16(struct cursor *c)
{
	return cursor_big_endian(c, 2);
}

uint32_t cursor_be32(struct cursor *c)
{
	return cursor_big_endian(c, 4);
}

uint64_t cursor_be64(struct cursor *c)
{
	return cursor_big_endian(c, 8);
}
