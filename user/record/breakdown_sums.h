/* SPDX-License-Identifier: BSD-2-Clause */
/* Sums of the breakdowns of recorded calls, by method and by duration. */
#ifndef USER_RECORD_BREAKDOWN_SUMS_H
#define USER_RECORD_BREAKDOWN_SUMS_H

#include "format/jfr/jfr_write.h"
#include "user/record/wait_join.h"

/* In ns, except `calls`. */
struct breakdown_sum {
	uint64_t calls; /* calls with a known breakdown */
	uint64_t duration, run_queue, blocked;
	uint64_t worst; /* longest wait in these calls, also in calls that they made */
};

static inline uint64_t breakdown_sum_cpu(const struct breakdown_sum *s)
{
	return s->duration - s->run_queue - s->blocked;
}

struct breakdown_slowest {
	uint64_t calls, of; /* calls in this class; all calls with a known breakdown */
	uint64_t least;	    /* approximate duration of the shortest of them */
	struct breakdown_sum sums;
	uint64_t blocked_on[FRT_WAIT_REASONS];
};

struct breakdown_sums;

/* Returns 0, or -errno with *out set to NULL. */
int breakdown_sums_new(struct breakdown_sums **out, struct diag *d);
void breakdown_sums_free(struct breakdown_sums *s);

/* Add a call of this duration (ns); a call whose breakdown is unknown is ignored. */
void breakdown_sums_add(struct breakdown_sums *s, uint32_t method, int64_t duration,
			const struct wait_join_split *split);

/* The same for calls that ran on their CPU all the time. */
void breakdown_sums_add_ran(struct breakdown_sums *s, const struct frt_span *spans, const struct jfr_trace_call *calls,
			    size_t n);

/* Note that the longest wait in a call of the method took `ns`; 0: it had none. */
void breakdown_sums_note_longest(struct breakdown_sums *s, uint32_t method, int64_t ns);

/* A method's sums since the start. */
const struct breakdown_sum *breakdown_sums_of(const struct breakdown_sums *s, uint32_t method);

/* The `blocked` of these by reason: FRT_WAIT_REASONS numbers. */
const uint64_t *breakdown_sums_blocked_on(const struct breakdown_sums *s, uint32_t method);

/* A method's longest wait since the last query. */
uint64_t breakdown_sums_take_worst(struct breakdown_sums *s, uint32_t method);

/* Get the slowest 1 % of all calls so far, at least one. False: there are no calls. */
bool breakdown_sums_slowest(const struct breakdown_sums *s, struct breakdown_slowest *out);

#endif
