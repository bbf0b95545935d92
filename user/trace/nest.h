/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Nests the spans of a thread: links each with the one around it. It takes no memory but the spans themselves, which are
 * sorted by span_compare() and stay where they are:
 *
 *	struct nested *inner = NULL;
 *
 *	for (size_t i = 0; i < count; i++) {
 *		span[i].around = nest_around(inner, &span[i].span);
 *		inner = &span[i];
 *	}
 */
#ifndef USER_TRACE_NEST_H
#define USER_TRACE_NEST_H

#include "user/trace/span.h"

#include <stddef.h>

struct nested {
	struct span span;
	struct nested *around; /* NULL: none */
};

/* Of the innermost open span and those around it the innermost one that has the moment. NULL: none. */
static inline struct nested *nest_at(struct nested *inner, int64_t moment)
{
	while (inner && !span_has_moment(&inner->span, moment))
		inner = inner->around;
	return inner;
}

/* The same for one that contains the span. */
static inline struct nested *nest_around(struct nested *inner, const struct span *span)
{
	while (inner && !span_contains(&inner->span, span))
		inner = inner->around;
	return inner;
}

#endif
