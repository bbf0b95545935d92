// SPDX-License-Identifier: BSD-2-Clause
#include "uprobes/agent/ring.h"
#include "uprobes/agent/lock_free.h"
#include "uprobes/agent/nesting.h"
#include "uprobes/elf/usdt.h"

USDT_SEMAPHORE(drain);

uint64_t ring_grow_ticks;

static struct free_list free_rings[FRT_RING_MAX_LOG2 + 1];

/* A ring's number is its offset in units of the smallest ring. */
static char *ring_of(uint32_t number)
{
	return control_at(FRT_RINGS_AT + ((uint64_t)number << FRT_RING_MIN_LOG2));
}

static uint32_t ring_next(uint32_t number, const uint32_t *set)
{
	uint32_t *next = (uint32_t *)ring_of(number);

	if (set)
		store_relaxed(next, *set);
	return load_relaxed(next);
}

/* Cut a new ring from the first `limit` bytes of the section. Returns its number or -1. */
static int64_t ring_cut(uint32_t log2, uint64_t limit)
{
	uint64_t used = load_relaxed(&control->ring_used), size = 1ULL << log2;

	do {
		if (used + size > limit)
			return -1;
	} while (!__atomic_compare_exchange_n(&control->ring_used, &used, used + size, false, __ATOMIC_RELAXED,
					      __ATOMIC_RELAXED));
	return used >> FRT_RING_MIN_LOG2;
}

static uint64_t ring_limit(void)
{
	return control->ring_cap < FRT_RINGS_SIZE ? control->ring_cap : FRT_RINGS_SIZE;
}

/* A released ring, or a new one from the first half of the cap. The other half is reserved for later threads. */
static int64_t ring_take(uint32_t log2)
{
	int64_t number = free_list_pop(&free_rings[log2], ring_next);

	/* Pairs with sweep_slot(): whoever sees a record of the new owner sees that the last one has another ring. */
	__atomic_thread_fence(__ATOMIC_RELEASE);
	return number >= 0 ? number : ring_cut(log2, ring_limit() / 2);
}

static uint64_t ring_word(uint32_t number, uint32_t log2)
{
	return (FRT_RINGS_AT + ((uint64_t)number << FRT_RING_MIN_LOG2)) << 8 | log2;
}

bool ring_first(struct frt_slot *s, uint64_t now)
{
	uint32_t log2 = FRT_RING_FIRST_LOG2;
	int64_t number;

	if (now < s->blocked_until)
		return false;
	number = ring_take(log2);
	if (number < 0)
		number = ring_cut(log2 = FRT_RING_MIN_LOG2, ring_limit());
	for (uint32_t other = FRT_RING_MIN_LOG2; number < 0 && other <= FRT_RING_MAX_LOG2; other++)
		number = free_list_pop(&free_rings[log2 = other], ring_next);
	if (number < 0) {
		s->blocked_until = now + (1u << 24); /* some milliseconds */
		return false;
	}
	store_release(&s->ring, ring_word(number, log2));
	return true;
}

/*
 * Each record keeps its offset in the stream, so readers need not know about the move. Records that were lost before read as
 * "no record". A sweep may still look at the new ring as one of its last owner.
 */
static void move_records(const struct frt_slot *s, uint64_t *to, uint64_t to_size)
{
	uint64_t size = ring_size(s), at = s->head < size ? 0 : s->head - size;
	const uint64_t *from = (const uint64_t *)ring_at(s);

	for (uint64_t i = 0; i < to_size / 8; i++)
		store_relaxed(&to[i], 0);
	for (; at < s->head; at += 8)
		store_relaxed(&to[at % to_size / 8], from[at % size / 8]);
}

void ring_grow(struct frt_slot *s)
{
	uint32_t log2 = s->ring & 0xff, old = ((s->ring >> 8) - FRT_RINGS_AT) >> FRT_RING_MIN_LOG2;
	int64_t number;

	if (log2 >= FRT_RING_MAX_LOG2)
		return;
	number = ring_take(log2 + 1);
	if (number < 0)
		return;
	move_records(s, (uint64_t *)ring_of(number), 2ULL << log2);
	store_release(&s->ring, ring_word(number, log2 + 1));
	free_list_push(&free_rings[log2], old, ring_next);
}

static __attribute__((noinline, aligned(32))) void drain_site(uint64_t slot, uint64_t ring, uint64_t head,
							      uint64_t drained, uint64_t half)
{
	CALL_SITE_5("drain", slot, ring, head, drained, half);
}

/* ---- waiting for room (--lossless) */

#define WAIT_FIRST_US 50u /* of the first sleep; each further one is twice as long, */
#define WAIT_MOST_US \
	500u /* at most: from --wait-stack=1ms on the record of a wait has stacks, which would fill the queue */
#define WAIT_LOOK_US 20000u /* between two looks whether the collector lives */

