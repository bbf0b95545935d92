/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The calls that have not returned: read from the threads' slots, with the stacks that the agent wrote at its last
 * open-call dump.
 */
#ifndef USER_CAPTURE_OPEN_CALLS_H
#define USER_CAPTURE_OPEN_CALLS_H

#include "user/capture/stream.h"
#include "user/segment/segment.h"

struct open_call {
	uint64_t start;		       /* TSC */
	uint32_t method;	       /* id */
	uint32_t thread;	       /* serial; 0: a virtual thread's call, see `vthread` */
	struct stream_vthread vthread; /* java_id 0: platform thread. The name is set only by an open-call dump */
	uint32_t stack;		       /* id of the thread's whole stack at the open-call dump; 0: none */
	bool native;		       /* a native method's: the stack is one of copied_stacks_take_open() */
	const char *remark;	       /* why there is no stack; NULL: there is one, or none was requested */
};

/*
 * Visit each open call, thread by thread, outermost first; calls of virtual threads come in no particular order.
 * While the target runs, only calls that were open at two consecutive moments are visited. `no_stacks` says why no
 * open-call dump was taken just now, or is NULL. Returns the number of calls visited. Calls deeper than
 * FRT_OPEN_CALLS in their thread are left out.
 */
uint64_t open_calls_each(const struct segment *s, const char *no_stacks,
			 void (*visit)(void *context, const struct open_call *call), void *context);

/*
 * Get the starts (TSC) of a thread's open calls, outermost first. Returns their number; 0 also when the thread has
 * ended.
 */
size_t open_calls_of(const struct segment *s, uint32_t thread, uint64_t starts[FRT_OPEN_CALLS]);

/* The same for a virtual thread (frt_virtual_key()); some are missing if it has more than FRT_OPEN_CALLS. */
size_t open_calls_of_virtual(const struct segment *s, uint32_t key, uint64_t starts[FRT_OPEN_CALLS]);

#endif
