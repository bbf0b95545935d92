// SPDX-License-Identifier: BSD-2-Clause
/*
 * Conversion of Java strings. JVMs and class files use modified UTF-8 (JVMS 4.4.7): U+0000 is C0 80, and a
 * character above U+FFFF is a pair of surrogates with three bytes each. "a\0" and an emoji, as in a class file
 * and as required in a JFR file:
 *
 *     61 C0 80  ED A0 BD ED B8 80
 *     61 00     F0 9F 98 80
 *
 * Java readers decode a JFR string as true UTF-8, where both of the upper forms are errors.
 */
#include "format/bytes.h"
#include "format/vec.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define REPLACEMENT 0xfffd

void bytes_init(struct bytes *b)
{
	memset(b, 0, sizeof(*b));
}

void bytes_release(struct bytes *b)
{
	free(b->data);
	bytes_init(b);
}

void bytes_clear(struct bytes *b)
{
	b->size = 0;
	b->failed = false;
}

bool bytes_grow(struct bytes *b, size_t n)
{
	b->failed = b->failed || n > SIZE_MAX - b->size || vec_reserve(&b->data, &b->capacity, b->size + n);
	return !b->failed;
}

void bytes_put(struct bytes *b, const void *data, size_t n)
{
	unsigned char *p = n ? bytes_reserve(b, n) : NULL;

	if (!p)
		return;
	memcpy(p, data, n);
	b->size += n;
}

void bytes_printf(struct bytes *b, const char *format, ...)
{
	va_list args, again;
	int n;

	va_start(args, format);
	va_copy(again, args);
	n = vsnprintf(NULL, 0, format, args);
	if (n > 0 && bytes_reserve(b, n + 1))
		b->size += vsnprintf((char *)b->data + b->size, n + 1, format, again);
	va_end(again);
	va_end(args);
}

const char *bytes_text(struct bytes *b)
{
	if (!bytes_reserve(b, 1))
		return "";
	b->data[b->size] = 0;
	return (const char *)b->data;
}

char *bytes_steal_text(struct bytes *b)
{
	char *text = bytes_reserve(b, 1) ? (char *)b->data : NULL;

	if (!text) {
		bytes_release(b);
		return NULL;
	}
	text[b->size] = 0;
	bytes_init(b);
	return text;
}

void bytes_put_u8(struct bytes *b, uint8_t v)
{
	bytes_put(b, &v, sizeof(v));
}

void bytes_put_be16(struct bytes *b, uint16_t v)
{
	v = htobe16(v);
	bytes_put(b, &v, sizeof(v));
}

void bytes_put_be32(struct bytes *b, uint32_t v)
{
	v = htobe32(v);
	bytes_put(b, &v, sizeof(v));
}

void bytes_put_be64(struct bytes *b, uint64_t v)
{
	v = htobe64(v);
	bytes_put(b, &v, sizeof(v));
}

void bytes_put_leb(struct bytes *b, uint64_t v)
{
	unsigned char *p = bytes_reserve(b, LEB_MAX);

	if (p)
		b->size = leb_write(p, v) - b->data;
}

void bytes_patch_leb(struct bytes *b, size_t offset, uint32_t v)
{
	unsigned char *p = b->data + offset;

	if (b->failed)
		return;
	p[0] = v | 0x80;
	p[1] = v >> 7 | 0x80;
	p[2] = v >> 14 | 0x80;
	p[3] = v >> 21 & 0x7f;
}

/* Length of the sequence with this lead byte; 0: it is no lead byte. */
static unsigned int lead_length(unsigned char lead)
{
	if (lead < 0x80)
		return 1;
	if (lead >= 0xc0 && lead < 0xe0)
		return 2;
	if (lead >= 0xe0 && lead < 0xf0)
		return 3;
	return lead >= 0xf0 && lead < 0xf5 ? 4 : 0;
}

