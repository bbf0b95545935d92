/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the time of the recorded calls went, added up: by method, and by how long they took. */
#ifndef USER_RECORD_BREAKDOWN_SUMS_H
#define USER_RECORD_BREAKDOWN_SUMS_H

#include "user/record/wait_join.h"

/* ns. */
struct split_sums {
	uint64_t calls; /* of which it is known */
	uint64_t duration, cpu, run_queue, blocked;
	uint64_t worst; /* the longest wait that was in them and in no recorded call that they made */
};

struct split_slowest {
	uint64_t calls, of;  /* so many, of all of which it is known */
	uint64_t least;	     /* the shortest of them, about */
	struct split_sums sums;
	uint64_t blocked_on[FRT_WAIT_REASONS];
};

struct splits;

struct splits *splits_new(struct diag *d);
void splits_free(struct splits *s);

/* A call that took so long; one whose split is missing counts for nothing. */
void splits_add(struct splits *s, uint32_t method, int64_t duration, const struct join_split *split);

/* A wait of that length was claimed by a call of the method. */
void splits_wait(struct splits *s, uint32_t method, int64_t ns);

/* Of a method since the beginning. */
const struct split_sums *splits_of(const struct splits *s, uint32_t method);

/* Its worst wait since this was last asked. */
uint64_t splits_take_worst(struct splits *s, uint32_t method);

/* Of all calls so far the slowest 1 %, at least one; false: there are none. */
bool splits_slowest(const struct splits *s, struct split_slowest *out);

#endif
