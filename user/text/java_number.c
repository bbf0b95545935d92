// SPDX-License-Identifier: BSD-2-Clause
#include "user/text/java_number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

void put_text(struct bytes *out, const char *text)
{
	bytes_put(out, text, strlen(text));
}

void put_spaces(struct bytes *out, unsigned int count)
{
	unsigned char *p = count ? bytes_reserve(out, count) : NULL;

	if (!p)
		return;
	memset(p, ' ', count);
	out->size += count;
}

void put_padded(struct bytes *out, uint64_t n, unsigned int digits)
{
	char text[24], *p = text + sizeof(text), *end = p;

	do {
		*--p = '0' + n % 10;
		n /= 10;
	} while (n || end - p < (int)digits);
	bytes_put(out, p, end - p);
}

void put_unsigned(struct bytes *out, uint64_t n)
{
	put_padded(out, n, 1);
}

void put_integer(struct bytes *out, int64_t n)
{
	if (n < 0)
		bytes_put_u8(out, '-');
	put_padded(out, n < 0 ? -(uint64_t)n : (uint64_t)n, 1);
}

/* 0.d1d2d3... * 10^exponent */
struct decimal {
	char digits[24];
	int count, exponent;
};

/* Parse "-1.2345e+02" without its sign. */
static void decimal_read(struct decimal *d, const char *text)
{
	d->count = 0;
	for (; *text && *text != 'e'; text++)
		if (*text != '.')
			d->digits[d->count++] = *text;
	d->exponent = atoi(text + 1) + 1;
	while (d->count > 1 && d->digits[d->count - 1] == '0')
		d->count--;
}

/*
 * The fewest digits that parse to the same number. Any number not too close to zero survives a conversion to 15
 * digits and back (6 for a float); if these suffice, only final zeros have to be removed.
 */
static void decimal_shortest(struct decimal *d, double value, bool single)
{
	bool tiny = value < (single ? 1.2e-38 : 2.3e-308);
	char text[40];

	for (int precision = tiny ? 1 : single ? 5 : 14; precision < 17; precision++) {
		snprintf(text, sizeof(text), "%.*e", precision, value);
		if (single ? strtof(text, NULL) == (float)value : strtod(text, NULL) == value)
			break;
	}
	decimal_read(d, text);
}

static void put_scientific(struct bytes *out, const struct decimal *d)
{
	bytes_put_u8(out, d->digits[0]);
	bytes_put_u8(out, '.');
	bytes_put(out, d->count > 1 ? d->digits + 1 : "0", d->count > 1 ? d->count - 1 : 1);
	bytes_put_u8(out, 'E');
	put_integer(out, d->exponent - 1);
}

static char decimal_digit(const struct decimal *d, int place)
{
	return place >= 0 && place < d->count ? d->digits[place] : '0';
}

static void put_plain(struct bytes *out, const struct decimal *d)
{
	int i = d->exponent < 1 ? d->exponent - 1 : 0, end = d->count > d->exponent + 1 ? d->count : d->exponent + 1;

	for (; i < end; i++) {
		if (i == d->exponent)
			bytes_put_u8(out, '.');
		bytes_put_u8(out, decimal_digit(d, i));
	}
}

static bool java_number_put_special(struct bytes *out, double value)
{
	if (isnan(value)) {
		put_text(out, "NaN");
		return true;
	}
	if (signbit(value))
		bytes_put_u8(out, '-');
	if (isinf(value))
		put_text(out, "Infinity");
	else if (value == 0)
		put_text(out, "0.0");
	return isinf(value) || value == 0;
}

static void java_number_put_real(struct bytes *out, double value, bool single)
{
	struct decimal d;

	if (java_number_put_special(out, value))
		return;
	value = fabs(value);
	decimal_shortest(&d, value, single);
	if (value >= 1e-3 && value < 1e7)
		put_plain(out, &d);
	else
		put_scientific(out, &d);
}

void put_double(struct bytes *out, double d)
{
	java_number_put_real(out, d, false);
}

void put_float(struct bytes *out, float f)
{
	java_number_put_real(out, f, true);
}

/* Keep `count` digits, rounding half up; 0.999 may become 1.00. */
static void decimal_round(struct decimal *d, int count)
{
	int i;

	if (count >= d->count)
		return;
	if (count < 0 || d->digits[count] < '5') {
		d->count = count < 0 ? 0 : count;
		return;
	}
	d->count = count;
	for (i = count - 1; i >= 0 && d->digits[i] == '9'; i--)
		d->count--;
	if (i >= 0) {
		d->digits[i]++;
		return;
	}
	d->digits[0] = '1';
	d->count = 1;
	d->exponent++;
}

/* For most numbers, which are far from the middle between two results, a product decides. */
static bool put_fixed_fast(struct bytes *out, double value, unsigned int digits)
{
	uint64_t unit = 1, rounded;
	double scaled;

	for (unsigned int i = 0; i < digits; i++)
		unit *= 10;
	scaled = value * unit;
	if (digits == 0 || !(scaled < 1e11) || fabs(scaled - floor(scaled) - 0.5) < 1e-3)
		return false;
	rounded = scaled + 0.5;
	put_unsigned(out, rounded / unit);
	bytes_put_u8(out, '.');
	put_padded(out, rounded % unit, digits);
	return true;
}

void put_fixed(struct bytes *out, double value, unsigned int digits)
{
	struct decimal d = {.exponent = 0};
	int i;

	if (!isfinite(value)) {
		java_number_put_special(out, value);
		return;
	}
	if (signbit(value))
		bytes_put_u8(out, '-');
	if (put_fixed_fast(out, fabs(value), digits))
		return;
	if (value != 0) {
		decimal_shortest(&d, fabs(value), false);
		decimal_round(&d, d.exponent + (int)digits);
	}
	for (i = d.exponent < 1 ? d.exponent - 1 : 0; i < d.exponent + (int)digits; i++) {
		if (i == d.exponent)
			bytes_put_u8(out, '.');
		bytes_put_u8(out, decimal_digit(&d, i));
	}
}

static void put_small_amount(struct bytes *out, int64_t amount, bool bits, bool a_second)
{
	put_integer(out, amount);
	if (a_second)
		put_text(out, bits ? " bps" : " byte/s");
	else if (amount == 1 || amount == -1)
		put_text(out, bits ? " bit" : " byte");
	else
		put_text(out, bits ? " bits" : " bytes");
}

void put_amount(struct bytes *out, int64_t amount, bool bits, bool a_second)
{
	int exponent;

	if (amount == INT64_MIN) {
		put_text(out, "N/A");
		return;
	}
	if (amount > -1024 && amount < 1024) {
		put_small_amount(out, amount, bits, a_second);
		return;
	}
	exponent = log(llabs(amount)) / log(1024);
	put_fixed(out, amount / pow(1024, exponent), 1);
	bytes_put_u8(out, ' ');
	bytes_put_u8(out, "kMGTPE"[exponent - 1]);
	put_text(out, bits ? a_second ? "bps" : "bit" : a_second ? "B/s" : "B");
}
