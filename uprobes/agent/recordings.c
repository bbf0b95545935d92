// SPDX-License-Identifier: BSD-2-Clause
#include "uprobes/agent/recordings.h"
#include "uprobes/agent/timing.h"

uint64_t recordings_since[FRT_RECORDINGS] = {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX};
uint64_t recordings_epoch;
bool recordings_shared;

/* Of each slot and recording: open calls beyond FRT_OPEN_CALLS. */
static uint32_t deep[FRT_MAX_SLOTS][FRT_RECORDINGS];

static uint32_t *deep_of(const struct frt_slot *s)
{
	return deep[(s - control_slot(0)) % FRT_MAX_SLOTS];
}

uint32_t recordings_running(void)
{
	uint32_t set = 0;

	for (uint32_t r = 0; r < FRT_RECORDINGS; r++)
		if (control->recording[r].state != FRT_IDLE)
			set |= 1u << r;
	return set;
}

static void share_begin(struct frt_slot *s, uint32_t recording)
{
	const struct frt_recording *row = &control->recording[recording];
	struct frt_share *share = recordings_share(s, recording);
	bool alone = row->founder; /* until now: all that is open is its own */

	if (share->number == row->number)
		return;
	if (!alone)
		timing_slot_forget(s, recording);
	deep_of(s)[recording] = alone && s->depth > FRT_OPEN_CALLS ? s->depth - FRT_OPEN_CALLS : 0;
	share->number = 0;
	__atomic_thread_fence(__ATOMIC_RELEASE);
	share->entered = share->exited = share->thrown = share->recorded = 0;
	share->unrecorded = share->longest = share->lost_exits = share->moved_exits = 0;
	store_release(&share->number, row->number);
}

void recordings_update_shares(struct frt_slot *s)
{
	uint32_t joined = load_acquire(&control->joined);

	if (likely(s->joined == joined))
		return;
	for (uint32_t r = 0; r < FRT_RECORDINGS; r++)
		if (control->recording[r].state != FRT_IDLE)
			share_begin(s, r);
	s->joined = joined;
}

void recordings_push(struct frt_slot *s, uint32_t depth, uint32_t set)
{
	if (likely(depth < FRT_OPEN_CALLS || s->flags & FRT_SLOT_CARRIER))
		return;
	for (uint32_t r = 0; r < FRT_RECORDINGS; r++)
		deep_of(s)[r] += set >> r & 1;
}

void recordings_pop_deep(struct frt_slot *s, uint32_t set)
{
	for (uint32_t r = 0; r < FRT_RECORDINGS; r++)
		if (set >> r & 1 && deep_of(s)[r])
			deep_of(s)[r]--;
}

void recordings_lose(struct frt_slot *s, uint32_t first)
{
	uint32_t kept = s->depth < FRT_OPEN_CALLS ? s->depth : FRT_OPEN_CALLS;

	if (s->flags & FRT_SLOT_CARRIER)
		return;
	recordings_update_shares(s);
	for (uint32_t r = 0; r < FRT_RECORDINGS; r++) {
		if (load_relaxed(&recordings_since[r]) == UINT64_MAX)
			continue;
		for (uint32_t i = first; i < kept; i++)
			recordings_share(s, r)->lost_exits +=
				recordings_of(s->open[i].start, s->open[i].method) >> r & 1;
		recordings_share(s, r)->lost_exits += deep_of(s)[r];
		deep_of(s)[r] = 0;
	}
}

void recordings_miss(uint32_t set)
{
	for (uint32_t r = 0; r < FRT_RECORDINGS; r++)
		if (set >> r & 1)
			add_relaxed(&control->recording[r].unslotted, 1);
}