/* Read one sequence; surrogates and C0 80 are allowed. Returns its length, or 0 if it is invalid. */
static unsigned int sequence_read(const unsigned char *p, size_t left, uint32_t *code)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	unsigned int i, n = lead_length(*p);

	if (!n || n > left)
		return 0;
	*code = n == 1 ? *p : *p & (0x7f >> n);
	for (i = 1; i < n; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		*code = *code << 6 | (p[i] & 0x3f);
	}
	if (n == 2 && *code == 0)
		return n;
	return *code < least[n] || *code > 0x10ffff ? 0 : n;
}

/* Read one character and return its length. An invalid byte or a lone surrogate is read as U+FFFD. */
static unsigned int character_read(const unsigned char *p, size_t left, uint32_t *code)
{
	unsigned int n = sequence_read(p, left, code);
	uint32_t low;

	if (!n) {
		*code = REPLACEMENT;
		return 1;
	}
	if (*code < 0xd800 || *code > 0xdfff)
		return n;
	if (*code < 0xdc00 && left > n && sequence_read(p + n, left - n, &low) == 3 && low >= 0xdc00 && low <= 0xdfff) {
		*code = 0x10000 + ((*code - 0xd800) << 10) + (low - 0xdc00);
		return 6;
	}
	*code = REPLACEMENT;
	return n;
}

static unsigned int character_write(unsigned char *p, uint32_t code)
{
	if (code < 0x80) {
		p[0] = code;
		return 1;
	}
	if (code < 0x800) {
		p[0] = 0xc0 | code >> 6;
		p[1] = 0x80 | (code & 0x3f);
		return 2;
	}
	if (code < 0x10000) {
		p[0] = 0xe0 | code >> 12;
		p[1] = 0x80 | (code >> 6 & 0x3f);
		p[2] = 0x80 | (code & 0x3f);
		return 3;
	}
	p[0] = 0xf0 | code >> 18;
	p[1] = 0x80 | (code >> 12 & 0x3f);
	p[2] = 0x80 | (code >> 6 & 0x3f);
	p[3] = 0x80 | (code & 0x3f);
	return 4;
}

size_t utf8_from_java(char *out, const char *text, size_t size)
{
	const unsigned char *p = (const unsigned char *)text;
	unsigned char one[4];
	size_t i = 0, length = 0;
	unsigned int n;
	uint32_t code;

	while (i < size) {
		i += character_read(p + i, size - i, &code);
		n = character_write(one, code);
		if (out)
			memcpy(out + length, one, n);
		length += n;
	}
	return length;
}

/* Length of the longest prefix of at most `limit` bytes that ends between two characters. */
static size_t text_cut(const char *text, size_t size, size_t limit)
{
	const unsigned char *p = (const unsigned char *)text;
	size_t i = 0, n;
	uint32_t code;

	while (i < size) {
		n = character_read(p + i, size - i, &code);
		if (i + n > limit)
			break;
		i += n;
	}
	return i;
}

void bytes_put_text(struct bytes *b, const char *text, size_t limit)
{
	size_t size, length, dots = 0;
	unsigned char *p;

	if (!text || !*text) {
		bytes_put_u8(b, text ? TEXT_EMPTY : TEXT_NULL);
		return;
	}
	size = strnlen(text, limit + 1);
	if (size > limit) {
		dots = 3;
		size = text_cut(text, size, limit - dots);
	}
	length = utf8_from_java(NULL, text, size);
	p = bytes_reserve(b, 1 + LEB_MAX + length + dots);
	if (!p)
		return;
	*p++ = TEXT_UTF8;
	p = leb_write(p, length + dots);
	utf8_from_java((char *)p, text, size);
	memcpy(p + length, "...", dots);
	b->size = p + length + dots - b->data;
}

uint64_t cursor_leb_long(struct cursor *c)
{
	size_t start = c->at;
	uint64_t v = 0;
	unsigned int i;

	for (i = 0; i < LEB_MAX && !c->error && c->at < c->size; i++) {
		unsigned char byte = c->data[c->at++];

		if (i == LEB_MAX - 1)
			return v | (uint64_t)byte << 56;
		v |= (uint64_t)(byte & 0x7f) << (7 * i);
		if (!(byte & 0x80))
			return v;
	}
	cursor_fail(c, start, "integer ends early");
	c->at = start;
	return 0;
}

