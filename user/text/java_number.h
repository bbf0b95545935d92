/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers as Java prints them, which is not always what printf() does. */
#ifndef USER_TEXT_JAVA_NUMBER_H
#define USER_TEXT_JAVA_NUMBER_H

#include "format/bytes.h"

void put_text(struct bytes *out, const char *text);
void put_spaces(struct bytes *out, unsigned int count);
void put_integer(struct bytes *out, int64_t n);
void put_unsigned(struct bytes *out, uint64_t n);

/* Append at least `digits` digits, with leading zeros. */
void put_padded(struct bytes *out, uint64_t n, unsigned int digits);

/* String.valueOf(): the shortest decimal that parses to the same number; 1.0E10 from 10^7 on and below 10^-3. */
void put_double(struct bytes *out, double d);
void put_float(struct bytes *out, float f);

/* String.format("%.<digits>f"): rounds half up, where printf() rounds the exact binary value. */
void put_fixed(struct bytes *out, double d, unsigned int digits);

/* Append "12.5 kB": bytes or bits, optionally per second. */
void put_amount(struct bytes *out, int64_t amount, bool bits, bool a_second);

#endif
