// SPDX-License-Identifier: BSD-2-Clause
/* The results of JDK 25 for the same values: Duration and OffsetDateTime in jshell, durations of `jfr print`. */
#include "user/text/java_time.h"
#include "tests/lib/test.h"

#define BILLION 1000000000ll

static struct bytes out;

static struct java_time nanos(int64_t n)
{
	int64_t seconds = n / BILLION - (n % BILLION < 0);

	return (struct java_time){.seconds = seconds, .nanos = n - seconds * BILLION};
}

static const char *text(void)
{
	bytes_put_u8(&out, 0);
	assert_false(out.failed);
	return (char *)out.data;
}

static void check_duration(int64_t n, const char *want)
{
	struct java_time t = nanos(n);

	bytes_clear(&out);
	put_duration(&out, &t);
	assert_string_equal(text(), want);
}

static void check_iso(int64_t seconds, int32_t nano, const char *want)
{
	struct java_time t = {.seconds = seconds, .nanos = nano};

	bytes_clear(&out);
	put_duration_iso(&out, &t);
	assert_string_equal(text(), want);
}

static void check_moment(int64_t seconds, int32_t nano, int64_t offset, const char *want)
{
	struct java_time t = {.seconds = seconds, .nanos = nano};

	bytes_clear(&out);
	put_moment_iso(&out, &t, offset);
	assert_string_equal(text(), want);
}

CASE(durations_have_three_digits)
{
	check_duration(0, "0 s");
	check_duration(1, "0.000001 ms");
	check_duration(999, "0.000999 ms");
	check_duration(1000, "0.00100 ms");
	check_duration(1234, "0.00123 ms");
	check_duration(20512345, "20.5 ms");
	check_duration(999600, "1.00 ms");
	check_duration(999999999, "1.00 s");
	check_duration(1234567890, "1.23 s");
	check_duration(12345678900, "12.3 s");
	check_duration(-20512345, "-20.5 ms");
}

CASE(durations_round_into_the_next_unit)
{
	check_duration(9996 * 1000000ll, "10.0 s");
	check_duration(59990 * 1000000ll, "1 m 0 s");
	check_duration(3599600 * 1000000ll, "1 h 0 m");
	check_duration(86399 * BILLION, "1 d 0 h");
	check_duration(5400 * BILLION, "1 h 30 m");
	check_duration(90 * 3600 * BILLION, "3 d 18 h");
}

CASE(iso_durations_give_each_part_the_sign)
{
	check_iso(0, 0, "PT0S");
	check_iso(3600, 0, "PT1H");
	check_iso(60, 0, "PT1M");
	check_iso(-2, 500000000, "PT-1.5S");
	check_iso(-1, 999999999, "PT-0.000000001S");
	check_iso(-3600, 500000000, "PT-59M-59.5S");
	check_iso(90061, 5, "PT25H1M1.000000005S");
	check_iso(INT64_MIN, 0, "PT-2562047788015215H-30M-8S");
	check_iso(INT64_MAX, 999999999, "PT2562047788015215H30M7.999999999S");
}

CASE(moments_follow_the_calendar)
{
	check_moment(0, 0, 0, "1970-01-01T00:00Z");
	check_moment(0, 0, -12645, "1969-12-31T20:29:15-03:30:45");
	check_moment(-1, 1000, 0, "1969-12-31T23:59:59.000001Z");
	check_moment(1700000000, 120000000, 3600, "2023-11-14T23:13:20.120+01:00");
	check_moment(951782400, 0, 0, "2000-02-29T00:00Z");
	check_moment(253402300800, 0, 0, "+10000-01-01T00:00Z");
	check_moment(-62167219201, 0, 0, "-0001-12-31T23:59:59Z");
}

CASE(moments_are_shown_in_the_time_zone_of_the_recording)
{
	struct java_time t = {.seconds = 1700000000, .nanos = 999999999};

	bytes_clear(&out);
	put_moment(&out, &t, 3600, false);
	assert_string_equal(text(), "23:13:20.999 (2023-11-14)");
	bytes_clear(&out);
	put_moment(&out, &t, 7200, true);
	assert_string_equal(text(), "00:13:20.999999999 (2023-11-15)");
	bytes_clear(&out);
	t.seconds = -62167219201;
	put_moment(&out, &t, 0, false);
	assert_string_equal(text(), "23:59:59.999 (0002-12-31)"); /* B.C. */
}
