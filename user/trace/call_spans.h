/* SPDX-License-Identifier: BSD-2-Clause */
/* The spans of some calls, by thread: which call has one of them in it, and which moment lies in one? 32 bytes each. */
#ifndef USER_TRACE_CALL_SPANS_H
#define USER_TRACE_CALL_SPANS_H

#include "user/trace/call.h"

/* Zeroed: none. */
struct call_spans {
	struct call_spans_span {
		uint64_t thread; /* thread_number(); those without one are left out */
		struct span span;
	} *span;
	size_t count, capacity;
};

void call_spans_release(struct call_spans *s);

/* Add a call; after the last one, sort them. */
void call_spans_add(struct call_spans *s, const struct call *call);
void call_spans_sort(struct call_spans *s);

/* Their order, for qsort(): by thread; there a span before those in it. */
int call_spans_compare(const void *a, const void *b);

/* Keep only those that lie in no other one. */
void call_spans_keep_outermost(struct call_spans *s);

/* True if one of them lies in the call, or is the call. */
bool call_spans_are_in(const struct call_spans *s, const struct call *call);

/* True if a moment of a thread lies in one. None may lie in another one: call_spans_keep_outermost(). */
bool call_spans_have(const struct call_spans *s, uint64_t thread, int64_t moment);

/* The same for a whole call. */
bool call_spans_have_call(const struct call_spans *s, const struct call *call);

#endif