static void text_utf16(struct cursor *c, struct cursor_text *t)
{
	size_t start = c->at, at;
	uint64_t i, units = cursor_leb(c);

	at = c->at;
	if (units > c->size - c->at)
		cursor_fail(c, start, "string ends early");
	for (i = 0; i < units && cursor_ok(c); i++)
		if (cursor_leb(c) > 0xffff)
			cursor_fail(c, c->at, "UTF-16 unit out of range");
	if (!cursor_ok(c))
		return;
	t->data = c->data + at;
	t->size = c->at - at;
	t->length = units;
}

static void text_bytes(struct cursor *c, struct cursor_text *t)
{
	size_t start = c->at;
	uint64_t n = cursor_leb(c);

	if (n > c->size - c->at)
		cursor_fail(c, start, "string ends early");
	t->data = cursor_take(c, n);
	t->size = t->length = n;
}

struct cursor_text cursor_text(struct cursor *c)
{
	size_t start = c->at;
	struct cursor_text t = {.encoding = cursor_u8(c)};

	switch (t.encoding) {
	case TEXT_NULL:
	case TEXT_EMPTY: break;
	case TEXT_CONSTANT: t.key = cursor_leb(c); break;
	case TEXT_UTF8:
	case TEXT_LATIN1: text_bytes(c, &t); break;
	case TEXT_UTF16: text_utf16(c, &t); break;
	default: cursor_fail(c, start, "unknown encoding of a string");
	}
	return cursor_ok(c) ? t : (struct cursor_text){.encoding = TEXT_NULL};
}

static void bytes_put_character(struct bytes *b, uint32_t code)
{
	unsigned char *p = bytes_reserve(b, 4);

	if (p)
		b->size += character_write(p, code);
}

static void put_utf16(struct bytes *b, const struct cursor_text *t)
{
	uint32_t unit, high = 0;
	struct cursor c;
	size_t i;

	cursor_init(&c, t->data, t->size);
	for (i = 0; i < t->length; i++) {
		unit = cursor_leb(&c);
		if (high && unit >= 0xdc00 && unit <= 0xdfff) {
			bytes_put_character(b, 0x10000 + ((high - 0xd800) << 10) + (unit - 0xdc00));
			high = 0;
			continue;
		}
		if (high)
			bytes_put_character(b, REPLACEMENT);
		high = unit >= 0xd800 && unit <= 0xdbff ? unit : 0;
		if (!high)
			bytes_put_character(b, unit >= 0xdc00 && unit <= 0xdfff ? REPLACEMENT : unit);
	}
	if (high)
		bytes_put_character(b, REPLACEMENT);
}

static void bytes_put_utf8(struct bytes *b, const struct cursor_text *t)
{
	size_t length = utf8_from_java(NULL, (const char *)t->data, t->size);
	unsigned char *p = length ? bytes_reserve(b, length) : NULL;

	if (!p)
		return;
	utf8_from_java((char *)p, (const char *)t->data, t->size);
	b->size += length;
}

void bytes_put_decoded(struct bytes *b, const struct cursor_text *t)
{
	size_t i;

	if (t->encoding == TEXT_UTF8)
		bytes_put_utf8(b, t);
	else if (t->encoding == TEXT_UTF16)
		put_utf16(b, t);
	else if (t->encoding == TEXT_LATIN1)
		for (i = 0; i < t->size; i++)
			bytes_put_character(b, t->data[i]);
}

void bytes_put_utf16(struct bytes *b, const uint16_t *text, size_t length)
{
	struct cursor_text encoded = {.encoding = TEXT_UTF16, .length = length};
	struct bytes units;

	bytes_init(&units);
	for (size_t i = 0; i < length; i++)
		bytes_put_leb(&units, text[i]);
	encoded.data = units.data;
	encoded.size = units.size;
	if (!units.failed)
		bytes_put_decoded(b, &encoded);
	b->failed |= units.failed;
	bytes_release(&units);
}
