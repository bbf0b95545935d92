/* SPDX-License-Identifier: BSD-2-Clause */
/* Sorts waits into kinds: the reason, the place in the program, and the group of threads that ended them. */
#ifndef USER_REPORT_WAIT_KINDS_H
#define USER_REPORT_WAIT_KINDS_H

#include "user/trace/aggregate.h"
#include "user/trace/texts.h"
#include "user/trace/threads.h"

#define WAIT_KINDS_MOST 600 /* kinds; beyond them only the reason counts */

struct wait_kinds {
	struct wait_kind {
		uint32_t reason, place, waker; /* numbers of `text`; 0: unknown */
		bool lock;		       /* a lock, a queue, a park: what another thread ends */
	} *kind;
	size_t count, capacity;
	struct texts text;
	struct aggregate index;	 /* (reason, place and waker) -> number of the kind in `mark` */
	struct aggregate places; /* of stacks of the last chunk -> number of the text in `mark` */
};

void wait_kinds_release(struct wait_kinds *k);

/* The number of the wait's kind. `waker`: its number in `threads`, 0: unknown. UINT32_MAX: no memory. */
uint32_t wait_kinds_of(struct wait_kinds *k, const struct thread_wait *w, const struct threads *threads,
		       uint32_t waker);

/* The text of a kind's reason. */
static inline const char *wait_kind_reason(const struct wait_kinds *k, uint32_t kind)
{
	return k->text.text[k->kind[kind].reason];
}

#endif
