// SPDX-License-Identifier: BSD-2-Clause
#include "tests/lib/test.h"
#include "user/process/attach_reply.h"

static struct diag d;

CASE(request_has_three_arguments_however_many_are_given)
{
	static const char expected[] = "1\0load\0/a/x.so\0true\0";
	char out[ATTACH_REQUEST_MAX];
	const char *two[] = {"/a/x.so", "true", NULL};

	assert_int_equal(attach_request_write("load", two, out, &d), sizeof(expected));
	assert_memory_equal(out, expected, sizeof(expected));
	assert_int_equal(attach_request_write("properties", NULL, out, &d), 2 + 11 + 3);
}

CASE(request_refuses_what_the_jvm_would_reject)
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

CASE(code_is_the_first_line_and_the_text_follows)
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

CASE(invalid_reply_is_an_error)
{
	char rest[128];
	int code;

	assert_int_equal(parse("", &code, rest, sizeof(rest)), -EPROTO);
	assert_contains(d.text, "without an answer");
	assert_int_equal(parse("HTTP/1.1 400\n", &code, rest, sizeof(rest)), -EPROTO);
	assert_int_equal(parse("0x\n", &code, rest, sizeof(rest)), -EPROTO);
	assert_int_equal(parse("99999999999\n", &code, rest, sizeof(rest)), -EPROTO);
	assert_int_equal(parse("-\n", &code, rest, sizeof(rest)), -EPROTO);
	assert_int_equal(parse("\n0\n", &code, rest, sizeof(rest)), -EPROTO);
}

CASE(load_of_jdk_8_has_a_bare_number)
{
	int result = -99;

	assert_int_equal(attach_load_parse(0, "0\n", &result, &d), 0);
	assert_int_equal(result, 0);
	assert_int_equal(attach_load_parse(0, "-3\n", &result, &d), 0);
	assert_int_equal(result, -3);
	assert_int_equal(attach_load_parse(-1, "", &result, &d), -EIO);
	assert_contains(d.text, "code -1");
}

CASE(load_of_jdk_9_has_a_label)
{
	int result = -99;

	assert_int_equal(attach_load_parse(0, "return code: 0\n", &result, &d), 0);
	assert_int_equal(result, 0);
	assert_int_equal(attach_load_parse(0, "some line\nreturn code: 12\n", &result, &d), 0);
	assert_int_equal(result, 12);
}

CASE(failed_load_is_reported_with_the_jvms_text)
{
	int result;

	assert_int_equal(attach_load_parse(0, "/a/x.so was not loaded.\n/a/x.so: cannot open\033 it\n", &result, &d),
			 -EIO);
	assert_string_equal(d.text,
			    "the JVM did not load the agent: /a/x.so was not loaded.; /a/x.so: cannot open? it");
	assert_int_equal(attach_load_parse(-1,
					   "Dynamic agent loading is not enabled. Use -XX:+E to launch target VM.\n",
					   &result, &d),
			 -EIO);
	assert_contains(
		d.text,
		"agent: Dynamic agent loading is not enabled. Use -XX:+E to launch target VM. Or start it as 'frtrace -- java ...',");
	assert_contains(d.text, "not enabled");
	assert_int_equal(attach_load_parse(-1, "0\n", &result, &d), -EIO);
	assert_int_equal(attach_load_parse(-1, "return code: 0\n", &result, &d), -EIO);
	assert_int_equal(attach_load_parse(0, "no return code: 0\n", &result, &d), -EIO);
	assert_int_equal(attach_load_parse(0, "return code: x\n", &result, &d), -EIO);
}
