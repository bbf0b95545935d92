/* SPDX-License-Identifier: BSD-2-Clause */
/* What is printed of a running recording, as plain values of one moment. */
#ifndef USER_RUN_FACTS_H
#define USER_RUN_FACTS_H

#include "user/record/losses.h"
#include "user/record/recording.h"

struct run_facts {
	int64_t now_ns;	 /* CLOCK_MONOTONIC */
	uint64_t cpu_ns; /* the JVM's CPU time; 0: it has ended */
	struct segment_totals totals;
	struct losses lost;
	struct session_facts session;
	const char *no_open_dump;	  /* why open calls have no stacks; NULL: they have. Set by the caller. */
	uint64_t drops[FRT_DROP_REASONS]; /* drains that were not done */
	uint64_t waits_lost, values_torn, calls_unnamed; /* unnamed: without a thread */
};

/* Call after session_start(). */
void run_facts_read(struct run_facts *out, const struct recording *r);

#endif
