// SPDX-License-Identifier: BSD-2-Clause
#include "user/text/java_time.h"
#include "user/text/java_number.h"

#define BILLION 1000000000ll

static struct java_time java_time_time_of(int64_t value, int64_t a_second)
{
	int64_t seconds = value / a_second, rest = value % a_second;

	if (rest < 0) {
		rest += a_second;
		seconds--;
	}
	return (struct java_time){.seconds = seconds, .nanos = rest * (BILLION / a_second)};
}

bool java_timespan(struct java_time *t, const struct jfr_chunk *chunk, const struct meta_field *f, int64_t value)
{
	switch (f->timespan) {
	case META_TICKS: *t = java_time_time_of(jfr_timebase_span(&chunk->clock, value), BILLION); break;
	case META_NANOSECONDS: *t = java_time_time_of(value, BILLION); break;
	case META_MICROSECONDS: *t = java_time_time_of((int64_t)(1000 * (uint64_t)value), BILLION); break;
	case META_MILLISECONDS: *t = java_time_time_of(value, 1000); break;
	case META_SECONDS: *t = java_time_time_of(value, 1); break;
	default: return false;
	}
	if (value == INT64_MIN)
		*t = (struct java_time){.seconds = INT64_MIN, .kind = TIME_MISSING};
	if (value == INT64_MAX)
		*t = (struct java_time){.seconds = INT64_MAX, .nanos = BILLION - 1, .kind = TIME_FOREVER};
	return true;
}

bool java_timestamp(struct java_time *t, const struct jfr_chunk *chunk, const struct meta_field *f, int64_t value)
{
	if (f->timestamp == META_TICKS)
		*t = java_time_time_of(jfr_timebase_moment(&chunk->clock, value), BILLION);
	else if (f->timestamp == META_MILLISECONDS)
		*t = java_time_time_of(value, 1000);
	else
		return false;
	if (value == INT64_MIN)
		t->kind = TIME_MISSING;
	return true;
}

static unsigned int count_digits(uint64_t n)
{
	unsigned int digits = 1;

	while (n /= 10)
		digits++;
	return digits;
}

/* n / 10^places */
static void put_decimal(struct bytes *out, uint64_t n, unsigned int places)
{
	uint64_t unit = 1;

	for (unsigned int i = 0; i < places; i++)
		unit *= 10;
	put_unsigned(out, n / unit);
	if (!places)
		return;
	bytes_put_u8(out, '.');
	put_padded(out, n % unit, places);
}

static uint64_t ten_to(unsigned int n)
{
	return n ? 10 * ten_to(n - 1) : 1;
}

static uint64_t round_to(uint64_t n, uint64_t unit)
{
	return (n + unit / 2) / unit * unit;
}

/* Round to the digits that will be shown, which may carry into the next unit: 59.99 s become 1 m 0 s. */
static void round_duration(uint64_t *seconds, uint64_t *nanos)
{
	if (*seconds == 0 && *nanos >= 1000)
		*nanos = round_to(*nanos, ten_to(count_digits(*nanos) - 3));
	else if (*seconds > 0 && *seconds < 60)
		*nanos = round_to(*nanos / 1000000, *seconds < 10 ? 10 : 100) * 1000000;
	else if (*seconds >= 60)
		*seconds += *seconds < 3600 ? *nanos >= BILLION / 2 : *seconds < 86400 ? 30 : 1800;
	*seconds += *nanos / BILLION;
	*nanos %= BILLION;
}

static void put_milliseconds(struct bytes *out, uint64_t nanos)
{
	unsigned int digits = count_digits(nanos);

	if (nanos < 1000)
		put_decimal(out, nanos, 6);
	else
		put_decimal(out, nanos / ten_to(digits - 3), 9 - digits);
	put_text(out, " ms");
}

static void put_two(struct bytes *out, uint64_t large, const char *unit, uint64_t small, const char *small_unit)
{
	put_unsigned(out, large);
	put_text(out, unit);
	put_unsigned(out, small);
	put_text(out, small_unit);
}

static void put_rounded(struct bytes *out, uint64_t seconds, uint64_t nanos)
{
	if (seconds == 0) {
		put_milliseconds(out, nanos);
	} else if (seconds < 60) {
		put_decimal(out, seconds < 10 ? seconds * 100 + nanos / 10000000 : seconds * 10 + nanos / 100000000,
			    seconds < 10 ? 2 : 1);
		put_text(out, " s");
	} else if (seconds < 3600) {
		put_two(out, seconds / 60, " m ", seconds % 60, " s");
	} else if (seconds < 86400) {
		put_two(out, seconds / 3600, " h ", seconds % 3600 / 60, " m");
	} else {
		put_two(out, seconds / 86400, " d ", seconds % 86400 / 3600, " h");
	}
}

/* The absolute value. Returns true if it was negative. */
static bool split_sign(const struct java_time *t, uint64_t *seconds, uint64_t *nanos)
{
	*seconds = t->seconds;
	*nanos = t->nanos;
	if (t->seconds >= 0)
		return false;
	*seconds = -(uint64_t)t->seconds - (t->nanos > 0);
	*nanos = t->nanos ? BILLION - t->nanos : 0;
	return true;
}

static bool java_time_put_special(struct bytes *out, const struct java_time *t)
{
	if (t->kind != TIME_KNOWN)
		put_text(out, t->kind == TIME_MISSING ? "N/A" : "Forever");
	return t->kind != TIME_KNOWN;
}

