// SPDX-License-Identifier: BSD-2-Clause
/* The results of JDK 25 for the same values (jshell). */
#include "user/text/java_number.h"
#include "tests/lib/test.h"

#include <math.h>

static struct bytes out;

static const char *text(void)
{
	bytes_put_u8(&out, 0);
	assert_false(out.failed);
	return (char *)out.data;
}

#define CHECK(want, call)                          \
	do {                                       \
		bytes_clear(&out);                 \
		call;                              \
		assert_string_equal(text(), want); \
	} while (0)

CASE(doubles_are_as_short_as_java_writes_them)
{
	CHECK("0.0", put_double(&out, 0));
	CHECK("-0.0", put_double(&out, -0.0));
	CHECK("1.0", put_double(&out, 1));
	CHECK("100.0", put_double(&out, 100));
	CHECK("0.1", put_double(&out, 0.1));
	CHECK("0.001", put_double(&out, 0.001));
	CHECK("9.99E-4", put_double(&out, 0.000999));
	CHECK("9999999.0", put_double(&out, 9999999));
	CHECK("1.0E7", put_double(&out, 1e7));
	CHECK("1234567.891", put_double(&out, 1234567.891));
	CHECK("0.002", put_double(&out, 0.002));
	CHECK("4.9E-324", put_double(&out, 4.9e-324));
	CHECK("1.7976931348623157E308", put_double(&out, 1.7976931348623157e308));
	CHECK("0.30000000000000004", put_double(&out, 0.1 + 0.2));
	CHECK("NaN", put_double(&out, NAN));
	CHECK("-Infinity", put_double(&out, -INFINITY));
}

CASE(floats_need_fewer_digits)
{
	CHECK("0.1", put_float(&out, 0.1f));
	CHECK("3.4028235E38", put_float(&out, 3.4028235e38f));
	CHECK("1.4E-45", put_float(&out, 1.4e-45f));
	CHECK("0.33333334", put_float(&out, 1 / 3.f));
	CHECK("1.6777216E7", put_float(&out, 16777216.f));
}

CASE(fixed_digits_round_half_up)
{
	CHECK("0.13", put_fixed(&out, 0.125, 2));
	CHECK("0.15", put_fixed(&out, 0.145, 2));
	CHECK("1.01", put_fixed(&out, 1.005, 2)); /* the exact binary value is lower */
	CHECK("1.00", put_fixed(&out, 0.999, 2));
	CHECK("0.00", put_fixed(&out, 0.0004, 2));
	CHECK("0.01", put_fixed(&out, 0.006, 2));
	CHECK("10.0", put_fixed(&out, 9.95, 1));
	CHECK("-1.5", put_fixed(&out, -1.45, 1));
	CHECK("100.00", put_fixed(&out, 100, 2));
	CHECK("123456789012345680000.0", put_fixed(&out, 123456789012345678901.0, 1));
}

CASE(amounts_have_units)
{
	CHECK("0 bytes", put_amount(&out, 0, false, false));
	CHECK("1 byte", put_amount(&out, 1, false, false));
	CHECK("1023 bytes", put_amount(&out, 1023, false, false));
	CHECK("1.0 kB", put_amount(&out, 1024, false, false));
	CHECK("-1.5 kB", put_amount(&out, -1536, false, false));
	CHECK("1.0 MB", put_amount(&out, 1 << 20, false, false));
	CHECK("8.0 EB", put_amount(&out, INT64_MAX, false, false));
	CHECK("N/A", put_amount(&out, INT64_MIN, false, false));
	CHECK("1 bit", put_amount(&out, 1, true, false));
	CHECK("2.0 kbit", put_amount(&out, 2048, true, false));
	CHECK("5 bps", put_amount(&out, 5, true, true));
	CHECK("1.0 GB/s", put_amount(&out, 1 << 30, false, true));
}
