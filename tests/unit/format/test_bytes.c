// SPDX-License-Identifier: BSD-2-Clause
#include "format/bytes.h"
#include "tests/lib/fail_nth.h"
#include "tests/lib/test.h"

#include <iconv.h>

/* The definition, bit by bit, which the fast version must match. */
static size_t leb_slowly(unsigned char *p, uint64_t v)
{
	size_t n = 0;

	while (n < 8 && v > 0x7f) {
		p[n++] = (v & 0x7f) | 0x80;
		v >>= 7;
	}
	p[n++] = v;
	return n;
}

static void check_leb(uint64_t v)
{
	unsigned char fast[16], slow[16];
	size_t n = leb_slowly(slow, v);
	struct cursor c;

	assert_int_equal(leb_write(fast, v) - fast, n);
	assert_memory_equal(fast, slow, n);
	assert_int_equal(leb_size(v), n);
	cursor_init(&c, fast, n);
	assert_true(cursor_leb(&c) == v && cursor_ok(&c) && c.at == n);
}

CASE(leb_agrees_with_its_definition)
{
	unsigned int bit, i;
	uint64_t random = 1;

	for (bit = 0; bit < 64; bit++) {
		check_leb(1ull << bit);
		check_leb((1ull << bit) - 1);
		check_leb(~0ull << bit);
	}
	for (i = 0; i < 100000; i++) {
		random = random * 6364136223846793005 + 1442695040888963407;
		check_leb(random >> (i % 64));
	}
}

CASE(leb_ninth_byte_carries_eight_bits)
{
	static const unsigned char least[9] = {0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80};
	static const unsigned char minus_one[9] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
	unsigned char got[16];

	assert_int_equal(leb_write(got, INT64_MIN) - got, 9);
	assert_memory_equal(got, least, 9);
	assert_int_equal(leb_write(got, -1) - got, 9);
	assert_memory_equal(got, minus_one, 9);
}

CASE(patched_size_takes_four_bytes)
{
	static const uint32_t sizes[] = {0, 1, 127, 128, 16384, LEB_PADDED_LIMIT - 1};
	struct bytes b;
	struct cursor c;
	size_t i;

	bytes_init(&b);
	for (i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		bytes_clear(&b);
		bytes_put_u8(&b, 7);
		bytes_put_be32(&b, 0);
		bytes_patch_leb(&b, 1, sizes[i]);
		cursor_init(&c, b.data, b.size);
		cursor_u8(&c);
		assert_int_equal(cursor_leb(&c), sizes[i]);
		assert_int_equal(c.at, 5);
	}
	bytes_release(&b);
}

CASE(cursor_reads_what_was_written)
{
	struct bytes b;
	struct cursor c;

	bytes_init(&b);
	bytes_put_u8(&b, 0xab);
	bytes_put_be16(&b, 0x0102);
	bytes_put_be32(&b, 0x03040506);
	bytes_put_be64(&b, 0x0708090a0b0c0d0e);
	bytes_put_leb(&b, 300);
	bytes_put(&b, "xyz", 3);
	assert_memory_equal(b.data + 1, "\1\2\3\4\5\6\7\10\11\12\13\14\15\16", 14);
	cursor_init(&c, b.data, b.size);
	assert_int_equal(cursor_u8(&c), 0xab);
	assert_int_equal(cursor_be16(&c), 0x0102);
	assert_int_equal(cursor_be32(&c), 0x03040506);
	assert_true(cursor_be64(&c) == 0x0708090a0b0c0d0e);
	assert_int_equal(cursor_leb(&c), 300);
	assert_memory_equal(cursor_take(&c, 3), "xyz", 3);
	assert_true(cursor_ok(&c) && c.at == c.size);
	bytes_release(&b);
}

CASE(cursor_remembers_the_first_bad_offset)
{
	struct cursor c;

	cursor_init(&c, "\1\2\3\4\5", 5);
	cursor_be32(&c);
	assert_int_equal(cursor_be16(&c), 0);
	assert_false(cursor_ok(&c));
	assert_int_equal(c.bad, 4);
	cursor_fail(&c, 1, "something else");
	assert_int_equal(cursor_u8(&c), 0);
	assert_null(cursor_take(&c, 1));
	cursor_seek(&c, 0);
	assert_int_equal(c.bad, 4);
	assert_string_equal(c.error, "value ends early");
	cursor_init(&c, "\1\x80\x80", 3);
	cursor_u8(&c);
	cursor_leb(&c);
	assert_true(c.bad == 1 && c.at == 1);
}

