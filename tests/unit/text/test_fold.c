// SPDX-License-Identifier: BSD-2-Clause
/* Long lines are broken between words and between parts. */
#include "user/text/fold.h"
#include "tests/lib/test.h"

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

CASE(lines_break_between_words)
{
	folds("", 10, "");
	folds("one two", 10, "one two");
	folds("one two three", 13, "one two three");
	folds("one two three", 12, "one two\n  three");
	folds("one two three", 7, "one two\n  three");
	folds("  one   two", 8, "  one\n  two");
	folds("one two ", 7, "one two ");
}

CASE(a_word_is_never_broken)
{
	folds("com.acme.Cart.checkout", 10, "com.acme.Cart.checkout");
	folds("in com.acme.Cart.checkout now", 10, "in\n  com.acme.Cart.checkout\n  now");
}

CASE(columns_are_characters)
{
	folds("\xc3\xa4\xc3\xb6 \xc3\xbc\xc3\x9f", 5, "\xc3\xa4\xc3\xb6 \xc3\xbc\xc3\x9f");
}

CASE(parts_stand_beside_each_other_while_they_fit)
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
