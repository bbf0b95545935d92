/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * When a span of time lies in another one of its thread. Start and length of a call are rounded, each by itself, so a call
 * may seem to end after the one around it. Of equal spans the later one in the file ended later: it is around the other.
 */
#ifndef USER_TRACE_SPAN_H
#define USER_TRACE_SPAN_H

#include <stdbool.h>
#include <stdint.h>

#define SPAN_ROUNDING 2 /* ns */

/* True if a span lies in the outer one. A moment lies in it if it is before its end. */
static inline bool span_contains(int64_t outer_start, int64_t outer_end, int64_t start, int64_t end)
{
	return start >= outer_start && end <= outer_end + SPAN_ROUNDING && (start < outer_end || start == outer_start);
}

#endif
