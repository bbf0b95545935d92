/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the time of the recorded calls went, added up: by method, and by how long they took. */
#ifndef USER_RECORD_BREAKDOWN_SUMS_H
#define USER_RECORD_BREAKDOWN_SUMS_H

#include "user/record/wait_join.h"

/* ns. */
struct breakdown_sum {
	uint64_t calls; /* of which it is known */
	uint64_t duration, cpu, run_queue, blocked;
	uint64_t worst; /* the longest wait that was in them and in no recorded call that they made */
};

struct breakdown_slowest {
	uint64_t calls, of; /* so many, of all of which it is known */
	uint64_t least;	    /* the shortest of them, about */
	struct breakdown_sum sums;
	uint64_t blocked_on[FRT_WAIT_REASONS];
};

struct breakdown_sums;

/* 0 or -errno; then *out is NULL. */
int breakdown_sums_new(struct breakdown_sums **out, struct diag *d);
void breakdown_sums_free(struct breakdown_sums *s);

/* A call that took so long; one whose split is missing counts for nothing. */
void breakdown_sums_add(struct breakdown_sums *s, uint32_t method, int64_t duration,
			const struct wait_join_split *split);

/* A wait of that length was claimed by a call of the method. */
void breakdown_sums_wait(struct breakdown_sums *s, uint32_t method, int64_t ns);

/* Of a method since the beginning. */
const struct breakdown_sum *breakdown_sums_of(const struct breakdown_sums *s, uint32_t method);

/* Its worst wait since this was last asked. */
uint64_t breakdown_sums_take_worst(struct breakdown_sums *s, uint32_t method);

/* Of all calls so far the slowest 1 %, at least one; false: there are none. */
bool breakdown_sums_slowest(const struct breakdown_sums *s, struct breakdown_slowest *out);

#endif
