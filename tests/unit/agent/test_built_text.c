// SPDX-License-Identifier: BSD-2-Clause
/* Texts as Java's own toString() has them. tests/live/agent/events.sh compares more of them with a JVM's. */
#include "tests/lib/test.h"
#include "uprobes/agent/fields/built_text.c"

static struct built_text t;

static int setup(void **state)
{
	t.count = t.whole = 0;
	return 0;
}

static void is_text(const char *expected)
{
	assert_int_equal(t.whole, strlen(expected));
	assert_int_equal(t.count, t.whole);
	for (uint32_t i = 0; i < t.count; i++)
		assert_int_equal(t.c[i], (unsigned char)expected[i]);
	t.count = t.whole = 0;
}

static void bytes(const char *text, size_t whole)
{
	built_bytes(&t, (const uint8_t *)text, strlen(text), whole);
}

CASE(bytes_are_utf8_or_else_latin1, setup)
{
	bytes("a\xc3\xa9\xe2\x82\xac", 6);
	assert_int_equal(t.count, 3);
	assert_true(t.c[0] == 'a' && t.c[1] == 0xe9 && t.c[2] == 0x20ac);
	setup(state);
	bytes("\xf0\x9f\x98\x80", 4);
	assert_int_equal(t.count, 2);
	assert_true(t.c[0] == 0xd83d && t.c[1] == 0xde00);
	setup(state);
	bytes("a\xe9z", 3);
	is_text("a\xe9z");
	bytes("a\xc3", 2); /* it ends in the middle */
	is_text("a\xc3");
	bytes("\xc0\x80", 2); /* too long for its character */
	is_text("\xc0\x80");
	bytes("\xed\xa0\x80", 3); /* half a pair */
	is_text("\xed\xa0\x80");
}

CASE(a_character_that_is_cut_with_the_bytes_is_left_out, setup)
{
	bytes("a\xc3", 100);
	assert_int_equal(t.count, 1);
	assert_int_equal(t.whole, 1 + 98);
	assert_int_equal(t.c[0], 'a');
}

CASE(what_is_beyond_the_room_is_counted, setup)
{
	char text[FRT_FIELD_TEXT_MAX + 101] = "";

	memset(text, 'x', sizeof(text) - 1);
	built_ascii(&t, text);
	assert_int_equal(t.count, FRT_FIELD_TEXT_MAX + 1);
	assert_int_equal(t.whole, FRT_FIELD_TEXT_MAX + 100);
}

static const struct decimal_row {
	const char *name;
	bool negative;
	uint32_t words[3];
	int32_t scale;
	const char *expected;
} decimals[] = {
	{"zero", false, {0, 0, 0}, 0, "0"},
	{"zero_with_digits", false, {0, 0, 0}, 3, "0.000"},
	{"a_point_inside", true, {0, 0, 1234500}, 4, "-123.4500"},
	{"a_point_at_the_begin", false, {0, 0, 5}, 6, "0.000005"},
	{"an_exponent_below", false, {0, 0, 5}, 7, "5E-7"},
	{"an_exponent_above", false, {0, 0, 123}, -2, "1.23E+4"},
	{"three_words", false, {1, 0, 0}, 0, "18446744073709551616"},
	{"a_billion", false, {0, 0, 1000000000}, 0, "1000000000"},
	{"the_largest_scale", false, {0, 0, 1}, INT32_MAX, "1E-2147483647"},
	{"the_smallest_scale", false, {0, 0, 1}, INT32_MIN, "1E+2147483648"},
};

CASES(decimals_have_points_and_exponents_as_in_java, decimals, setup)
{
	uint32_t words[3];

	memcpy(words, row->words, sizeof(words));
	built_decimal(&t, row->negative, words, 3, row->scale);
	is_text(row->expected);
}

static const struct instant_row {
	const char *name;
	int64_t seconds;
	uint32_t ns;
	const char *expected;
} instants[] = {
	{"the_epoch", 0, 0, "1970-01-01T00:00:00Z"},
	{"before_the_epoch", -1, 999000000, "1969-12-31T23:59:59.999Z"},
	{"a_leap_day", 1709251199, 1000, "2024-02-29T23:59:59.000001Z"},
	{"the_first_instant", -31557014167219200, 0, "-1000000000-01-01T00:00:00Z"},
	{"the_last_instant", 31556889864403199, 999999999, "+1000000000-12-31T23:59:59.999999999Z"},
};

CASES(instants_are_dates_as_in_java, instants, setup)
{
	built_instant(&t, row->seconds, row->ns);
	is_text(row->expected);
}

CASE(ids_and_addresses_are_as_in_java, setup)
{
	static const uint8_t v4[] = {10, 200, 0, 7}, v6[16] = {0x20, 1, 0xd, 0xb8, [15] = 1};

	built_uuid(&t, 0x00000001000200ff, 0x8000000000000abc);
	is_text("00000001-0002-00ff-8000-000000000abc");
	built_address(&t, v4, 4);
	is_text("10.200.0.7");
	built_address(&t, v6, 16);
	is_text("2001:db8:0:0:0:0:0:1");
	built_number(&t, INT64_MIN);
	is_text("-9223372036854775808");
}
