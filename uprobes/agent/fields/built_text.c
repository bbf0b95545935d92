// SPDX-License-Identifier: BSD-2-Clause
#include "uprobes/agent/fields/built_text.h"

#define DIGITS_MOST (BUILT_WORDS * 10)
#define BILLION	    1000000000u

static void built_char(struct built_text *t, uint16_t c)
{
	t->whole++;
	if (built_room(t))
		t->c[t->count++] = c;
}

void built_ascii(struct built_text *t, const char *text)
{
	while (*text)
		built_char(t, (unsigned char)*text++);
}

/* The length of the character that begins a text, and its code. 0: it is not UTF-8. -1: it is cut. */
static int utf8_next(const uint8_t *at, size_t size, uint32_t *code)
{
	int length = at[0] < 0x80 ? 1 : at[0] < 0xc2 ? 0 : at[0] < 0xe0 ? 2 : at[0] < 0xf0 ? 3 : at[0] < 0xf5 ? 4 : 0;
	static const uint8_t mask[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};

	*code = at[0] & mask[length];
	for (int i = 1; i < length; i++) {
		if ((size_t)i == size)
			return -1;
		if ((at[i] & 0xc0) != 0x80)
			return 0;
		*code = *code << 6 | (at[i] & 0x3f);
	}
	return *code < least[length] || *code > 0x10ffff || (*code >= 0xd800 && *code < 0xe000) ? 0 : length;
}

/* A character that is cut is one where more bytes would follow. */
static bool is_utf8(const uint8_t *bytes, size_t size, bool cut)
{
	uint32_t code;
	int n = 1;

	for (size_t at = 0; at < size && n > 0; at += n)
		n = utf8_next(bytes + at, size - at, &code);
	return n > 0 || (n < 0 && cut);
}

void built_bytes(struct built_text *t, const uint8_t *bytes, size_t size, size_t whole)
{
	bool utf8 = is_utf8(bytes, size, size < whole);
	uint32_t code;

	for (size_t at = 0; at < size; at++) {
		int n = utf8 ? utf8_next(bytes + at, size - at, &code) : 1;

		if (n < 0)
			break;
		if (!utf8)
			code = bytes[at];
		if (code > 0xffff) {
			built_char(t, 0xd7c0 + (code >> 10));
			code = 0xdc00 | (code & 0x3ff);
		}
		built_char(t, code);
		at += n - 1;
	}
	t->whole += whole - size;
}

/* Append a number, padded with zeros to `least` digits. */
static void built_digits(struct built_text *t, uint64_t n, unsigned int base, unsigned int least)
{
	char digits[24];
	unsigned int i = sizeof(digits);

	digits[--i] = 0;
	do {
		digits[--i] = "0123456789abcdef"[n % base];
		n /= base;
	} while (n || sizeof(digits) - 1 - i < least);
	built_ascii(t, digits + i);
}

void built_number(struct built_text *t, int64_t n)
{
	if (n < 0)
		built_char(t, '-');
	built_digits(t, n < 0 ? -(uint64_t)n : (uint64_t)n, 10, 1);
}

void built_uuid(struct built_text *t, uint64_t high, uint64_t low)
{
	built_digits(t, high >> 32, 16, 8);
	built_char(t, '-');
	built_digits(t, high >> 16 & 0xffff, 16, 4);
	built_char(t, '-');
	built_digits(t, high & 0xffff, 16, 4);
	built_char(t, '-');
	built_digits(t, low >> 48, 16, 4);
	built_char(t, '-');
	built_digits(t, low & 0xffffffffffff, 16, 12);
}

/* The quotient, rounded down; the remainder stays in *n. */
static int64_t divide_down(int64_t *n, int64_t by)
{
	int64_t q = *n / by - (*n % by < 0);

	*n -= q * by;
	return q;
}

/* The year, with four digits or more and, beyond 9999, a sign. */
static void built_year(struct built_text *t, int64_t year)
{
	if (year > 9999 || year < 0)
		built_char(t, year < 0 ? '-' : '+');
	built_digits(t, year < 0 ? -year : year, 10, 4);
}

