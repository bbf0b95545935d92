// SPDX-License-Identifier: BSD-2-Clause
/* Long lines are broken between words and between parts. */
#include "user/text/fold.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

static void folds(const char *line, size_t width, const char *want)
{
	struct bytes out;

	bytes_init(&out);
	fold_words(&out, line, width, 2);
	bytes_put_u8(&out, 0);
	assert_false(out.failed);
	assert_string_equal((char *)out.data, want);
	bytes_release(&out);
}

static void lines_break_between_words(void **state)
{
	folds("", 10, "");
	folds("one two", 10, "one two");
	folds("one two three", 13, "one two three");
	folds("one two three", 12, "one two\n  three");
	folds("one two three", 7, "one two\n  three");
	folds("  one   two", 8, "  one\n  two");
	folds("one two ", 7, "one two ");
}

static void a_word_is_never_broken(void **state)
{
	folds("com.acme.Cart.checkout", 10, "com.acme.Cart.checkout");
	folds("in com.acme.Cart.checkout now", 10, "in\n  com.acme.Cart.checkout\n  now");
}

static void columns_are_characters(void **state)
{
	folds("\xc3\xa4\xc3\xb6 \xc3\xbc\xc3\x9f", 5, "\xc3\xa4\xc3\xb6 \xc3\xbc\xc3\x9f");
}

static void parts_stand_beside_each_other_while_they_fit(void **state)
{
	struct bytes out;

	bytes_init(&out);
	assert_int_equal(fold_columns(&out), 0);
	fold_beside(&out, "", "12.0ms", 14, 2);
	fold_beside(&out, ", ", "thrown", 14, 2);
	assert_int_equal(fold_columns(&out), 14);
	fold_beside(&out, ", ", "3 calls", 14, 2);
	assert_int_equal(fold_columns(&out), 9);
	fold_beside(&out, "  ", "<- Cart.main()", 14, 2);
	bytes_put_u8(&out, 0);
	assert_string_equal((char *)out.data, "12.0ms, thrown,\n  3 calls\n  <- Cart.main()");
	bytes_release(&out);
}

#define T(name) cmocka_unit_test(name)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		T(lines_break_between_words),
		T(a_word_is_never_broken),
		T(columns_are_characters),
		T(parts_stand_beside_each_other_while_they_fit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
