/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Big-endian numbers in bounded memory, for the class-file code. A cursor that runs past its end reads zeros and
 * sets `bad`. An output that is full ignores further writes and sets `full`. Callers check once at the end.
 * Freestanding.
 */
#ifndef FORMAT_CLASSFILE_CLASS_BYTES_H
#define FORMAT_CLASSFILE_CLASS_BYTES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct cursor {
	const uint8_t *bytes;
	uint32_t at, end;
	bool bad;
};

static inline struct cursor cursor_at(const uint8_t *bytes, uint32_t at, uint32_t end)
{
	return (struct cursor){.bytes = bytes, .at = at, .end = end, .bad = at > end};
}

/* True if `size` more bytes are available. */
static inline bool cursor_has(struct cursor *c, uint32_t size)
{
	if (c->bad || c->end - c->at < size)
		c->bad = true;
	return !c->bad;
}

static inline void cursor_skip(struct cursor *c, uint32_t size)
{
	if (cursor_has(c, size))
		c->at += size;
}

static inline uint16_t get_u2(const uint8_t *p)
{
	return (uint16_t)(p[0] << 8 | p[1]);
}

static inline uint32_t get_u4(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static inline uint8_t cursor_u1(struct cursor *c)
{
	return cursor_has(c, 1) ? c->bytes[c->at++] : 0;
}

static inline uint16_t cursor_u2(struct cursor *c)
{
	if (!cursor_has(c, 2))
		return 0;
	c->at += 2;
	return get_u2(c->bytes + c->at - 2);
}

static inline uint32_t cursor_u4(struct cursor *c)
{
	if (!cursor_has(c, 4))
		return 0;
	c->at += 4;
	return get_u4(c->bytes + c->at - 4);
}

struct output {
	uint8_t *bytes;
	uint32_t at, end;
	bool full;
};

static inline void put_u2(uint8_t *p, uint32_t v)
{
	p[0] = (uint8_t)(v >> 8);
	p[1] = (uint8_t)v;
}

static inline void put_u4(uint8_t *p, uint32_t v)
{
	put_u2(p, v >> 16);
	put_u2(p + 2, v);
}

/* Reserve `size` bytes at the end of the output. NULL if it is full. */
static inline uint8_t *output_reserve(struct output *o, uint32_t size)
{
	if (o->full || o->end - o->at < size) {
		o->full = true;
		return 0;
	}
	o->at += size;
	return o->bytes + o->at - size;
}

static inline void output_copy(struct output *o, const void *bytes, uint32_t size)
{
	uint8_t *p = output_reserve(o, size);

	if (p && size)
		memcpy(p, bytes, size);
}

static inline void output_u1(struct output *o, uint32_t v)
{
	uint8_t *p = output_reserve(o, 1);

	if (p)
		*p = (uint8_t)v;
}

static inline void output_u2(struct output *o, uint32_t v)
{
	uint8_t *p = output_reserve(o, 2);

	if (p)
		put_u2(p, v);
}

static inline void output_u4(struct output *o, uint32_t v)
{
	uint8_t *p = output_reserve(o, 4);

	if (p)
		put_u4(p, v);
}

#endif