/* Eras of 400 years, which begin in March, so that the leap day is their last one. */
static void built_date(struct built_text *t, int64_t days)
{
	int64_t day = days + 719468, era = divide_down(&day, 146097);
	int64_t year = (day - day / 1460 + day / 36524 - day / 146096) / 365;
	int64_t of_year = day - (365 * year + year / 4 - year / 100), month = (5 * of_year + 2) / 153;

	built_year(t, year + era * 400 + (month >= 10));
	built_char(t, '-');
	built_digits(t, month < 10 ? month + 3 : month - 9, 10, 2);
	built_char(t, '-');
	built_digits(t, of_year - (153 * month + 2) / 5 + 1, 10, 2);
}

void built_instant(struct built_text *t, int64_t seconds, uint32_t ns)
{
	int64_t days = divide_down(&seconds, 86400);

	built_date(t, days);
	built_char(t, 'T');
	built_digits(t, seconds / 3600, 10, 2);
	built_char(t, ':');
	built_digits(t, seconds / 60 % 60, 10, 2);
	built_char(t, ':');
	built_digits(t, seconds % 60, 10, 2);
	if (ns) {
		built_char(t, '.');
		built_digits(t,
			     ns % 1000	    ? ns
			     : ns % 1000000 ? ns / 1000
					    : ns / 1000000,
			     10,
			     ns % 1000	    ? 9
			     : ns % 1000000 ? 6
					    : 3);
	}
	built_char(t, 'Z');
}

void built_address(struct built_text *t, const uint8_t *bytes, size_t size)
{
	for (size_t i = 0; i < size; i += size == 4 ? 1 : 2) {
		if (i)
			built_char(t, size == 4 ? '.' : ':');
		built_digits(t, size == 4 ? bytes[i] : bytes[i] << 8 | bytes[i + 1], size == 4 ? 10 : 16, 1);
	}
}

/* The last nine digits of a number, which is divided by a billion. */
static uint32_t take_digits(uint32_t *words, size_t count)
{
	uint64_t rest = 0;

	for (size_t i = 0; i < count; i++) {
		rest = rest << 32 | words[i];
		words[i] = rest / BILLION;
		rest %= BILLION;
	}
	return rest;
}

/* All digits, the last one at the end of the room. Returns where the first one is. */
static size_t digits_of(char digits[DIGITS_MOST + 1], uint32_t *words, size_t count)
{
	size_t at = DIGITS_MOST;
	bool more = true;

	digits[at] = 0;
	while (more && at >= 9) {
		uint32_t n = take_digits(words, count);

		for (int i = 0; i < 9; i++, n /= 10)
			digits[--at] = '0' + n % 10;
		more = false;
		for (size_t i = 0; i < count; i++)
			more = more || words[i];
	}
	while (at < DIGITS_MOST - 1 && digits[at] == '0')
		at++;
	return at;
}

void built_decimal(struct built_text *t, bool negative, uint32_t *words, size_t count, int32_t scale)
{
	char room[DIGITS_MOST + 1];
	const char *digits = room + digits_of(room, words, count < BUILT_WORDS ? count : BUILT_WORDS);
	int64_t n = room + DIGITS_MOST - digits, exponent = n - 1 - (int64_t)scale;

	if (negative)
		built_char(t, '-');
	if (!scale) {
		built_ascii(t, digits);
	} else if (scale > 0 && exponent >= -6) {
		for (int64_t i = n < scale + 1 ? n - scale - 1 : 0; i < n; i++) {
			built_char(t, i < 0 ? '0' : digits[i]);
			if (i + 1 == n - scale)
				built_char(t, '.');
		}
	} else {
		built_char(t, digits[0]);
		if (n > 1)
			built_char(t, '.');
		built_ascii(t, digits + 1);
		if (exponent) {
			built_ascii(t, exponent > 0 ? "E+" : "E");
			built_number(t, exponent);
		}
	}
}
