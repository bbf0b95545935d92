// SPDX-License-Identifier: BSD-2-Clause
#include "user/text/term.h"
#include "tests/lib/test.h"

#include <fcntl.h>
#include <unistd.h>

static void prints(const char *text, const char *wanted)
{
	char *out = NULL;
	size_t size;
	FILE *to = open_memstream(&out, &size);

	term_print(to, text);
	fclose(to);
	assert_string_equal(out, wanted);
	free(out);
}

CASE(plain_text_is_printed_unchanged)
{
	prints("", "");
	prints("com.acme.Cart$Item::<init>(int[])", "com.acme.Cart$Item::<init>(int[])");
	prints("Größe € 漢字", "Größe € 漢字");
	prints("\xed\xa0\xbd\xed\xb8\x80", "😀"); /* two surrogates, as the JVM writes them */
}

CASE(text_does_not_move_the_cursor)
{
	prints("a\033[2J\r\n\tb\177", "a\\u001b[2J\\u000d\\u000a\\u0009b\\u007f");
	prints("a\xc2\x9b"
	       "2Jb",
	       "a\\u009b2Jb");
	prints("a\xe2\x80\xae"
	       "b\xe2\x80\xa8"
	       "c\xe2\x81\xa6",
	       "a\\u202eb\\u2028c\\u2066");
	prints("a\xc0\x80"
	       "b",
	       "a\\u0000b"); /* the JVM's NUL */
}

CASE(invalid_text_is_marked)
{
	prints("a\xff"
	       "b\xc3",
	       "a\xef\xbf\xbd"
	       "b\xef\xbf\xbd");
}

static void shows(const char *text, size_t size, const char *wanted, size_t taken)
{
	struct bytes out;

	bytes_init(&out);
	assert_int_equal(text_show(&out, text, size), taken);
	bytes_put_u8(&out, 0);
	assert_string_equal((char *)out.data, wanted);
	bytes_release(&out);
}
#define SHOWS(text, wanted) shows(text, sizeof(text) - 1, wanted, sizeof(text) - 1)

CASE(lines_are_shown_and_do_not_control_the_terminal)
{
	SHOWS("a\tb\nc\r\n", "a\tb\nc\r\n");
	SHOWS("evil\033]0;pwned\a\rgood\0", "evil\\u001b]0;pwned\\u0007\\u000dgood\\u0000");
	SHOWS("Größe 😀 \xc2\x9b"
	      "2J\xe2\x80\xae",
	      "Größe 😀 \\u009b2J\\u202e");
	SHOWS("a\x9b"
	      "2J\xc0\x9b\xe2\x28",
	      "a\xef\xbf\xbd"
	      "2J\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd(");
}

CASE(a_name_stays_on_its_line)
{
	struct bytes out;

	bytes_init(&out);
	text_show_name(&out, "a\n\tb\033\xc2\x9b\xe2\x80\xae \xc3\xa9\xe2\x82", 15);
	bytes_put_u8(&out, 0);
	assert_string_equal((char *)out.data, "a\\u000a\\u0009b\033\xc2\x9b\xe2\x80\xae \xc3\xa9\xef\xbf\xbd");
	bytes_release(&out);
}

CASE(incomplete_character_waits_for_the_rest)
{
	shows("a\xe2\x82", 3, "a", 1);
	shows("a\xf0", 2, "a", 1);
	shows("a\r", 2, "a", 1);
}

CASE(colours_need_a_terminal_and_no_refusal)
{
	int fd = posix_openpt(O_RDWR | O_NOCTTY), none = open("/dev/null", O_RDWR);

	assert_true(fd >= 0 && none >= 0);
	setenv("TERM", "xterm", 1);
	unsetenv("NO_COLOR");
	assert_true(term_has_colours(fd));
	assert_false(term_has_colours(none));
	setenv("NO_COLOR", "", 1);
	assert_true(term_has_colours(fd));
	setenv("NO_COLOR", "0", 1);
	assert_false(term_has_colours(fd));
	unsetenv("NO_COLOR");
	setenv("TERM", "dumb", 1);
	assert_false(term_has_colours(fd));
	unsetenv("TERM");
	assert_false(term_has_colours(fd));
	close(fd);
	close(none);
}
