// SPDX-License-Identifier: BSD-2-Clause
#include "user/text/log.h"
#include "tests/lib/capture.h"
#include "tests/lib/test.h"

static int setup(void **state)
{
	log_set(false, false);
	return 0;
}

static void say_all(void)
{
	log_line("line %d", 1);
	log_detail("detail %d", 2);
	log_error("error %d", 3);
	log_progress("progress %d", 4);
}

CASE(each_mode_prints_its_own_lines, setup)
{
	capture_begin(false);
	say_all();
	assert_string_equal(capture_end(), "line 1\nerror 3\n");
	log_set(false, true);
	capture_begin(false);
	say_all();
	assert_string_equal(capture_end(), "line 1\ndetail 2\nerror 3\n");
	log_set(true, false);
	capture_begin(false);
	say_all();
	assert_string_equal(capture_end(), "error 3\n");
}

CASE(a_prefix_begins_each_line_and_ends_progress, setup)
{
	capture_begin(true);
	log_set_prefix("4711: ");
	say_all();
	log_set_prefix("");
	assert_string_equal(capture_end(), "4711: line 1\n4711: error 3\n");
}

CASE(terminal_control_characters_are_escaped, setup)
{
	capture_begin(false);
	log_line("thread %s", "a\033[2Jb\xc2\x9b|");
	log_error("'%s'\n\t^", "\xc3\xa4 \xf0\x9f\x98\x80");
	assert_string_equal(capture_end(), "thread a\\u001b[2Jb\\u009b|\n'\xc3\xa4 \xf0\x9f\x98\x80'\n\t^\n");
}

CASE(progress_leaves_out_what_does_not_fit_into_a_line, setup)
{
	capture_begin(true); /* of 80 columns */
	log_progress("00:01   1,204 calls   0 thrown   0 lost   3 open, oldest 2.0 s   cost 0.02 %% of the JVM's CPU");
	assert_string_equal(capture_end(), "00:01   1,204 calls   0 thrown   0 lost   3 open, oldest 2.0 s");
	capture_begin(true);
	log_progress_end();
	capture_end();
}

CASE(progress_stays_in_its_line_whatever_the_file_is_called, setup)
{
	char name[100] = "\033]0;x\a";

	memset(name + strlen(name), 'n', sizeof(name) - strlen(name) - 1);
	name[sizeof(name) - 1] = 0;
	capture_begin(true); /* of 80 columns */
	log_progress("reading %s: 1 of 2 MB", name);
	log_progress_end();
	assert_string_equal(capture_end(), "reading \\u001b]0;x\\u0007nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn"
					   "nnnnnnnn\r\033[K");
}

CASE(a_terminal_gets_long_lines_broken_between_words, setup)
{
	static const char text[] = "tracing 1 method of 1 class in 7017 com.acme.Shop (JDK 17.0.15): attach 55 ms, "
				   "pause 11.0 ms, rings 0.0 of 4.0 MB, stacks walked";

	capture_begin(true);
	log_line("%s", text);
	log_error("cannot parse 'a%90s b'\n\t^", "");
	assert_string_equal(capture_end(),
			    "tracing 1 method of 1 class in 7017 com.acme.Shop (JDK 17.0.15): attach 55 ms,\n"
			    "    pause 11.0 ms, rings 0.0 of 4.0 MB, stacks walked\n"
			    "cannot parse 'a                                                             "
			    "                              b'\n\t^\n");
	capture_begin(false);
	log_line("%s", text);
	assert_memory_equal(capture_end(), text, sizeof(text) - 1);
}

CASE(progress_overwrites_itself_on_a_terminal, setup)
{
	capture_begin(true);
	assert_true(log_is_live());
	log_progress("1 call");
	log_progress("2 calls");
	log_line("done");
	log_line("again");
	assert_string_equal(capture_end(), "1 call\r\033[K2 calls\r\033[Kdone\nagain\n");
}

CASE(quiet_shows_no_progress, setup)
{
	log_set(true, false);
	capture_begin(true);
	assert_false(log_is_live());
	log_progress("1 call");
	assert_string_equal(capture_end(), "");
}

CASE(counts_have_commas, setup)
{
	assert_string_equal(log_count(0), "0");
	assert_string_equal(log_count(999), "999");
	assert_string_equal(log_count(1000), "1,000");
	assert_string_equal(log_count(1234567), "1,234,567");
	assert_string_equal(log_count(UINT64_MAX), "18,446,744,073,709,551,615");
}

CASE(times_have_a_fitting_unit, setup)
{
	assert_string_equal(log_time(0), "0 ns");
	assert_string_equal(log_time(999), "999 ns");
	assert_string_equal(log_time(1000), "1.0 us");
	assert_string_equal(log_time(31200000), "31.2 ms");
	assert_string_equal(log_time(99940000), "99.9 ms");
	assert_string_equal(log_time(99960000), "100 ms");
	assert_string_equal(log_time(980000000), "980 ms");
	assert_string_equal(log_time(999600), "1.0 ms");
	assert_string_equal(log_time(3600000000000), "3600 s");
	assert_string_equal(log_time(42100000000), "42.1 s");
}

CASE(sizes_have_a_fitting_unit, setup)
{
	assert_string_equal(log_bytes(1536), "1.5 KB");
	assert_string_equal(log_bytes(1153434), "1.1 MB");
	assert_string_equal(log_bytes(1 << 30), "1.0 GB");
}

/* A line of the report contains half a dozen of them. */
CASE(several_results_are_valid_at_once, setup)
{
	const char *text[12];

	for (int i = 0; i < 12; i++)
		text[i] = i % 2 ? log_count(1000 + i) : log_time(i);
	for (int i = 1; i < 12; i += 2) {
		char want[16];

		snprintf(want, sizeof(want), "1,%03d", i);
		assert_string_equal(text[i], want);
	}
}
