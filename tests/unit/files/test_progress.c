// SPDX-License-Identifier: BSD-2-Clause
/* The line of progress; the clock is the test's (wrapped by the linker). */
#include "user/files/progress.h"
#include "tests/lib/capture.h"
#include "user/text/log.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define MB (1 << 20)

static int64_t now;

int64_t __wrap_monotonic_ms(void);

int64_t __wrap_monotonic_ms(void)
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

static void a_line_is_shown_after_two_seconds_and_erased(void **state)
{
	begin(true);
	now = 2999;
	progress_reached(100 * MB);
	now = 3000;
	progress_reached(150 * MB);
	now = 3100;
	progress_reached(160 * MB);
	now = 3300;
	progress_reached(500 * MB);
	progress_end();
	now = 9000;
	progress_reached(900 * MB);
	assert_string_equal(capture_end(), "reading shop.jfr: 150.0 MB of 1.0 GB\r\033[K"
					   "reading shop.jfr: 500.0 MB of 1.0 GB\r\033[K");
}

static void what_is_fast_shows_none(void **state)
{
	begin(true);
	now = 2000;
	progress_reached(MB);
	progress_end();
	assert_string_equal(capture_end(), "");
}

static void a_pipe_gets_none(void **state)
{
	begin(false);
	now = 9000;
	progress_reached(MB);
	progress_end();
	assert_string_equal(capture_end(), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_is_shown_after_two_seconds_and_erased),
		cmocka_unit_test(what_is_fast_shows_none),
		cmocka_unit_test(a_pipe_gets_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
