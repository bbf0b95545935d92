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
 * Read the ids of the trace and of the span into a value for the ring (FRT_FIELD_TRACE; without flags). False: the thread
 * is in no trace; or what there is is no valid record; or the thread is a carrier, whose record may be another one's.
 */
bool trace_context_read(const struct frt_slot *s, struct frt_field *out);

#endif
