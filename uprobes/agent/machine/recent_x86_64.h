/* SPDX-License-Identifier: BSD-2-Clause */
/* See recent.h. By SSE2, which each x86-64 processor has. */
#ifndef AGENT_RECENT_X86_64_H
#define AGENT_RECENT_X86_64_H

#include <emmintrin.h>

typedef __m128i bucket_vector;
#define BUCKET_VECTORS (FRT_RECENT / 8)

/* The duration itself, or the exponent of a float with the first bits of its fraction. */
static inline __m128i buckets_of_four(__m128i d)
{
	__m128i small = _mm_cmplt_epi32(d, _mm_set1_epi32(1 << FRT_OCTAVE_LOG2));
	__m128i bits = _mm_srli_epi32(_mm_castps_si128(_mm_cvtepi32_ps(d)), 23 - FRT_OCTAVE_LOG2);
	__m128i large = _mm_sub_epi32(bits, _mm_set1_epi32((127 + FRT_OCTAVE_LOG2 - 1) << FRT_OCTAVE_LOG2));

	return _mm_or_si128(_mm_and_si128(small, d), _mm_andnot_si128(small, large));
}

static inline void buckets_of_recent(const uint16_t recent[FRT_RECENT], bucket_vector bucket[BUCKET_VECTORS])
{
	for (uint32_t i = 0; i < FRT_RECENT / 8; i++) {
		__m128i d = ((const __m128i *)recent)[i], zero = _mm_setzero_si128();

		bucket[i] = _mm_packs_epi32(buckets_of_four(_mm_unpacklo_epi16(d, zero)),
					    buckets_of_four(_mm_unpackhi_epi16(d, zero)));
	}
}

static inline uint32_t sum_of_recent(const uint16_t recent[FRT_RECENT])
{
	__m128i one = _mm_set1_epi16(1), sum = _mm_setzero_si128();

	for (uint32_t i = 0; i < FRT_RECENT / 8; i++)
		sum = _mm_add_epi32(sum, _mm_madd_epi16(((const __m128i *)recent)[i], one));
	sum = _mm_add_epi32(sum, _mm_srli_si128(sum, 8));
	return _mm_cvtsi128_si32(_mm_add_epi32(sum, _mm_srli_si128(sum, 4)));
}

static inline uint32_t places_of(const bucket_vector r[BUCKET_VECTORS], uint16_t bucket)
{
	__m128i b = _mm_set1_epi16(bucket);
	__m128i low = _mm_packs_epi16(_mm_cmpeq_epi16(r[0], b), _mm_cmpeq_epi16(r[1], b));
	__m128i high = _mm_packs_epi16(_mm_cmpeq_epi16(r[2], b), _mm_cmpeq_epi16(r[3], b));

	return _mm_movemask_epi8(low) | (uint32_t)_mm_movemask_epi8(high) << 16;
}

#endif
