/* SPDX-License-Identifier: BSD-2-Clause */
/* Narrows views: selects calls by method, thread, duration, time of day and value. */
#ifndef USER_TRACE_CALL_FILTER_H
#define USER_TRACE_CALL_FILTER_H

#include "filters/filter_list.h"
#include "user/trace/chunk_map.h"
#include "user/trace/call_spans.h"
#include "user/trace/value_filter.h"
#include "user/trace/wait.h"

/* Which calls a condition on a value selects, and where filters apply to waits. */
enum call_scope {
	SCOPE_CALL,	/* a call that has the value itself */
	SCOPE_REQUEST,	/* that has it, or a call inside it */
	SCOPE_REQUESTS, /* any one of an outermost call that has a call with the value in it; waits likewise */
	SCOPE_WAITS,	/* waits in calls of the methods, and with the value */
};

/* Zeroed: everything. */
struct call_filter {
	void *program; /* of `methods`; NULL: all methods */
	struct matcher methods;
	const char *thread; /* a pattern, borrowed; NULL: all threads */
	uint64_t slower_ns;
	bool has_from, has_to;
	int64_t from, to; /* ns of the day at the place of recording */
	struct value_filter value;
	enum call_scope scope;		   /* set by call_scope_prepare(), and with it: */
	struct call_spans spans;	   /* of the calls that the scope is about */
	struct chunk_map decided, threads; /* of methods -> index + 1 in `least`; the decision */
	uint64_t *least;
	size_t leasts, least_capacity;
};

struct call_filter_options {
	struct filter_list *methods;	/* NULL: all; gets a '*' if it only excludes */
	const char *thread, *from, *to; /* NULL: all */
	uint64_t slower_ns;
	const char *where; /* a condition on a value; NULL: none */
};

/*
 * 0 or -errno; release it in either case. Filters by supertype or annotation are errors, as recordings do not have
 * them. A filter's own threshold is used instead of slower_ns. A condition on a value is
 * about the call itself, unless call_scope_prepare() makes it wider.
 */
int call_filter_init(struct call_filter *f, const struct call_filter_options *o, struct diag *d);
void call_filter_release(struct call_filter *f);

/* True if the filter passes everything. */
bool call_filter_is_empty(const struct call_filter *f);

/* True if it passes. `utc_offset`: of the recording, in seconds. */
bool call_filter_has_method(struct call_filter *f, struct jfr_chunk *chunk, const struct jfr_value *method);
bool call_filter_has(struct call_filter *f, const struct call *call, int64_t utc_offset);
bool call_filter_has_kind(struct call_filter *f, const struct call *call); /* by method and value alone */
bool call_filter_has_wait(struct call_filter *f, const struct thread_wait *wait, int64_t utc_offset); /* any method */

/* Of SCOPE_REQUESTS: true if the moment of that thread lies in one of these; else it passes. */
bool call_filter_has_moment(const struct call_filter *f, uint64_t thread, int64_t moment);

#endif
