/* SPDX-License-Identifier: BSD-2-Clause */
/* The record of a call in its thread's ring, with the values that every call has. */
#ifndef AGENT_SPAN_H
#define AGENT_SPAN_H

#include "uprobes/agent/ring.h"
#include "uprobes/agent/trace_context.h"

static inline __attribute__((always_inline)) void span_append(struct frt_slot *s, uint64_t start, uint64_t now,
							      uint32_t method, uint64_t stack, uint64_t flags)
{
	uint64_t span[4];

	span[0] = start;
	span[1] = now - start;
	span[2] = method | stack << 32;
	span[3] = s->thread | (uint64_t)FRT_SPAN << 32 | flags << 48;
	ring_append(s, span, now);
}

/* The same with the distributed trace that the thread is in, and with what it has allocated. */
void span_append_with_values(struct frt_slot *s, uint64_t start, uint64_t now, uint32_t method, uint64_t stack,
			     uint64_t flags);

/* The call has ended, and is no longer among the open calls. */
static inline __attribute__((always_inline)) void span_append_call(struct frt_slot *s, uint64_t start, uint64_t now,
								   uint32_t method, uint64_t stack, uint64_t flags)
{
	if (unlikely(trace_context_is_published() || s->flags & FRT_SLOT_ALLOCATED))
		span_append_with_values(s, start, now, method, stack, flags);
	else
		span_append(s, start, now, method, stack, flags);
}

/*
 * The span of the call that began at `start`, if it is the last thing that this thread has recorded and has place for
 * values; otherwise NULL.
 */
const struct frt_span *span_last(const struct frt_slot *s, uint64_t start);

#endif
