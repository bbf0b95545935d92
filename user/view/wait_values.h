/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Values of calls that waits are about: sums of waits by the value that the innermost call around them has (which SQL waited for
 * what?), and all values by -e of single calls, for the rows of other tables.
 */
#ifndef USER_VIEW_WAIT_VALUES_H
#define USER_VIEW_WAIT_VALUES_H

#include "user/trace/aggregate.h"
#include "user/trace/call.h"
#include "user/trace/nest.h"
#include "user/trace/texts.h"
#include "user/trace/wait.h"

/* Zeroed: none. */
struct wait_values {
	struct wait_values_wait {
		uint64_t thread; /* thread_number(), as below */
		int64_t middle, duration;
		uint32_t reason; /* a text */
	} *wait;
	size_t waits, wait_capacity;
	struct wait_values_call {
		struct nested nested; /* the first member */
		uint64_t thread;
		uint32_t value; /* a text, as TABLE_TYPED has it */
	} *call;
	size_t calls, call_capacity;
	struct texts texts;
	struct aggregate sums; /* by value, 0: none, and reason; set by wait_values_settle() */
};

/* Add a wait; add a call if it has the field. Both in any order. */
void wait_values_add_wait(struct wait_values *v, const struct thread_wait *wait, const char *reason);
void wait_values_add_call(struct wait_values *v, const struct call *call, const char *field);

/* After the last one: add up. The sums are in the order of their total time. */
void wait_values_settle(struct wait_values *v);
void wait_values_release(struct wait_values *v);

/* ---- single calls */

/* A call whose values are wanted. Times in ns. */
struct wait_call {
	uint32_t thread;  /* number of the caller's; 0: none is wanted */
	int64_t start;	  /* of the call, or a moment in it */
	int64_t duration; /* of the call; negative: the innermost one with values around the moment */
};

/* Zeroed: none. */
struct wait_calls {
	struct wait_calls_wanted {
		struct wait_call call;
		int64_t found;	 /* duration of the call whose values are known */
		uint32_t values; /* a text, 0: none are known */
	} *wanted;
	uint32_t *order; /* indexes, by thread and start; set by wait_calls_settle() */
	size_t count, capacity;
	struct texts texts;
	bool json; /* texts are for JSON, without their '#' */
};

void wait_calls_release(struct wait_calls *w);

/* Want this call instead of number *number or, if that is 0, too; *number becomes its own. */
void wait_calls_want(struct wait_calls *w, uint64_t *number, struct wait_call call);

/* After the last one, and before wait_calls_read() for all calls of the file. */
void wait_calls_settle(struct wait_calls *w);

/* `thread`: number of its thread. */
void wait_calls_read(struct wait_calls *w, const struct call *call, uint32_t thread);

/* The values of a wanted call, as user_values_put() or user_values_put_json() have them; "": it has none. */
const char *wait_calls_text(const struct wait_calls *w, uint64_t number);

#endif
