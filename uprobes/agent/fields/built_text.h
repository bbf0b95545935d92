/* SPDX-License-Identifier: BSD-2-Clause */
/* A text of UTF-16 characters that is put together from parts. Knows nothing of the JVM. */
#ifndef AGENT_BUILT_TEXT_H
#define AGENT_BUILT_TEXT_H

#include "bpf/frtrace.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct built_text {
	uint32_t count; /* characters here */
	uint32_t whole; /* of the text, which may be longer */
	uint16_t c[FRT_FIELD_TEXT_MAX + 1];
};

/* How many characters have room. */
static inline uint32_t built_room(const struct built_text *t)
{
	return FRT_FIELD_TEXT_MAX + 1 - t->count;
}

/* Append ASCII. */
void built_ascii(struct built_text *t, const char *text);

/* Append the first `size` of `whole` bytes: as UTF-8 if they are, perhaps without the end of the last character, else as Latin-1. */
void built_bytes(struct built_text *t, const uint8_t *bytes, size_t size, size_t whole);

/* Append a number in decimal. */
void built_number(struct built_text *t, int64_t n);

/* Append as toString() of java.util.UUID, and of java.time.Instant with 0 to 999,999,999 ns. */
void built_uuid(struct built_text *t, uint64_t high, uint64_t low);
void built_instant(struct built_text *t, int64_t seconds, uint32_t ns);

/* Append an address of 4 or 16 bytes as its getHostAddress(), without a scope. */
void built_address(struct built_text *t, const uint8_t *bytes, size_t size);

#define BUILT_WORDS 64

/*
 * Append as toString() of java.math.BigDecimal: a number of up to BUILT_WORDS words of 32 bits, the highest first, which is
 * divided by 10^scale. The words are destroyed.
 */
void built_decimal(struct built_text *t, bool negative, uint32_t *words, size_t count, int32_t scale);

#endif