void put_duration(struct bytes *out, const struct java_time *t)
{
	uint64_t seconds, nanos;

	if (java_time_put_special(out, t))
		return;
	if (!t->seconds && !t->nanos) {
		put_text(out, "0 s");
		return;
	}
	if (split_sign(t, &seconds, &nanos))
		bytes_put_u8(out, '-');
	round_duration(&seconds, &nanos);
	put_rounded(out, seconds, nanos);
}

void put_duration_exact(struct bytes *out, const struct java_time *t)
{
	uint64_t seconds, nanos;

	if (java_time_put_special(out, t))
		return;
	if (split_sign(t, &seconds, &nanos))
		bytes_put_u8(out, '-');
	put_unsigned(out, seconds);
	bytes_put_u8(out, '.');
	put_padded(out, nanos, 9);
	put_text(out, " s");
}

/* Append ".5" without final zeros; `thousands`: groups of three digits. */
static void put_fraction(struct bytes *out, uint32_t nanos, bool thousands)
{
	unsigned int digits = 9;

	if (!nanos)
		return;
	while (nanos % (thousands ? 1000 : 10) == 0) {
		nanos /= thousands ? 1000 : 10;
		digits -= thousands ? 3 : 1;
	}
	bytes_put_u8(out, '.');
	put_padded(out, nanos, digits);
}

static void put_signed(struct bytes *out, bool negative, uint64_t n, const char *unit)
{
	if (negative)
		bytes_put_u8(out, '-');
	put_unsigned(out, n);
	put_text(out, unit);
}

/* Each part has the sign. */
void put_duration_iso(struct bytes *out, const struct java_time *t)
{
	uint64_t seconds, nanos;
	bool negative = split_sign(t, &seconds, &nanos);

	put_text(out, "PT");
	if (seconds >= 3600)
		put_signed(out, negative, seconds / 3600, "H");
	if (seconds / 60 % 60)
		put_signed(out, negative, seconds / 60 % 60, "M");
	if (seconds >= 60 && seconds % 60 == 0 && !nanos)
		return;
	put_signed(out, negative, seconds % 60, "");
	put_fraction(out, nanos, false);
	bytes_put_u8(out, 'S');
}

struct date {
	int64_t year;
	unsigned int month, day;
};

/* The Gregorian calendar, in eras of 400 years that begin on the first of March. */
static struct date date_of(int64_t days)
{
	int64_t era;
	unsigned int day, year, month;

	days += 719468;
	era = (days >= 0 ? days : days - 146096) / 146097;
	day = days - era * 146097;
	year = (day - day / 1460 + day / 36524 - day / 146096) / 365;
	day -= 365 * year + year / 4 - year / 100;
	month = (5 * day + 2) / 153;
	return (struct date){
		.year = year + era * 400 + (month >= 10),
		.month = month < 10 ? month + 3 : month - 9,
		.day = day - (153 * month + 2) / 5 + 1,
	};
}

/* The year before year 1 of our era is year 1 of the previous era. */
static struct date date_of_era(int64_t days)
{
	struct date date = date_of(days);

	if (date.year <= 0)
		date.year = 1 - date.year;
	return date;
}

static void put_date(struct bytes *out, struct date date)
{
	if (date.year < 0 || date.year > 9999)
		bytes_put_u8(out, date.year < 0 ? '-' : '+');
	put_padded(out, date.year < 0 ? -date.year : date.year, 4);
	bytes_put_u8(out, '-');
	put_padded(out, date.month, 2);
	bytes_put_u8(out, '-');
	put_padded(out, date.day, 2);
}

static void java_time_put_clock(struct bytes *out, unsigned int second, bool seconds)
{
	put_padded(out, second / 3600, 2);
	bytes_put_u8(out, ':');
	put_padded(out, second / 60 % 60, 2);
	if (!seconds)
		return;
	bytes_put_u8(out, ':');
	put_padded(out, second % 60, 2);
}

static int64_t day_of(int64_t seconds)
{
	return seconds / 86400 - (seconds % 86400 < 0);
}

static unsigned int second_of(int64_t seconds)
{
	return seconds - day_of(seconds) * 86400;
}

void put_moment(struct bytes *out, const struct java_time *t, int64_t utc_offset, bool exact)
{
	int64_t seconds = t->seconds + utc_offset;

	if (java_time_put_special(out, t))
		return;
	java_time_put_clock(out, second_of(seconds), true);
	bytes_put_u8(out, '.');
	put_padded(out, exact ? t->nanos : t->nanos / 1000000, exact ? 9 : 3);
	put_text(out, " (");
	put_date(out, date_of_era(day_of(seconds)));
	bytes_put_u8(out, ')');
}

static void put_offset(struct bytes *out, int64_t offset)
{
	unsigned int seconds = offset < 0 ? -offset : offset;

	if (!offset) {
		bytes_put_u8(out, 'Z');
		return;
	}
	bytes_put_u8(out, offset < 0 ? '-' : '+');
	java_time_put_clock(out, seconds, seconds % 60 != 0);
}

void put_moment_iso(struct bytes *out, const struct java_time *t, int64_t utc_offset)
{
	int64_t seconds = t->seconds + utc_offset;

	if (t->kind == TIME_MISSING) {
		put_text(out, "-999999999-01-01T00:00+18:00");
		return;
	}
	put_date(out, date_of(day_of(seconds)));
	bytes_put_u8(out, 'T');
	java_time_put_clock(out, second_of(seconds), second_of(seconds) % 60 || t->nanos);
	put_fraction(out, t->nanos, true);
	put_offset(out, utc_offset);
}

void put_date_time(struct bytes *out, int64_t seconds)
{
	put_date(out, date_of(day_of(seconds)));
	bytes_put_u8(out, ' ');
	java_time_put_clock(out, second_of(seconds), true);
}
