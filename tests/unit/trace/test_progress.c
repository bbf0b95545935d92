// SPDX-License-Identifier: BSD-2-Clause
/* The line of progress; the clock is the test's (wrapped by the linker). */
#include "user/trace/progress.h"
#include "tests/lib/capture.h"
#include "tests/lib/test.h"
#include "tests/lib/wrap.h"
#include "user/text/monotonic.h"
#include "user/text/log.h"

#define MB (1 << 20)

static int64_t now;

WRAP(int64_t, monotonic_ms, void)
{
	return now;
}

static void begin(bool terminal)
{
	log_set(false, false);
	capture_begin(terminal);
	now = 1000;
	progress_begin("shop.jfr", 1000 * MB, false);
}

CASE(a_bar_is_shown_after_a_second_with_rate_and_rest)
{
	begin(true);
	now = 1999;
	progress_reached(100 * MB);
	now = 2000;
	progress_reached(250 * MB);
	now = 2100;
	progress_reached(260 * MB);
	now = 3000;
	progress_reached(500 * MB);
	progress_end();
	now = 9000;
	progress_reached(900 * MB);
	assert_string_equal(capture_end(),
			    "reading shop.jfr [#####               ] 25 %   250.0 MB a second   3.0 s left\r\033[K"
			    "reading shop.jfr [##########          ] 50 %   250.0 MB a second   2.0 s left\r\033[K");
}

CASE(what_is_fast_shows_none)
{
	begin(true);
	now = 1900;
	progress_reached(MB);
	progress_end();
	assert_string_equal(capture_end(), "");
}

CASE(a_pipe_gets_none)
{
	begin(false);
	now = 9000;
	progress_reached(MB);
	progress_end();
	assert_string_equal(capture_end(), "");
}
