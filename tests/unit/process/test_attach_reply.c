// SPDX-License-Identifier: BSD-2-Clause
#include "user/process/attach_reply.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

static struct diag d;

static void request_has_three_arguments_however_many_are_given(void **state)
{
	static const char expected[] = "1\0load\0/a/x.so\0true\0";
	char out[ATTACH_REQUEST_MAX];
	const char *two[] = {"/a/x.so", "true", NULL};

	assert_int_equal(attach_request_write("load", two, out, &d), sizeof(expected));
	assert_memory_equal(out, expected, sizeof(expected));
	assert_int_equal(attach_request_write("properties", NULL, out, &d), 2 + 11 + 3);
}

static void request_refuses_what_the_jvm_would_reject(void **state)
{
	char out[ATTACH_REQUEST_MAX], longest[ATTACH_ARGUMENT + 2];
	const char *arguments[] = {longest, "a", "b", NULL}, *four[] = {"a", "b", "c", "d", NULL};

	memset(longest, 'x', sizeof(longest));
	longest[ATTACH_ARGUMENT] = 0;
	assert_true(attach_request_write("load", arguments, out, &d) > ATTACH_ARGUMENT);
	longest[ATTACH_ARGUMENT] = 'x';
	longest[ATTACH_ARGUMENT + 1] = 0;
	assert_int_equal(attach_request_write("load", arguments, out, &d), -E2BIG);
	assert_int_equal(attach_request_write("load", four, out, &d), -E2BIG);
	assert_int_equal(attach_request_write("a_command_too_long", NULL, out, &d), -E2BIG);
}

static int parse(const char *reply, int *code, char *rest, size_t size)
{
	size_t length = strlen(reply);
	int r;

	snprintf(rest, size, "%s", reply);
	r = attach_reply_parse(rest, &length, code, &d);
	if (!r)
		assert_int_equal(length, strlen(rest));
	return r;
}

static void code_is_the_first_line_and_the_text_follows(void **state)
{
	char rest[128];
	int code;

	assert_int_equal(parse("0\nhello\nworld\n", &code, rest, sizeof(rest)), 0);
	assert_int_equal(code, 0);
	assert_string_equal(rest, "hello\nworld\n");
	assert_int_equal(parse("-1\n", &code, rest, sizeof(rest)), 0);
	assert_int_equal(code, -1);
	assert_string_equal(rest, "");
	assert_int_equal(parse("101", &code, rest, sizeof(rest)), 0);
	assert_int_equal(code, 101);
}

static void invalid_reply_is_an_error(void **state)
{
	char rest[128];
	int code;

	assert_int_equal(parse("", &code, rest, sizeof(rest)), -EPROTO);
	assert_non_null(strstr(d.text, "without an answer"));
	assert_int_equal(parse("HTTP/1.1 400\n", &code, rest, sizeof(rest)), -EPROTO);
	assert_int_equal(parse("0x\n", &code, rest, sizeof(rest)), -EPROTO);
	assert_int_equal(parse("99999999999\n", &code, rest, sizeof(rest)), -EPROTO);
	assert_int_equal(parse("-\n", &code, rest, sizeof(rest)), -EPROTO);
	assert_int_equal(parse("\n0\n", &code, rest, sizeof(rest)), -EPROTO);
}

static void load_of_jdk_8_has_a_bare_number(void **state)
{
	int result = -99;

	assert_int_equal(attach_load_parse(0, "0\n", &result, &d), 0);
	assert_int_equal(result, 0);
	assert_int_equal(attach_load_parse(0, "-3\n", &result, &d), 0);
	assert_int_equal(result, -3);
	assert_int_equal(attach_load_parse(-1, "", &result, &d), -EIO);
	assert_non_null(strstr(d.text, "code -1"));
}

static void load_of_jdk_9_has_a_label(void **state)
{
	int result = -99;

	assert_int_equal(attach_load_parse(0, "return code: 0\n", &result, &d), 0);
	assert_int_equal(result, 0);
	assert_int_equal(attach_load_parse(0, "some line\nreturn code: 12\n", &result, &d), 0);
	assert_int_equal(result, 12);
}

static void failed_load_is_reported_with_the_jvms_text(void **state)
{
	int result;

	assert_int_equal(attach_load_parse(0, "/a/x.so was not loaded.\n/a/x.so: cannot open\033 it\n", &result, &d),
			 -EIO);
	assert_string_equal(d.text,
			    "the JVM did not load the agent: /a/x.so was not loaded.; /a/x.so: cannot open? it");
	assert_int_equal(attach_load_parse(-1, "Dynamic agent loading is not enabled.\n", &result, &d), -EIO);
	assert_non_null(strstr(d.text, "not enabled"));
	assert_int_equal(attach_load_parse(-1, "0\n", &result, &d), -EIO);
	assert_int_equal(attach_load_parse(-1, "return code: 0\n", &result, &d), -EIO);
	assert_int_equal(attach_load_parse(0, "no return code: 0\n", &result, &d), -EIO);
	assert_int_equal(attach_load_parse(0, "return code: x\n", &result, &d), -EIO);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(request_has_three_arguments_however_many_are_given),
		cmocka_unit_test(request_refuses_what_the_jvm_would_reject),
		cmocka_unit_test(code_is_the_first_line_and_the_text_follows),
		cmocka_unit_test(invalid_reply_is_an_error),
		cmocka_unit_test(load_of_jdk_8_has_a_bare_number),
		cmocka_unit_test(load_of_jdk_9_has_a_label),
		cmocka_unit_test(failed_load_is_reported_with_the_jvms_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
