// SPDX-License-Identifier: BSD-2-Clause
/* Values of calls from the agent's records, whole, cut and forged. */
#include "user/record/user_value.h"
#include "tests/lib/test.h"

static struct bytes text;

static struct frt_field piece(enum frt_field_form form, const void *data, size_t size, uint16_t flags)
{
	struct frt_field f = {.number = 1, .size = size, .form = form, .kind = FRT_FIELD, .flags = flags};

	memcpy(f.data, data, size < sizeof(f.data) ? size : sizeof(f.data));
	return f;
}

static bool is_wide(const struct jfr_user_value *v, const char *ascii, uint16_t at, uint16_t special)
{
	const uint16_t *c = v->text;

	for (size_t i = 0; i < v->length; i++)
		if (c[i] != (i == at ? special : (unsigned char)ascii[i]))
			return false;
	return v->wide && v->length == strlen(ascii);
}

CASE(a_text_is_put_together)
{
	struct frt_field f[2] = {piece(FRT_FORM_LATIN1, "\5\0\0\0abc", 7, FRT_FIELD_MORE),
				 piece(FRT_FORM_LATIN1, "de", 2, FRT_FIELD_LAST)};
	struct jfr_user_value v;

	(void)state;
	assert_int_equal(user_value_read(&v, PLAN_TEXT, f, 2, &text, NULL), 2);
	assert_false(v.null || v.wide);
	assert_int_equal(v.length, 5);
	assert_memory_equal(v.text, "abcde", 5);
}

CASE(a_cut_text_says_its_length)
{
	struct frt_field f = piece(FRT_FORM_LATIN1, "\0\x10\0\0abc", 7, 0);
	struct jfr_user_value v;

	(void)state;
	user_value_read(&v, PLAN_TEXT, &f, 1, &text, NULL);
	assert_true(is_wide(&v, "abc?(4096)", 3, 0x2026));
}

CASE(a_class_name_is_readable)
{
	struct frt_field f = piece(FRT_FORM_CLASS, "\5\0\0\0[La/B;", 10, 0),
			 p = piece(FRT_FORM_CLASS, "\2\0\0\0[I", 6, 0);
	struct jfr_user_value v;

	(void)state;
	user_value_read(&v, PLAN_TEXT, &f, 1, &text, NULL);
	assert_true(is_wide(&v, "a.B[]", 9, 0));
	user_value_read(&v, PLAN_TEXT, &p, 1, &text, NULL);
	assert_true(is_wide(&v, "int[]", 9, 0));
}

CASE(numbers_keep_their_kind)
{
	int64_t n = -5;
	double twice = 2.5;
	struct frt_field f = piece(FRT_FORM_INTEGER, &n, 8, 0), d = piece(FRT_FORM_DOUBLE, &twice, 8, 0);
	struct jfr_user_value v;

	(void)state;
	user_value_read(&v, PLAN_INT, &f, 1, &text, NULL);
	assert_false(v.null);
	assert_int_equal(v.number, -5);
	user_value_read(&v, PLAN_DOUBLE, &f, 1, &text, NULL);
	assert_true(v.null);
	user_value_read(&v, PLAN_TEXT, &d, 1, &text, NULL);
	assert_int_equal(v.length, 3);
	assert_memory_equal(v.text, "2.5", 3);
}

/* Sizes and flags may be anything. */
CASE(forged_records_stay_in_their_bounds)
{
	struct frt_field f[200];
	struct jfr_user_value v;

	(void)state;
	for (int form = 0; form < 256; form++) {
		for (size_t i = 0; i < 200; i++) {
			f[i] = piece(form, "\xff\xff\xff\xff[[[[[[[[[[[[[[[[[[[[", 24, FRT_FIELD_MORE);
			f[i].size = 255;
		}
		for (int kind = 0; kind <= PLAN_TEXT; kind++) {
			size_t n = user_value_read(&v, kind, f, 200, &text, NULL);

			assert_true(n >= 1 && n <= 200);
			assert_true(v.length <= 4 * FRT_FIELD_TEXT_MAX);
		}
	}
}

