/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Big-endian numbers in memory, for the class-file code. An output that is full ignores further writes and sets
 * `full`. Callers check once at the end.
 * Freestanding.
 */
#ifndef FORMAT_CLASSFILE_CLASS_BYTES_H
#define FORMAT_CLASSFILE_CLASS_BYTES_H

#include "format/cursor.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static inline uint16_t get_u2(const uint8_t *p)
{
	return (uint16_t)(p[0] << 8 | p[1]);
}

static inline uint32_t get_u4(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
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
