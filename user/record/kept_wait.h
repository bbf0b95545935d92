/* SPDX-License-Identifier: BSD-2-Clause */
/* What is kept of a wait besides its times, and waits that come in several parts. For user/record/wait_join.c. */
#ifndef USER_RECORD_KEPT_WAIT_H
#define USER_RECORD_KEPT_WAIT_H

#include "bpf/queue.h"
#include "user/capture/kernel_sink.h"
#include "user/record/wait_timeline.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The payload of a timeline of waits. */
struct kept_wait {
	struct wait_stack_ids stacks;
	uint32_t waker, waker_origin;
	char waker_name[16];
	uint64_t resource, owner; /* owner: of a monitor, 0: unknown */
	int64_t owned_from;	  /* all parts from then on had the same owner */
	int64_t wake; /* of several parts the last one's: the interval has all time in the run queue at its end */
	uint32_t skip;
	int64_t longest;
	uint16_t syscall;
	uint8_t reason;
	bool ongoing, shown, by_interrupt;
	bool forgotten; /* not a wait, but a time that is unknown (FRT_WAIT_FORGOTTEN) */
	bool goes_on;	/* no thread ended it, and if the next wait is at the same place, the two are one */
};

/* Is it a wait for a monitor that a time limit ended? If it is the last one, the thread has found the monitor free. */
bool kept_wait_found_free(const struct kept_wait *k);

/* The number of the wait on the timeline that `w` continues, or the timeline's count. */
size_t kept_wait_first_part(const struct wait_timeline *waits, const struct frt_wait *w);

void kept_wait_fill(struct kept_wait *k, const struct frt_wait *w, unsigned int reason,
		    const struct wait_stack_ids *stacks);

/* Where the thread waited is known from the first part; the last one may have come too late for stacks. */
void kept_wait_continue(struct kept_wait *k, const struct frt_wait *w, struct wait_stack_ids stacks);

#endif
