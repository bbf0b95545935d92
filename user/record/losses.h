/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Calls that should be in the file and are not. The sum is what the live line, jdk.DataLoss and the last line show, and
 * what makes a recording incomplete (EXIT_INCOMPLETE).
 */
#ifndef USER_RECORD_LOSSES_H
#define USER_RECORD_LOSSES_H

#include "user/capture/session.h"
#include "user/record/recorder.h"

struct losses {
	uint64_t unwritten;   /* with a chunk that could not be written, and after it */
	uint64_t unrecorded;  /* no memory for their ring */
	uint64_t unslotted;   /* on threads without a slot */
	uint64_t exits;	      /* they ended without their exit hook */
	uint64_t overwritten; /* in their ring, before they were read */
	uint64_t malformed;   /* records of rings and of the queue that make no sense: one call each, or more */
	uint64_t sum;	      /* of all these */
	bool stacks;	      /* calls are there and have lost their stacks */
};

void losses_read(struct losses *out, const struct session *s, const struct recorder *r);

#endif
