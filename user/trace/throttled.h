/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From when on calls of methods were not recorded, because the throttle (--max-overhead) had turned them off: what such
 * calls took is part of the self time of their callers then.
 */
#ifndef USER_TRACE_THROTTLED_H
#define USER_TRACE_THROTTLED_H

#include "user/trace/texts.h"
#include "user/trace/trace.h"

/* Zeroed at first. */
struct throttled {
	struct texts texts; /* what the file says of it: "a.B.m(int): counted and timed only from ..." */
	uint32_t count;	    /* of them, numbered from 1 */
	int64_t from;	    /* ns since the epoch, of the first one */
};

void throttled_release(struct throttled *t);

/* Take an event frtrace.Message into account. */
void throttled_note(struct throttled *t, struct jfr_chunk *chunk, const struct jfr_event *e);

/* True if calls inside of this one may be missing: the agent asks at the end of a call whether to record it. */
bool throttled_is_of(const struct throttled *t, const struct span *span);

#endif
