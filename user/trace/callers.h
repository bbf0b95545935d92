/* SPDX-License-Identifier: BSD-2-Clause */
/* Stacks as one tree, from their bottoms up: the callers of calls, and what was running in them. */
#ifndef USER_TRACE_CALLERS_H
#define USER_TRACE_CALLERS_H

#include "user/trace/call.h"
#include "user/trace/method_names.h"

#define CALLERS_MOST 20000 /* nodes; callers beyond them are one node below the last that has its own */

/* Zeroed: none. */
struct callers {
	struct callers_node {
		uint32_t parent; /* 0: the root, which is node 0 and above all */
		uint32_t name;	 /* number of the method; 0: callers that have no node of their own */
	} *node;
	uint32_t count;
	size_t capacity;
	struct map index;	 /* (parent, name) -> node */
	struct chunk_map stacks; /* (stack, frames on top that are left out) -> node + 1 */
	uint32_t *frame;	 /* scratch */
	size_t frames;
};

void callers_release(struct callers *t);

/* The node of the call's caller; 0: it has none. Out of memory ends the process, here and below. */
uint32_t callers_add(struct callers *t, struct method_names *names, const struct call *call);

/* The node of the method on top of a stack, which may be a key; 0: there is none. */
uint32_t callers_add_stack(struct callers *t, struct method_names *names, struct jfr_chunk *chunk,
			   const struct jfr_value *stack);

#endif
