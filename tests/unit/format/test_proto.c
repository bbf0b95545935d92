// SPDX-License-Identifier: BSD-2-Clause
/* Protocol Buffers against the examples of their documentation, and gzip against zlib's reader. */
#include "format/gzip.h"
#include "format/proto.h"
#include "tests/lib/test.h"

#include <zlib.h>

static struct bytes b;

static int setup(void **state)
{
	bytes_init(&b);
	return 0;
}

static int teardown(void **state)
{
	bytes_release(&b);
	return 0;
}

#define ASSERT_BYTES(want)                                           \
	do {                                                         \
		assert_int_equal(b.size, sizeof(want) - 1);          \
		assert_memory_equal(b.data, want, sizeof(want) - 1); \
	} while (0)

CASE(an_integer_has_seven_bits_a_byte_and_at_most_ten_bytes, setup, teardown)
{
	proto_uint(&b, 1, 150);
	proto_uint(&b, 16, (uint64_t)-2);
	ASSERT_BYTES("\x08\x96\x01"
		     "\x80\x01\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01");
}

CASE(text_and_fixed_numbers_have_their_wire_types, setup, teardown)
{
	proto_text(&b, 2, "testing");
	proto_fixed64(&b, 47, 1);
	proto_data(&b, 3, "", 0);
	ASSERT_BYTES("\x12\x07testing"
		     "\xf9\x02\x01\0\0\0\0\0\0\0"
		     "\x1a\0");
}

CASE(messages_nest, setup, teardown)
{
	size_t outer = proto_begin(&b, 3), inner = proto_begin(&b, 1);

	proto_uint(&b, 1, 150);
	proto_end(&b, inner);
	proto_end(&b, outer);
	ASSERT_BYTES("\x1a\x05\x0a\x03\x08\x96\x01");
}

CASE(the_length_of_a_long_message_takes_more_bytes, setup, teardown)
{
	static const char text[20000];
	size_t outer = proto_begin(&b, 1), inner = proto_begin(&b, 2);

	proto_data(&b, 3, text, sizeof(text));
	proto_end(&b, inner);
	proto_uint(&b, 4, 5);
	proto_end(&b, outer);
	/* 20,000 + 4, + 4 + 2 */
	assert_int_equal(b.size, 20000 + 4 + 4 + 2 + 4);
	assert_memory_equal(b.data, "\x0a\xaa\x9c\x01\x12\xa4\x9c\x01\x1a\xa0\x9c\x01\0", 13);
	assert_memory_equal(b.data + b.size - 3, "\0\x20\x05", 3);
}

CASE(what_is_written_is_read_back, setup, teardown)
{
	struct proto_field f;
	struct cursor c;

	proto_uint(&b, 1, UINT64_MAX);
	proto_fixed64(&b, 47, 1ull << 63 | 5);
	proto_text(&b, 536870911, "testing");
	bytes_put(&b, "\x1d\x01\x02\x03\x84", 5); /* fixed32 */
	cursor_init(&c, b.data, b.size);
	assert_true(proto_next(&c, &f));
	assert_true(f.number == 1 && !f.is_data && f.integer == UINT64_MAX);
	assert_true(proto_next(&c, &f));
	assert_true(f.number == 47 && f.integer == (1ull << 63 | 5));
	assert_true(proto_next(&c, &f));
	assert_true(f.number == 536870911 && f.is_data && slice_is(f.data, "testing"));
	assert_true(proto_next(&c, &f));
	assert_true(f.number == 3 && f.integer == 0x84030201);
	assert_false(proto_next(&c, &f));
	assert_true(cursor_ok(&c));
}

CASE(damaged_fields_are_errors, setup, teardown)
{
	static const struct {
		const char *bytes;
		size_t size;
	} damaged[] = {
#define D(text) {text, sizeof(text) - 1}
		D("\x08"),					       /* no value */
		D("\x08\x80"),					       /* half a value */
		D("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), /* 11 bytes */
		D("\x0a\x03xy"),				       /* a text that ends early */
		D("\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01xy"),   /* of 2^64 - 1 bytes */
		D("\x09\x01\x02\x03"),				       /* half a number */
		D("\x0b\x0c"),					       /* a group */
		D("\x02\x00"),					       /* number 0 */
		D("\x80\x80\x80\x80\x80\x80\x01\x00"),		       /* number 2^39 */
#undef D
	};

	for (size_t i = 0; i < sizeof(damaged) / sizeof(*damaged); i++) {
		struct proto_field f;
		struct cursor c;

		cursor_init(&c, damaged[i].bytes, damaged[i].size);
		assert_false(proto_next(&c, &f));
		assert_false(cursor_ok(&c));
		assert_false(proto_next(&c, &f));
	}
}

CASE(gzip_has_what_another_reader_of_it_unpacks, setup, teardown)
{
	size_t size = 3000000;
	unsigned char *data = malloc(size), *back = malloc(size + 1);
	z_stream z = {0};

	for (size_t i = 0; i < size; i++)
		data[i] = i % 1000 ? rand() % 4 : 7;
	gzip_put(&b, data, size);
	assert_false(b.failed);
	assert_true(b.size < size / 2);
	assert_int_equal(inflateInit2(&z, 31), Z_OK);
	z.next_in = b.data;
	z.avail_in = b.size;
	z.next_out = back;
	z.avail_out = size + 1;
	assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
	assert_int_equal(z.total_out, size);
	assert_memory_equal(back, data, size);
	inflateEnd(&z);
	free(data);
	free(back);
}
