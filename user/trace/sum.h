/* SPDX-License-Identifier: BSD-2-Clause */
/* Sums of times and counts from a file, which may claim any: what does not fit stays at the end of the range. */
#ifndef USER_TRACE_SUM_H
#define USER_TRACE_SUM_H

#include <stdint.h>

/* INT64_MIN, which stands for unknown in many places, is no sum. */
static inline void sum_add(int64_t *sum, int64_t n)
{
	if (__builtin_add_overflow(*sum, n, sum) || *sum == INT64_MIN)
		*sum = n < 0 ? -INT64_MAX : INT64_MAX;
}

#endif
