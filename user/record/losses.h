/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counters of calls that should be in the file but are not. The live line, jdk.DataLoss and the final line show the
 * sum; a sum above 0 makes a recording incomplete (EXIT_INCOMPLETE).
 */
#ifndef USER_RECORD_LOSSES_H
#define USER_RECORD_LOSSES_H

#include "user/capture/session.h"
#include "user/record/recorder.h"

enum loss {
	LOSS_UNWRITTEN,	  /* in a chunk that could not be written, or after it */
	LOSS_UNRECORDED,  /* no memory for their ring */
	LOSS_UNSLOTTED,	  /* on threads without a slot */
	LOSS_EXITS,	  /* ended without their exit hook */
	LOSS_OVERWRITTEN, /* overwritten in their ring before they were read */
	LOSS_MALFORMED,	  /* malformed records of rings and queue; one or more calls each */
	LOSS_EXCESS,	  /* in roots with more calls than can be held */
	LOSS_TORN,	  /* in roots whose end is lost; also such roots, with the calls in them */
	LOSS_NATIVES,	  /* calls of native methods: the queue was full, or their end was not seen */
	LOSS_TASKS,	  /* not calls, but tasks: their table was full, they were too many, or their records torn */
	/* records that perf buffers did not take, or that were not complete at the end, or behind such a one */
	LOSS_UNREAD,
	LOSSES
};

struct losses {
	uint64_t of[LOSSES], sum;
	bool stacks; /* calls were recorded but their stacks were lost */
};

struct loss_sources {
	const struct segment *segment;
	const struct recorder *recorder;
	const struct streams *streams;
	uint64_t malformed; /* records of the queue */
	uint64_t natives, unread;
};
void losses_of(struct losses *out, const struct loss_sources *from);

/* The same of a session. */
void losses_read(struct losses *out, const struct session *s, const struct recorder *r);

#endif
