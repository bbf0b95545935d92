/* SPDX-License-Identifier: BSD-2-Clause */
/* See recent.h. Plain loops, which the compiler turns into vector instructions. */
#ifndef AGENT_RECENT_PLAIN_H
#define AGENT_RECENT_PLAIN_H

typedef uint16_t bucket_vector;
#define BUCKET_VECTORS FRT_RECENT

/* The duration itself, or the number of its highest bit with the bits behind that. */
static inline void buckets_of_recent(const uint16_t recent[FRT_RECENT], bucket_vector bucket[BUCKET_VECTORS])
{
	for (uint32_t i = 0; i < FRT_RECENT; i++) {
		uint32_t d = recent[i], shift = d >> FRT_OCTAVE_LOG2 ? 31 - __builtin_clz(d) - FRT_OCTAVE_LOG2 : 0;

		bucket[i] = (uint16_t)((shift << FRT_OCTAVE_LOG2) + (d >> shift));
	}
}

static inline uint32_t sum_of_recent(const uint16_t recent[FRT_RECENT])
{
	uint32_t sum = 0;

	for (uint32_t i = 0; i < FRT_RECENT; i++)
		sum += recent[i];
	return sum;
}

static inline uint32_t places_of(const bucket_vector r[BUCKET_VECTORS], uint16_t bucket)
{
	uint32_t places = 0;

	for (uint32_t i = 0; i < FRT_RECENT; i++)
		places |= (uint32_t)(r[i] == bucket) << i;
	return places;
}

#endif
