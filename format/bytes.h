/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writing and reading of bytes: a buffer that grows, and JFR's integers and strings for the cursor. The buffer, too,
 * remembers the first error, so a caller may write a whole record and check once.
 *
 * JFR's integers are LEB128 with one difference: 7 bits per byte, low bits first, but a ninth byte carries 8, so
 * that 64 bits take at most 9 bytes.
 */
#ifndef FORMAT_BYTES_H
#define FORMAT_BYTES_H

#include "format/cursor.h"

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define LEB_MAX		 9	    /* maximum length of a LEB128 */
#define LEB_PADDED_LIMIT (1u << 28) /* padded values are below this limit */

struct bytes {
	unsigned char *data;
	size_t size, capacity;
	bool failed; /* out of memory: nothing has been written since */
};

void bytes_init(struct bytes *b);
void bytes_release(struct bytes *b);

/* Drop contents and failure, keep the memory. */
void bytes_clear(struct bytes *b);

/* The slow path of bytes_reserve(): grow, or fail. */
bool bytes_grow(struct bytes *b, size_t n);

/*
 * Reserve n > 0 bytes at the end. Returns NULL without memory. The caller adds the number of bytes written to
 * b->size.
 */
static inline unsigned char *bytes_reserve(struct bytes *b, size_t n)
{
	if (__builtin_expect(b->failed || b->capacity - b->size < n, 0) && !bytes_grow(b, n))
		return NULL;
	return b->data + b->size;
}

void bytes_put(struct bytes *b, const void *data, size_t n);

/* Append what printf() would print. */
void bytes_printf(struct bytes *b, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The contents as a text, with a NUL behind them that does not count; "" after a failure. Until the next change. */
const char *bytes_text(struct bytes *b);

/* The same as a text of its own, to be freed with free(), and an empty buffer. NULL: no memory. */
char *bytes_steal_text(struct bytes *b);

void bytes_put_u8(struct bytes *b, uint8_t v);
void bytes_put_be16(struct bytes *b, uint16_t v);
void bytes_put_be32(struct bytes *b, uint32_t v);
void bytes_put_be64(struct bytes *b, uint64_t v);
void bytes_put_leb(struct bytes *b, uint64_t v);

/* Overwrite 4 bytes at `offset` with the padded form of v < LEB_PADDED_LIMIT, for a size that is known only later. */
void bytes_patch_leb(struct bytes *b, size_t offset, uint32_t v);

/*
 * Append a JFR string. `text` comes from a JVM or a file and may be modified UTF-8 (JVMS 4.4.7), true UTF-8 or
 * garbage. The output is always true UTF-8: pairs of encoded surrogates become one character, C0 80 becomes NUL,
 * and each invalid byte becomes U+FFFD. Text of more than `limit` bytes (at least 3) is cut between two characters
 * and ends in "...". NULL and "" have encodings of their own.
 */
void bytes_put_text(struct bytes *b, const char *text, size_t limit);

/*
 * The conversion alone: `size` bytes of text become at most 3 * size bytes. `out` may be NULL. Returns the size of
 * the result.
 */
size_t utf8_from_java(char *out, const char *text, size_t size);

/* An integer, encoded for several places. */
struct leb {
	uint64_t first; /* 8 bytes, in the order of memory; what is behind `size` means nothing */
	uint8_t ninth, size;
};

/* Of each byte of a number below LEB_SHORT the lower seven bits. */
static inline uint64_t leb_spread(uint64_t v)
{
	v = (v & 0x000000000fffffff) | (v & 0x00fffffff0000000) << 4;
	v = (v & 0x00003fff00003fff) | (v & 0x0fffc0000fffc000) << 2;
	return (v & 0x007f007f007f007f) | (v & 0x3f803f803f803f80) << 1;
}

#define LEB_SHORT (1ull << 56) /* smaller numbers take at most 8 bytes */

static inline struct leb leb_of_short(uint64_t v)
{
	uint64_t low = leb_spread(v);
	unsigned int bits = (63 ^ __builtin_clzll(low | 1)) & ~7u; /* of all bytes but the last one */

	return (struct leb){htole64(low | (~(~0ull << bits) & 0x8080808080808080)), 0, bits / 8 + 1};
}

static inline struct leb leb_of(uint64_t v)
{
	if (__builtin_expect(v < LEB_SHORT, 1))
		return leb_of_short(v);
	return (struct leb){htole64(leb_spread(v % LEB_SHORT) | 0x8080808080808080), v >> 56, 9};
}

/* Write it at p, where 9 bytes must be free. Returns the end. */
static inline unsigned char *leb_put(unsigned char *p, struct leb l)
{
	memcpy(p, &l.first, 8);
	p[8] = l.ninth;
	return p + l.size;
}

/* The same for one of leb_of_short(), where 8 bytes must be free. */
static inline unsigned char *leb_put_short(unsigned char *p, struct leb l)
{
	memcpy(p, &l.first, 8);
	return p + l.size;
}

static inline unsigned char *leb_write(unsigned char *p, uint64_t v)
{
	return leb_put(p, leb_of(v));
}

static inline size_t leb_size(uint64_t v)
{
	return v >> 56 ? 9 : (63 - __builtin_clzll(v | 1)) / 7 + 1;
}

/* The slow path of cursor_leb(): an integer of several bytes, or an error. */
uint64_t cursor_leb_long(struct cursor *c);

static inline uint64_t cursor_leb(struct cursor *c)
{
	const unsigned char *p = c->data + c->at;

	if (__builtin_expect(!c->error && c->at < c->size && p[0] < 0x80, 1)) {
		c->at++;
		return p[0];
	}
	if (__builtin_expect(!c->error && c->size - c->at >= 2 && p[1] < 0x80, 1)) {
		c->at += 2;
		return (p[0] & 0x7f) | p[1] << 7;
	}
	return cursor_leb_long(c);
}

/* The encodings of a JFR string. */
enum text_encoding {
	TEXT_NULL = 0,
	TEXT_EMPTY = 1,
	TEXT_CONSTANT = 2, /* `key` is a constant of java.lang.String */
	TEXT_UTF8 = 3,
	TEXT_UTF16 = 4, /* each unit is a LEB128; `length` counts units, `size` bytes */
	TEXT_LATIN1 = 5,
};

struct cursor_text {
	enum text_encoding encoding;
	uint64_t key;
	const unsigned char *data;
	size_t size, length;
};

/* Read one string without decoding it. TEXT_NULL after an error. */
struct cursor_text cursor_text(struct cursor *c);

/* Append the string as UTF-8; nothing for null and for a constant. */
void bytes_put_decoded(struct bytes *b, const struct cursor_text *t);

/* Append UTF-16 as UTF-8. */
void bytes_put_utf16(struct bytes *b, const uint16_t *text, size_t length);

#endif
