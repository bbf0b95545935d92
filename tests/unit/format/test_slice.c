// SPDX-License-Identifier: BSD-2-Clause
#include "format/slice.h"
#include "tests/lib/test.h"

CASE(slice_of_a_string_is_all_of_it)
{
	const char *text = "com/acme/Cart";
	struct slice s = slice_of(text);

	assert_ptr_equal(s.at, text);
	assert_int_equal(s.length, 13);
	assert_int_equal(slice_of("").length, 0);
	assert_int_equal(slice_of(NULL).length, 0);
}

CASE(slices_are_equal_by_content_and_length)
{
	char other[] = "checkout";

	assert_true(slice_equal(slice_of("checkout"), slice_of(other)));
	assert_false(slice_equal(slice_of("checkout"), slice_of("check")));
	assert_false(slice_equal(slice_of("check"), slice_of("checkout")));
	assert_false(slice_equal(slice_of("checkout"), slice_of("checkouT")));
	assert_true(slice_equal((struct slice){"ab", 1}, (struct slice){"ac", 1}));
	assert_true(slice_equal((struct slice){"a\0b", 3}, (struct slice){"a\0b", 3}));
	assert_false(slice_equal((struct slice){"a\0b", 3}, (struct slice){"a\0c", 3}));
}

CASE(empty_slice_may_have_no_place)
{
	struct slice none = {NULL, 0};

	assert_true(slice_equal(none, slice_of("")));
	assert_true(slice_is(none, ""));
	assert_false(slice_is(none, "a"));
	assert_true(slice_begins(none, ""));
	assert_false(slice_begins(none, "a"));
	assert_true(slice_contains(none, ""));
	assert_false(slice_contains(none, "a"));
}

CASE(slice_is_a_text_only_as_a_whole)
{
	assert_true(slice_is(slice_of("Code"), "Code"));
	assert_false(slice_is(slice_of("Code"), "Cod"));
	assert_false(slice_is(slice_of("Code"), "Codes"));
	assert_false(slice_is((struct slice){"Code\0", 5}, "Code"));
}

CASE(slice_begins_with_its_prefixes)
{
	const char *text = "java/util";

	for (size_t length = 0; length <= strlen(text); length++) {
		char prefix[16] = "";

		memcpy(prefix, text, length);
		assert_true(slice_begins(slice_of(text), prefix));
		prefix[length] = '!';
		assert_false(slice_begins(slice_of(text), prefix));
	}
}

CASE(slice_contains_its_parts_wherever_they_stand)
{
	const char *text = "a/B$$Lambda";

	for (size_t begin = 0; begin < strlen(text); begin++)
		for (size_t length = 0; begin + length <= strlen(text); length++) {
			char part[16] = "";

			memcpy(part, text + begin, length);
			assert_true(slice_contains(slice_of(text), part));
		}
	assert_false(slice_contains(slice_of(text), "$$Lambda!"));
	assert_false(slice_contains(slice_of(text), "Lambda$$"));
}

/* The sanitizer and the end of the block see a read that goes too far. */
CASE(nothing_behind_the_end_is_read)
{
	char *text = malloc(4);
	struct slice s = {text, 4};

	memcpy(text, "abab", 4);
	assert_false(slice_is(s, "abab!"));
	assert_false(slice_begins(s, "ababa"));
	assert_false(slice_contains(s, "baba"));
	free(text);
}
