/* SPDX-License-Identifier: BSD-2-Clause */
/* The JVM's pauses as a timeline, and what they are to the threads: the reason of a wait, and time without running. */
#ifndef USER_RECORD_PAUSES_H
#define USER_RECORD_PAUSES_H

#include "bpf/queue.h"
#include "user/record/wait_timeline.h"

/* Make room for pauses. False: no memory. */
bool pauses_init(struct wait_timeline *pauses);

/*
 * Add a pause. Pauses arrive in the order of their ends, so a nested one comes first. The timeline holds their union; a
 * collection lies in a safepoint, which then has its class.
 */
void pauses_add(struct wait_timeline *pauses, const struct frt_pause *p);

/* True if frtrace has caused the pause: a class was retransformed, or a stack taken, for a command. */
bool pauses_is_own(const struct frt_pause *p);

/* The reason of a wait over [off, wake), given the one that the kernel's half has found. */
unsigned int pauses_reason(const struct wait_timeline *pauses, unsigned int reason, int64_t off, int64_t wake);

/* The time of [start, end) in pauses, in ns. False: unknown. */
bool pauses_sum(const struct wait_timeline *pauses, int64_t start, int64_t end, int64_t *ns);

/*
 * The part of the pauses in [start, end) in which the thread with these waits did not run. `all` is the sum of the pauses:
 * with too many of them, the result is at most that.
 */
int64_t pauses_stood_still(const struct wait_timeline *pauses, const struct wait_timeline *waits, int64_t start,
			   int64_t end, int64_t all);

#endif
