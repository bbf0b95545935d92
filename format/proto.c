// SPDX-License-Identifier: BSD-2-Clause
#include "format/proto.h"

#define VARINT_MAX 10

enum { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_LENGTH = 2, WIRE_FIXED32 = 5 };

static size_t proto_encode(unsigned char out[VARINT_MAX], uint64_t v)
{
	size_t size = 0;

	for (; v >= 0x80; v >>= 7)
		out[size++] = v | 0x80;
	out[size++] = v;
	return size;
}

void proto_put(struct bytes *b, uint64_t v)
{
	unsigned char *p = bytes_reserve(b, VARINT_MAX);

	if (p && v < 0x80)
		b->data[b->size++] = v;
	else if (p)
		b->size += proto_encode(p, v);
}

static void proto_tag(struct bytes *b, unsigned int field, unsigned int wire)
{
	proto_put(b, (uint64_t)field << 3 | wire);
}

void proto_uint(struct bytes *b, unsigned int field, uint64_t v)
{
	proto_tag(b, field, WIRE_VARINT);
	proto_put(b, v);
}

void proto_fixed64(struct bytes *b, unsigned int field, uint64_t v)
{
	uint64_t little = htole64(v);

	proto_tag(b, field, WIRE_FIXED64);
	bytes_put(b, &little, sizeof(little));
}

void proto_data(struct bytes *b, unsigned int field, const void *data, size_t size)
{
	proto_tag(b, field, WIRE_LENGTH);
	proto_put(b, size);
	bytes_put(b, data, size);
}

void proto_text(struct bytes *b, unsigned int field, const char *text)
{
	proto_data(b, field, text, strlen(text));
}

/* Most messages are shorter than 128 bytes: one byte is left for the length, and a long message is moved. */
size_t proto_begin(struct bytes *b, unsigned int field)
{
	proto_tag(b, field, WIRE_LENGTH);
	bytes_put_u8(b, 0);
	return b->size;
}

void proto_end(struct bytes *b, size_t begun)
{
	unsigned char length[VARINT_MAX];
	size_t size, more;

	if (b->failed)
		return;
	size = b->size - begun;
	more = proto_encode(length, size) - 1;
	if (more && !bytes_reserve(b, more))
		return;
	if (more)
		memmove(b->data + begun + more, b->data + begun, size);
	memcpy(b->data + begun - 1, length, more + 1);
	b->size += more;
}

static uint64_t proto_take(struct cursor *c)
{
	size_t start = c->at;
	uint64_t v = 0;

	for (unsigned int i = 0; i < VARINT_MAX && cursor_ok(c); i++) {
		uint8_t byte = cursor_u8(c);

		v |= (uint64_t)(byte & 0x7f) << 7 * i;
		if (byte < 0x80)
			return v;
	}
	cursor_fail(c, start, "integer is too long");
	return 0;
}

static uint64_t proto_take_fixed(struct cursor *c, size_t size)
{
	const unsigned char *p = cursor_take(c, size);
	uint64_t little = 0;

	if (p)
		memcpy(&little, p, size);
	return le64toh(little);
}

static void proto_take_data(struct cursor *c, struct proto_field *out)
{
	size_t size = proto_take(c);
	const unsigned char *p = cursor_ok(c) ? cursor_take(c, size) : NULL;

	out->is_data = true;
	out->data = (struct slice){(const char *)p, p ? size : 0};
}

bool proto_next(struct cursor *c, struct proto_field *out)
{
	size_t start = c->at;
	uint64_t tag;

	*out = (struct proto_field){.number = 0};
	if (!cursor_ok(c) || c->at == c->size)
		return false;
	tag = proto_take(c);
	out->number = tag >> 3;
	switch (tag & 7) {
	case WIRE_VARINT: out->integer = proto_take(c); break;
	case WIRE_FIXED64: out->integer = proto_take_fixed(c, 8); break;
	case WIRE_FIXED32: out->integer = proto_take_fixed(c, 4); break;
	case WIRE_LENGTH: proto_take_data(c, out); break;
	default: cursor_fail(c, start, "unknown kind of field");
	}
	if (!out->number || tag >> 32)
		cursor_fail(c, start, "no number of a field");
	return cursor_ok(c);
}