static int user_value_release(void **state)
{
	(void)state;
	bytes_release(&text);
	return 0;
}

CASE(the_class_of_the_exception_stands_among_the_values)
{
	struct frt_field f[3] = {piece(FRT_FORM_INTEGER, "\1\0\0\0\0\0\0\0", 8, 0),
				 piece(FRT_FORM_CLASS, "\11\0\0\0La/", 7, FRT_FIELD_MORE),
				 piece(FRT_FORM_CLASS, "Oops$B;", 7, FRT_FIELD_LAST)};
	char name[32];

	(void)state;
	user_value_thrown_name(f, 3, name, sizeof(name));
	assert_string_equal(name, "");
	f[1].number = f[2].number = FRT_FIELD_NUMBER(2, FRT_FIELD_THROWN);
	user_value_thrown_name(f, 3, name, sizeof(name));
	assert_string_equal(name, "a.Oops$B");
	user_value_thrown_name(f, 1, name, sizeof(name));
	assert_string_equal(name, "");
}

CASE(ids_of_a_trace_are_in_network_order)
{
	struct frt_field f[2] = {piece(FRT_FORM_INTEGER, "\1\0\0\0\0\0\0\0", 8, 0),
				 piece(FRT_FORM_TRACE,
				       "\x4b\xf9\x2f\x35\x77\xb3\x4d\xa6\xa3\xce\x92\x9d\x0e\x0e\x47\x36"
				       "\xf0\x67\xaa\x0b\xa9\x02\xb7\x01",
				       24, FRT_FIELD_LAST)};
	struct jfr_method_trace call = {.trace_hi = 1, .trace_lo = 2, .span = 3};

	(void)state;
	user_value_trace(f, 2, &call);
	assert_int_equal(call.span, 3); /* the value of a field of the user's */
	f[1].number = FRT_FIELD_TRACE;
	user_value_trace(f, 1, &call);
	assert_int_equal(call.span, 3);
	user_value_trace(f, 2, &call);
	assert_true(call.trace_hi == 0x4bf92f3577b34da6 && call.trace_lo == 0xa3ce929d0e0e4736);
	assert_true(call.span == 0xf067aa0ba902b701);
}

CASE(what_a_call_has_allocated_stands_among_its_values)
{
	struct frt_field f[2] = {piece(FRT_FORM_INTEGER, "\1\0\0\0\0\0\0\0", 8, 0),
				 piece(FRT_FORM_INTEGER, "\0\2\0\0\1\0\0\0", 8, FRT_FIELD_LAST)};

	(void)state;
	assert_true(user_value_number(f, 2, FRT_FIELD_ALLOCATED) == JFR_MISSING);
	f[1].number = FRT_FIELD_ALLOCATED;
	assert_true(user_value_number(f, 2, FRT_FIELD_ALLOCATED) == (1ll << 32) + 512);
	assert_true(user_value_number(f, 1, FRT_FIELD_ALLOCATED) == JFR_MISSING);
	f[1].data[7] = 0x80;
	assert_true(user_value_number(f, 2, FRT_FIELD_ALLOCATED) == JFR_MISSING);
}

CASE(what_no_class_has_is_missing_and_names_the_class)
{
	struct frt_field f[3] = {piece(FRT_FORM_ABSENT, "\11\0\0\0La/", 7, FRT_FIELD_MORE),
				 piece(FRT_FORM_ABSENT, "Plug$B;", 7, FRT_FIELD_LAST),
				 piece(FRT_FORM_ABSENT, "\0\0\0\0", 4, FRT_FIELD_LAST)};
	struct jfr_user_value v;
	struct value_absent a;

	(void)state;
	for (enum plan_kind kind = 0; kind < PLAN_KINDS; kind++) {
		assert_int_equal(user_value_read(&v, kind, f, 2, &text, NULL), 2);
		assert_true(v.null);
	}
	assert_true(user_value_absent(f, 2, &a));
	assert_string_equal(a.class_name, "a.Plug$B");
	assert_string_equal(a.wanted, "");
	assert_string_equal(a.near, "");
	assert_true(user_value_absent(&f[2], 1, &a));
	assert_string_equal(a.class_name, "");
	f[0] = piece(FRT_FORM_CLASS, "\4\0\0\0La/B;", 9, 0);
	assert_false(user_value_absent(f, 1, &a));
}

