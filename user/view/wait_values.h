/* SPDX-License-Identifier: BSD-2-Clause */
/* Waits by the value that the innermost call around them has: which SQL waited for what? */
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

#endif