static struct queue_wait {
	uint64_t ticks; /* 0: no thread waits for this recording */
	uint64_t vain;	/* its room when a thread had waited for too long, or when its collector was gone */
} queue_waits[FRT_RECORDINGS];

static uint32_t waited_for; /* the recordings with ticks, as a set of bits */

void ring_wait(uint32_t recording, uint64_t ticks)
{
	store_relaxed(&queue_waits[recording].vain, UINT64_MAX);
	store_release(&queue_waits[recording].ticks, ticks);
	if (ticks)
		set_bits(&waited_for, 1u << recording);
	else
		clear_bits(&waited_for, 1u << recording);
}

/* Threads of the JVM never wait, for the program may need what they do; nor do carriers, whose virtual threads are many. */
static bool is_patient(const struct frt_slot *s)
{
	const struct frt_thread *row = (struct frt_thread *)control_at(FRT_THREADS_AT) + s->thread % FRT_MAX_THREADS;

	return !(s->flags & FRT_SLOT_CARRIER) && load_acquire(&row->serial) == s->thread && row->patient;
}

static bool is_beyond(uint64_t claim, uint64_t room)
{
	return (int64_t)(room - claim) < 0;
}

/* Is it of no use to wait any longer at this room? */
static bool waits_in_vain(uint32_t recording, uint64_t room, uint64_t waited, uint32_t *slept_us)
{
	struct queue_wait *w = &queue_waits[recording];

	if (!frtrace_drain_semaphore || room == load_relaxed(&w->vain))
		return true;
	if (waited < load_relaxed(&w->ticks)) {
		if (*slept_us < WAIT_LOOK_US)
			return false;
		*slept_us = 0;
		if (control_is_locked(FRT_LOCK_RECORDING(recording)))
			return false;
	}
	store_relaxed(&w->vain, room);
	return true;
}

/*
 * Sleep until the queue takes all that has been claimed up to there, or it is in vain. Returns the TSC ticks. The JVM takes
 * the thread for one in a native method, so that its safepoints do not wait for it.
 */
static uint64_t wait_for_room(uint32_t recording, uint64_t claim)
{
	uint64_t begin = sys_tsc(), waited = 0, room;
	uint32_t us = WAIT_FIRST_US, slept_us = 0;

	while (is_beyond(claim, room = load_acquire(&control->granted[recording])) &&
	       !waits_in_vain(recording, room, waited, &slept_us)) {
		sys_sleep_us(us);
		slept_us += us;
		us = us < WAIT_MOST_US / 2 ? 2 * us : WAIT_MOST_US;
		waited = sys_tsc() - begin;
	}
	return waited;
}

/*
 * Claim room in the queues, in order of arrival, and wait for it. Each claim must land, whether its bytes found room or not.
 * Returns the TSC ticks.
 */
static uint64_t claim_room(const struct frt_slot *s, uint64_t bytes)
{
	uint64_t claim = add_relaxed(&control->claimed, bytes) + bytes, waited = 0;
	uint32_t set = load_relaxed(&waited_for);

	for (uint32_t r = 0; r < FRT_RECORDINGS; r++)
		if (set >> r & 1 && is_beyond(claim, load_acquire(&control->granted[r])) && is_patient(s))
			waited += wait_for_room(r, claim);
	if (waited) {
		add_relaxed(&control->held_up, 1);
		add_relaxed(&control->held_up_ticks, waited);
	}
	return waited;
}

/* ---- */

/* Update the average with one measured span of each half. Outliers caused by preemption are clamped. */
static void note_cost(struct frt_slot *s, uint64_t ticks)
{
	uint64_t was = s->record_ticks, most = was ? 2 * was : 1u << 10;

	if (ticks > most)
		ticks = most;
	store_relaxed(&s->record_ticks, was ? was - was / 8 + ticks / 8 : ticks);
}

void ring_drain(struct frt_slot *s, uint64_t now)
{
	uint64_t begin, half = ring_size(s) / 2, claimed = 0;
	uint32_t number = s - control_slot(0);

	if (unlikely(load_relaxed(&waited_for))) {
		claimed = half + FRT_BATCH_OVERHEAD;
		now += claim_room(s, claimed);
	}
	begin = slot_stamp(s);
	drain_site(number, (uint64_t)ring_at(s), s->head, s->drained, half);
	if (unlikely(claimed))
		__atomic_fetch_add(&control->landed, claimed, __ATOMIC_RELEASE);
	note_cost(s, begin - now + (slot_stamp(s) - begin) * FRT_RECORD_SIZE / half);
	s->drained = s->head;
	s->vthread =
		0; /* name the virtual thread again in each half, so that a lost half does not take the name along */
	if (now - s->drained_at < ring_grow_ticks)
		ring_grow(s);
	s->drained_at = now;
}
