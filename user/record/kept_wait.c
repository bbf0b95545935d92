// SPDX-License-Identifier: BSD-2-Clause
#include "user/record/kept_wait.h"

#include <string.h>

bool kept_wait_found_free(const struct kept_wait *k)
{
	return k->goes_on && k->reason == FRT_WAIT_FUTEX;
}

/*
 * HotSpot before JDK 24 parks a thread that wants a monitor for 1, 8, 64, 512 ms, and then for a second again and again, to
 * look at the monitor in between. To the program this is one wait, which its last part ends; what the thread spent on a CPU,
 * or waiting for one, in between counts as that. Time limits that the program asks for itself (Object.wait(),
 * Thread.sleep(), LockSupport.parkNanos()) have a native method as their innermost frame.
 */
size_t kept_wait_first_part(const struct wait_timeline *waits, const struct frt_wait *w)
{
	size_t i = waits->count;
	const struct kept_wait *k;

	if (!(w->flags & FRT_WAIT_AGAIN) || !i || (int64_t)w->off - waits->interval[i - 1].end > FRT_AGAIN_NS)
		return waits->count;
	do { /* it may have lost its CPU in between */
		k = wait_timeline_payload(waits, --i);
		if (k->skip || k->shown || k->forgotten || wait_timeline_is_coalesced(waits, i))
			return waits->count;
	} while (i && k->reason == FRT_WAIT_PREEMPTED);
	return kept_wait_found_free(k) ? i : waits->count;
}

void kept_wait_fill(struct kept_wait *k, const struct frt_wait *w, unsigned int reason,
		    const struct wait_stack_ids *stacks)
{
	bool by_interrupt = w->flags & FRT_WAIT_BY_INTERRUPT;

	*k = (struct kept_wait){.stacks = *stacks,
				.waker = w->waker,
				.waker_origin = w->waker_origin,
				.resource = w->flags & FRT_WAIT_OWNED ? 0 : w->resource,
				.owner = w->flags & FRT_WAIT_OWNED ? w->resource : 0,
				.owned_from = (int64_t)w->off,
				.syscall = w->syscall,
				.reason = reason,
				.ongoing = w->flags & FRT_WAIT_ONGOING,
				.by_interrupt = by_interrupt,
				.forgotten = w->flags & FRT_WAIT_FORGOTTEN,
				.goes_on = !w->waker && !w->waker_origin &&
					   (stacks->in_code || w->flags & FRT_WAIT_OWNED)};
	memcpy(k->waker_name, w->waker_name, sizeof(k->waker_name));
}

void kept_wait_continue(struct kept_wait *k, const struct frt_wait *w, struct wait_stack_ids stacks)
{
	uint64_t owner = k->owner;
	int64_t owned_from = k->owned_from;

	if (!stacks.java) {
		stacks.java = k->stacks.java;
		stacks.native = k->stacks.native;
		stacks.kernel = k->stacks.kernel;
		stacks.in_code = k->stacks.in_code;
		stacks.agents = k->stacks.agents;
	}
	kept_wait_fill(k, w, FRT_WAIT_FUTEX, &stacks);
	if (k->owner == owner)
		k->owned_from = owned_from;
}
