/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers as Java writes them: not always what printf() makes of them. */
#ifndef USER_TEXT_JAVA_NUMBER_H
#define USER_TEXT_JAVA_NUMBER_H

#include "format/bytes.h"

void put_text(struct bytes *out, const char *text);
void put_spaces(struct bytes *out, unsigned int count);
void put_integer(struct bytes *out, int64_t n);
void put_unsigned(struct bytes *out, uint64_t n);

/* At least `digits` of them, with zeros before. */
void put_padded(struct bytes *out, uint64_t n, unsigned int digits);

/* String.valueOf(): the shortest decimal that is read as the same number; 1.0E10 from 10^7 on and below 10^-3. */
void put_double(struct bytes *out, double d);
void put_float(struct bytes *out, float f);

/* String.format("%.<digits>f"): half up, where printf() rounds what the binary number is. */
void put_fixed(struct bytes *out, double d, unsigned int digits);

/* "12.5 kB": bytes or bits, a second or not. */
void put_amount(struct bytes *out, int64_t amount, bool bits, bool a_second);

#endif
