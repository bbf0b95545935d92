/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The time of calls without the recorded calls that they made, and without calls in others of the same method: sums for
 * each group of calls. A group is a number from 1 on, such as that of a method. For that it needs all calls of the
 * recording, in any order, and 24 bytes for each. Those of a thread usually come in the order of their ends, so that they
 * need not be sorted: backwards, a call comes before those in it.
 */
#ifndef USER_TRACE_NESTED_TIMES_H
#define USER_TRACE_NESTED_TIMES_H

#include "user/trace/call.h"

#define NESTED_TIMES_MOST (1u << 23) /* calls: 201 MB. With more, nothing is known */

/* ns; INT64_MIN: unknown, as for calls whose thread is */
struct nested_sum {
	int64_t self;
	int64_t outermost; /* of the calls that are in no call of the same method */
};

/* A zeroed struct is empty. */
struct nested_times {
	struct nested_thread {
		struct nested_call {
			int64_t start, duration; /* ns */
			uint32_t number;	 /* in the file */
			uint32_t kind;
		} *call;
		size_t count, capacity;
		bool unsorted; /* they are not in the order of their ends */
	} *thread;	       /* by number - 1 */
	size_t threads, thread_capacity;
	struct nested_sum *sum; /* by group - 1 */
	size_t groups, group_capacity;
	size_t calls;
	struct nested_kind {
		uint32_t group; /* 0: none */
		uint32_t method;
	} *kind; /* by number - 1 */
	size_t kinds, kind_capacity;
	struct map thread_numbers; /* of thread_number() -> number */
	struct map methods;	   /* call.method_id -> number */
	struct map kind_numbers;   /* (call.method_id, group) -> number */
	struct chunk_map in_chunk; /* of threads -> the same number */
};

/* Add a call. `group` 0: it is in no group, but others may be in it. */
void nested_times_add(struct nested_times *s, const struct call *call, uint32_t group);

/* After the last call: find the sums. */
void nested_times_settle(struct nested_times *s);

/* The sums of a group that has calls, from nested_times_settle() on. */
struct nested_sum nested_times_of(const struct nested_times *s, uint32_t group);

void nested_times_release(struct nested_times *s);

#endif