CASE(cursor_does_not_seek_past_the_end)
{
	struct cursor c;

	cursor_init(&c, "abc", 3);
	cursor_seek(&c, 3);
	assert_true(cursor_ok(&c));
	cursor_seek(&c, 4);
	assert_false(cursor_ok(&c));
}

/* Each prefix is in memory of exactly its size, so that the sanitizer detects reads past the end. */
CASE(cursor_stops_at_each_truncation)
{
	static const char whole[] = "\3\4text\4\2\xb2\x04X\5\3abc\2\x80\x80\1\0\1\xff\xff\xff\xff\xff\xff\xff\xff\xff";
	size_t size, i;

	for (size = 0; size < sizeof(whole); size++) {
		char *prefix = malloc(size + !size);
		struct cursor c;

		memcpy(prefix, whole, size);
		cursor_init(&c, prefix, size);
		for (i = 0; i < 6; i++)
			cursor_text(&c);
		cursor_leb(&c);
		assert_int_equal(cursor_ok(&c), size == sizeof(whole) - 1);
		assert_true(c.at <= size && c.bad <= size);
		free(prefix);
	}
}

CASE(cursor_refuses_lengths_past_the_end)
{
	static const char *const texts[] = {"\3\xff\xff\xff\xff\xff\xff\xff\xff\xff",
					    "\4\xff\xff\xff\xff\xff\xff\xff\xff\xff",
					    "\5\xfe\xff\xff\xff\xff\xff\xff\xff\xff", "\6\0\0\0\0\0\0\0\0\0"};
	struct cursor c;
	size_t i;

	for (i = 0; i < 4; i++) {
		cursor_init(&c, texts[i], 10);
		assert_int_equal(cursor_text(&c).encoding, TEXT_NULL);
		assert_false(cursor_ok(&c));
	}
}

static void check_text(const char *in, const char *out, size_t size)
{
	struct bytes b;

	bytes_init(&b);
	bytes_put_text(&b, in, 1000);
	assert_int_equal(b.size, 2 + size);
	assert_int_equal(b.data[0], TEXT_UTF8);
	assert_int_equal(b.data[1], size);
	assert_memory_equal(b.data + 2, out, size);
	bytes_release(&b);
}

CASE(text_keeps_null_and_empty)
{
	struct bytes b;

	bytes_init(&b);
	bytes_put_text(&b, NULL, 10);
	bytes_put_text(&b, "", 10);
	assert_int_equal(b.size, 2);
	assert_memory_equal(b.data, "\0\1", 2);
	bytes_release(&b);
}

CASE(text_in_modified_utf8_becomes_true_utf8)
{
	check_text("plain", "plain", 5);
	check_text("a\xc0\x80z", "a\0z", 3);
	check_text("\xc3\xa9\xe2\x82\xac", "\xc3\xa9\xe2\x82\xac", 5);
	check_text("\xed\xa0\xbd\xed\xb8\x80!", "\xf0\x9f\x98\x80!", 5);
	check_text("\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80", 4);
	check_text("\xed\xa0\x80\xed\xb0\x80", "\xf0\x90\x80\x80", 4);
	check_text("\xed\xaf\xbf\xed\xbf\xbf", "\xf4\x8f\xbf\xbf", 4);
}

#define R "\xef\xbf\xbd"

CASE(garbage_becomes_replacement_characters)
{
	check_text("\xff", R, 3);
	check_text("a\x80z", "a" R "z", 5);
	check_text("\xc1\x81", R R, 6);			/* overlong */
	check_text("\xe0\x80\x80", R R R, 9);		/* overlong */
	check_text("\xe2\x82", R R, 6);			/* ends early */
	check_text("\xe2\x82z", R R "z", 7);		/* invalid continuation */
	check_text("\xf4\x90\x80\x80", R R R R, 12);	/* beyond U+10FFFF */
	check_text("\xed\xa0\xbdz", R "z", 4);		/* half a pair of surrogates */
	check_text("\xed\xb8\x80\xed\xa0\xbd", R R, 6); /* in the wrong order */
}