CASE(the_fields_that_a_class_has_are_offered_for_the_one_that_it_lacks)
{
	struct frt_field f[2] = {piece(FRT_FORM_ABSENT, "\31\0\0\0La/B; reqest uri ", 21, FRT_FIELD_MORE),
				 piece(FRT_FORM_ABSENT, "request b", 9, FRT_FIELD_LAST)};
	struct value_absent a;

	(void)state;
	assert_true(user_value_absent(f, 2, &a));
	assert_string_equal(a.class_name, "a.B");
	assert_string_equal(a.wanted, "reqest");
	assert_string_equal(a.near, "; near: request");
	f[0] = piece(FRT_FORM_ABSENT, "\7\0\0\0La/B;  ", 11, 0); /* forged: names of no length */
	assert_true(user_value_absent(f, 1, &a));
	assert_string_equal(a.near, "");
}

int main(void)
{
	bytes_init(&text);
	return test_main(NULL, user_value_release);
}

static struct value_amount amount(const char *printed)
{
	return user_value_amount(&(struct jfr_user_value){.text = printed, .length = strlen(printed)});
}

static int64_t difference(enum plan_kind kind, const char *a, const char *b)
{
	struct value_amount x = amount(a), y = amount(b);
	struct jfr_user_value v = user_value_difference(kind, &x, &y);

	return v.null ? INT64_MIN : v.number;
}

CASE(a_difference_is_of_two_numbers_or_two_moments)
{
	double half = 0.5;
	int64_t bits;

	(void)state;
	memcpy(&bits, &half, sizeof(bits));
	assert_int_equal(difference(PLAN_LONG, "7", "-5"), 12);
	assert_int_equal(difference(PLAN_LONG, "2026-11-28T05:22:00.123Z", "2026-11-28T05:22:00Z"), 123000000);
	assert_int_equal(difference(PLAN_LONG, "2024-03-01T00:00:00Z", "2024-02-28T23:59:59.999999999Z"),
			 86400 * 1000000000LL + 1);
	assert_int_equal(difference(PLAN_LONG, "1970-01-01T00:00:00Z", "1969-12-31T23:59:59Z"), 1000000000);
	assert_int_equal(difference(PLAN_DOUBLE, "1.0E1", "9.5"), bits);
	assert_int_equal(difference(PLAN_DOUBLE, "10", "9.5"), bits);
}

CASE(what_is_no_difference_is_missing)
{
	static const char *const pairs[][2] = {
		{"7", "x"},
		{"", "1"},
		{"7", "7.5"},
		{"-9223372036854775808", "1"},
		{"+7", "1"},
		{"99999999999999999999", "1"},
		{"12 ", "1"},
		{"2026-11-28T05:22:00Z", "1"},
		{"2026-11-28", "1"},
		{"2026-11-28T05:22:00", "2026-11-28T05:22:00Z"},
		{"3000-01-01T00:00:00Z", "2026-11-28T05:22:00Z"},
	};
	struct value_amount a = user_value_amount(&(struct jfr_user_value){.null = true}), b = amount("1");

	(void)state;
	assert_int_equal(a.form, AMOUNT_NONE);
	assert_true(user_value_difference(PLAN_LONG, &a, &b).null);
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		assert_int_equal(difference(PLAN_LONG, pairs[i][0], pairs[i][1]), INT64_MIN);
		assert_int_equal(difference(PLAN_LONG, pairs[i][1], pairs[i][0]), INT64_MIN);
	}
}
