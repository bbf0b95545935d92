/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The calls that have not returned, as the threads' slots have them, with the
 * stacks that the agent's last open-call dump has written down.
 */
#ifndef USER_CAPTURE_OPEN_CALLS_H
#define USER_CAPTURE_OPEN_CALLS_H

#include "user/capture/stream.h"
#include "user/capture/segment.h"

struct open_call {
	uint64_t start;	 /* TSC */
	uint32_t method; /* id */
	uint32_t thread; /* serial; 0: it is the virtual one */
	struct stream_vthread
		vthread;    /* java_id 0: it is none. A name stands here only when an open-call dump came to it */
	uint32_t stack;	    /* id of the thread's whole stack at the open-call dump; 0: none */
	const char *remark; /* why there is no stack; NULL: there is, or none was wanted */
};

/*
 * Show each, thread by thread, the outermost first; those of virtual threads in no order. While the target runs on: those that were open at both
 * of two moments close to each other. `no_stacks`: why there was no open-call dump just now, or NULL.
 * Returns how many were shown; those that are deeper than FRT_OPEN_CALLS in their thread are not.
 */
uint64_t open_calls_each(const struct segment *s, const char *no_stacks,
			 void (*visit)(void *context, const struct open_call *call), void *context);

/*
 * The starts (TSC) of a thread's open calls, the outermost first. Returns their number; 0 too when the thread has ended.
 */
size_t open_calls_of(const struct segment *s, uint32_t thread, uint64_t starts[FRT_OPEN_CALLS]);

#endif