/* The C library judges. */
CASE(written_text_is_always_valid_utf8)
{
	static const char pieces[] = "a\x80\xc0\x80\xc3\xa9\xed\xa0\xbd\xed\xb8\x80\xe2\x82\xac\xf0\x9f\xff";
	iconv_t judge = iconv_open("UTF-32", "UTF-8");
	unsigned int random = 1, i, j;
	struct bytes b;

	bytes_init(&b);
	for (i = 0; i < 20000; i++) {
		char in[17], out[1024], *from, *to = out;
		size_t left, capacity = sizeof(out);

		for (j = 0; j < sizeof(in) - 1; j++) {
			random = random * 1103515245 + 12345;
			in[j] = pieces[(random >> 16) % (sizeof(pieces) - 1)];
		}
		in[1 + i % 16] = 0;
		bytes_clear(&b);
		bytes_put_text(&b, in, 3 + i % 20);
		from = (char *)b.data + 2;
		left = b.data[1];
		assert_int_equal(b.size, 2 + left);
		assert_int_not_equal(iconv(judge, &from, &left, &to, &capacity), (size_t)-1);
	}
	bytes_release(&b);
	iconv_close(judge);
}

CASE(text_is_cut_between_two_characters)
{
	struct bytes b;

	bytes_init(&b);
	bytes_put_text(&b, "abcdefgh", 8);
	assert_memory_equal(b.data, "\3\10abcdefgh", 10);
	bytes_clear(&b);
	bytes_put_text(&b, "abcdefghi", 8);
	assert_memory_equal(b.data, "\3\10abcde...", 10);
	bytes_clear(&b);
	bytes_put_text(&b, "abcd\xed\xa0\xbd\xed\xb8\x80", 9);
	assert_memory_equal(b.data, "\3\7abcd...", 9);
	bytes_release(&b);
}

static void check_decoded(const char *in, size_t size, const char *out)
{
	struct cursor c;
	struct cursor_text t;
	struct bytes b;

	cursor_init(&c, in, size);
	t = cursor_text(&c);
	assert_true(cursor_ok(&c) && c.at == size);
	bytes_init(&b);
	bytes_put_decoded(&b, &t);
	assert_int_equal(b.size, strlen(out));
	assert_memory_equal(b.data ? b.data : (const unsigned char *)"", out, strlen(out));
	bytes_release(&b);
}

CASE(each_text_encoding_is_decoded)
{
	check_decoded("\0", 1, "");
	check_decoded("\1", 1, "");
	check_decoded("\2\5", 2, "");
	check_decoded("\3\2\xc3\xa9", 4, "\xc3\xa9");
	check_decoded("\3\1\xff", 3, R);
	check_decoded("\4\2a\xac\x41", 5, "a\xe2\x82\xac");
	check_decoded("\4\2\xbd\xb0\x03\x80\xbc\x03", 8, "\xf0\x9f\x98\x80");
	check_decoded("\4\2\xbd\xb0\x03z", 6, R "z");
	check_decoded("\4\1\xbd\xb0\x03", 5, R);
	check_decoded("\5\2"
		      "a\xe9",
		      4, "a\xc3\xa9");
}

CASE(buffer_that_failed_writes_nothing_until_cleared)
{
	struct bytes b;

	fail_nth_or_skip();
	bytes_init(&b);
	bytes_put(&b, "abc", 3);
	fail_nth(1);
	assert_null(bytes_reserve(&b, 1000));
	fail_nth(0);
	bytes_put_u8(&b, 1);
	bytes_put_text(&b, "x", 10);
	assert_true(b.failed);
	assert_int_equal(b.size, 3);
	bytes_clear(&b);
	bytes_put_u8(&b, 1);
	assert_false(b.failed);
	assert_int_equal(b.size, 1);
	bytes_release(&b);
}

CASE(buffer_of_impossible_size_is_refused)
{
	struct bytes b;

	bytes_init(&b);
	bytes_put_u8(&b, 1);
	assert_null(bytes_reserve(&b, SIZE_MAX - 16));
	assert_true(b.failed);
	bytes_release(&b);
}

CASE(contents_are_a_text_that_is_never_null)
{
	struct bytes b;
	char *text;

	bytes_init(&b);
	assert_string_equal(bytes_text(&b), "");
	bytes_printf(&b, "%d %s", 7, "frames");
	bytes_printf(&b, "%s", "");
	bytes_printf(&b, ", %0*d", 300, 1);
	assert_int_equal(b.size, strlen("7 frames, ") + 300);
	assert_int_equal(strlen(bytes_text(&b)), b.size);
	assert_memory_equal(bytes_text(&b), "7 frames, 000", 13);
	text = bytes_steal_text(&b);
	assert_int_equal(strlen(text), strlen("7 frames, ") + 300);
	assert_int_equal(b.size, 0);
	free(text);
	b.failed = true;
	assert_string_equal(bytes_text(&b), "");
	assert_null(bytes_steal_text(&b));
	bytes_release(&b);
}
