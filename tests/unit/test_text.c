// SPDX-License-Identifier: BSD-2-Clause
#include "user/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

static void prints(const char *text, const char *wanted)
{
	char *out = NULL;
	size_t size;
	FILE *to = open_memstream(&out, &size);

	text_print(to, text);
	fclose(to);
	assert_string_equal(out, wanted);
	free(out);
}

static void text_is_printed_as_it_is(void **state)
{
	prints("", "");
	prints("com.acme.Cart$Item::<init>(int[])", "com.acme.Cart$Item::<init>(int[])");
	prints("Größe € 漢字", "Größe € 漢字");
	prints("\xed\xa0\xbd\xed\xb8\x80", "😀"); /* two surrogates, as the JVM writes them */
}

static void text_does_not_move_the_cursor(void **state)
{
	prints("a\033[2J\r\n\tb\177", "a\\u001b[2J\\u000d\\u000a\\u0009b\\u007f");
	prints("a\xc2\x9b" "2Jb", "a\\u009b2Jb");
	prints("a\xe2\x80\xae" "b\xe2\x80\xa8" "c\xe2\x81\xa6", "a\\u202eb\\u2028c\\u2066");
	prints("a\xc0\x80" "b", "a\\u0000b"); /* the JVM's 0 */
}

static void text_that_is_none_is_marked(void **state)
{
	prints("a\xff" "b\xc3", "a\xef\xbf\xbd" "b\xef\xbf\xbd");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_is_printed_as_it_is),
		cmocka_unit_test(text_does_not_move_the_cursor),
		cmocka_unit_test(text_that_is_none_is_marked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
