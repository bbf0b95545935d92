/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The distributed trace that the running thread is in, as a library of the program publishes it for each thread. It is read
 * on the thread itself, when a recorded call has ended, so that no other one writes it meanwhile.
 */
#ifndef AGENT_TRACE_CONTEXT_H
#define AGENT_TRACE_CONTEXT_H

#include "uprobes/agent/control.h"

/* Does a library publish traces, as far as the collectors know? */
static inline bool trace_context_is_published(void)
{
	const struct frt_recording *r = control->recording;

	return load_relaxed(&r[0].context.word) | load_relaxed(&r[1].context.word) | load_relaxed(&r[2].context.word) |
	       load_relaxed(&r[3].context.word);
}

/*
 * A virtual thread is about to come to this carrier. Returns the word of the context (struct frt_context) if its variable is
 * NULL here: what is in it later is the thread's own, until it leaves. 0: it is not, or cannot be read.
 */
uint64_t trace_context_unset(const struct frt_slot *s);

/*
 * Read the ids of the trace and of the span into a value for the ring (FRT_FIELD_TRACE; without flags). `flags`: those of
 * the span (FRT_SPAN_VIRTUAL). False: the thread is in no trace; or what there is is no valid record; or the thread is a
 * carrier, and the record may have been there before.
 */
bool trace_context_read(const struct frt_slot *s, uint64_t flags, struct frt_field *out);

#endif
