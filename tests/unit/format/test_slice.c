// SPDX-License-Identifier: BSD-2-Clause
#include "format/slice.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <setjmp.h>
#include <cmocka.h>

static void slice_of_a_string_is_all_of_it(void **state)
{
	const char *text = "com/acme/Cart";
	struct slice s = slice_of(text);

	assert_ptr_equal(s.at, text);
	assert_int_equal(s.length, 13);
	assert_int_equal(slice_of("").length, 0);
	assert_int_equal(slice_of(NULL).length, 0);
}

static void slices_are_equal_by_content_and_length(void **state)
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

static void empty_slice_may_have_no_place(void **state)
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

static void slice_is_a_text_only_as_a_whole(void **state)
{
	assert_true(slice_is(slice_of("Code"), "Code"));
	assert_false(slice_is(slice_of("Code"), "Cod"));
	assert_false(slice_is(slice_of("Code"), "Codes"));
	assert_false(slice_is((struct slice){"Code\0", 5}, "Code"));
}

static void slice_begins_with_its_prefixes(void **state)
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

static void slice_contains_its_parts_wherever_they_stand(void **state)
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
static void nothing_behind_the_end_is_read(void **state)
{
	char *text = malloc(4);
	struct slice s = {text, 4};

	memcpy(text, "abab", 4);
	assert_false(slice_is(s, "abab!"));
	assert_false(slice_begins(s, "ababa"));
	assert_false(slice_contains(s, "baba"));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slice_of_a_string_is_all_of_it),
		cmocka_unit_test(slices_are_equal_by_content_and_length),
		cmocka_unit_test(empty_slice_may_have_no_place),
		cmocka_unit_test(slice_is_a_text_only_as_a_whole),
		cmocka_unit_test(slice_begins_with_its_prefixes),
		cmocka_unit_test(slice_contains_its_parts_wherever_they_stand),
		cmocka_unit_test(nothing_behind_the_end_is_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
