// SPDX-License-Identifier: BSD-2-Clause
#include "user/open_calls.h"

#include <string.h>

/* How many of the outermost calls of two copies of a slot are the same. */
static uint32_t common(const struct frt_slot *a, const struct frt_slot *b)
{
	uint32_t n = 0, most = a->depth < b->depth ? a->depth : b->depth;

	if (a->thread != b->thread)
		return 0;
	while (n < most && n < FRT_OPEN_CALLS && a->open[n].start == b->open[n].start &&
	       a->open[n].method == b->open[n].method)
		n++;
	return n;
}

/* A copy of the slot, and how many of its calls are open. */
static uint32_t copy_slot(const struct frt_slot *from, struct frt_slot *to)
{
	struct frt_slot first;

	memcpy(&first, from, sizeof(first));
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	memcpy(to, from, sizeof(*to));
	return common(&first, to);
}

static void find_stack(const struct frt_slot *s, uint32_t i, const struct frt_header *h, struct open_call *c)
{
	if (s->flags & FRT_SLOT_CARRIER)
		c->remark = "of a virtual thread";
	else if (s->census_epoch != h->census)
		c->remark = "no stack: the thread was not looked at";
	else if (i >= s->census_open || c->start > s->census_at)
		c->remark = "no stack: it began while stacks were taken";
	else
		c->stack = s->census_stack;
}

uint64_t open_calls_each(const struct segment *s, const char *no_stacks,
			 void (*see)(void *context, const struct open_call *call), void *context)
{
	const struct frt_header *h = segment_header(s);
	const struct frt_slot *slot;
	struct frt_slot copy;
	uint64_t shown = 0;

	for (uint32_t number = 0; (slot = segment_slot(s, number)); number++) {
		uint32_t open = slot->epoch == h->epoch && slot->depth ? copy_slot(slot, &copy) : 0;

		for (uint32_t i = 0; i < open; i++) {
			struct open_call c = { .start = copy.open[i].start,
					       .method = copy.open[i].method,
					       .thread = copy.flags & FRT_SLOT_CARRIER ? FRT_NO_THREAD : copy.thread,
					       .remark = no_stacks };

			if (!no_stacks && copy.census_epoch == h->census && copy.census_dead >> i & 1)
				continue;
			if (!no_stacks)
				find_stack(&copy, i, h, &c);
			see(context, &c);
			shown++;
		}
	}
	return shown;
}
