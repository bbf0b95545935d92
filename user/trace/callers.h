/* SPDX-License-Identifier: BSD-2-Clause */
/* The callers of all calls as one tree, from the bottom of the stacks up. */
#ifndef USER_TRACE_CALLERS_H
#define USER_TRACE_CALLERS_H

#include "user/trace/call.h"
#include "user/trace/method_names.h"

#define CALLERS_MOST 20000 /* nodes; callers beyond them are one node below the last that has its own */

struct callers {
	struct callers_node {
		uint32_t parent; /* 0: the root, which is node 0 and above all */
		uint32_t name;	 /* number of the method; 0: callers that have no node of their own */
	} *node;
	uint32_t count;
	size_t capacity;
	struct map index;	 /* (parent, name) -> node */
	struct chunk_map stacks; /* (stack, frames that are the call) -> node + 1 */
	uint32_t *frame;	 /* scratch */
	size_t frames;
};

/* Out of memory ends the process, here and below. */
void callers_init(struct callers *t);
void callers_release(struct callers *t);

/* The node of the call's caller; 0: it has none. */
uint32_t callers_add(struct callers *t, struct method_names *names, const struct call *call);

#endif
