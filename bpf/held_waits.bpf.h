/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Waits that stay in the kernel until a span shows that their call is recorded. With a threshold most calls are not,
 * and the waits of a call that has ended without a span are dropped here. All others are released into the queue, in
 * the order of their ends: when the thread's stream of spans has grown, when there is no room for another one, and
 * when the collector or the thread itself is about to deliver spans.
 *
 * The wait of a call lies in its outermost call, too, and if that one is not recorded, being shorter than the
 * threshold, no inner one is. A thread that is in another outermost call than at its last wait has finished the
 * former one, span included. A thread in no call may still be about to write a span: its waits are kept. A thread that
 * waits in a hook may have begun a call whose start is not in the slot yet: its wait, and those held before it, are
 * released later and never dropped.
 *
 * The thread adds and drops its waits when it is switched. The drain and the iterator, which may run at the same
 * time, copy them and then claim them all by one atomic change of `word`; if that fails, the copy is discarded.
 */
#ifndef BPF_HELD_WAITS_H
#define BPF_HELD_WAITS_H

#include "bpf/emit.bpf.h"
#include "bpf/slot.bpf.h"
#include "bpf/wait_state.bpf.h"

#define HELD_LONG	0x100
#define HELD_GENERATION 0x10000
#define HELD_TRIES	4

#define HELD_NO_HEAD (~0ull) /* unknown: differs from every head */

/* The long wait among a thread's held ones. */
struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct frt_long_wait);
} held_stacks SEC(".maps");

/* Its native part, if it has stacks. */
struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct frt_native);
} held_natives SEC(".maps");

static __always_inline __u64 held_word(const struct held_waits *h)
{
	return *(volatile const __u64 *)&h->word;
}

static __always_inline __u32 held_count(__u64 word)
{
	return word % HELD_LONG;
}

static __always_inline __u32 held_long(__u64 word)
{
	return word % HELD_GENERATION / HELD_LONG;
}

static __always_inline bool held_replace(struct held_waits *h, __u64 word, __u64 by)
{
	return __sync_val_compare_and_swap(&h->word, word, by) == word;
}

/* Take all waits away. False: there are others meanwhile. */
static __always_inline bool held_claim(struct held_waits *h, __u64 word)
{
	return held_replace(h, word, (word | (HELD_GENERATION - 1)) + 1);
}

static __always_inline void held_copy(struct frt_waits *r, const struct held_waits *h, __u64 word, __u32 long_wait)
{
	r->kind = FRT_WAITS;
	r->count = held_count(word);
	r->long_wait = long_wait;
	bpf_probe_read_kernel(r->wait, sizeof(r->wait), h->wait);
}

static __always_inline bool held_finish(struct held_waits *h, __u64 word, void *record)
{
	bool claimed = held_claim(h, word);

	if (claimed)
		queue_submit(record, WAKE_BY_LEVEL);
	else
		queue_discard(record);
	return claimed;
}

static __always_inline bool held_emit_short(struct held_waits *h, __u64 word)
{
	struct frt_waits *r = reserve_record(sizeof(*r));

	if (!r)
		return held_claim(h, word);
	held_copy(r, h, word, 0);
	return held_finish(h, word, r);
}

static __always_inline bool held_emit_long(struct held_waits *h, __u64 word, const struct frt_long_wait *stacks)
{
	struct frt_long_waits *r = reserve_record(sizeof(*r));

	if (!r)
		return held_claim(h, word);
	held_copy(&r->waits, h, word, held_long(word));
	bpf_probe_read_kernel(&r->with_stacks, sizeof(r->with_stacks), stacks);
	return held_finish(h, word, r);
}

static __always_inline bool held_emit_native(struct held_waits *h, __u64 word, const struct frt_long_wait *stacks,
					     const struct frt_native *native)
{
	struct frt_native_waits *r = reserve_record(sizeof(*r));

	if (!r)
		return held_claim(h, word);
	held_copy(&r->waits.waits, h, word, held_long(word));
	bpf_probe_read_kernel(&r->waits.with_stacks, sizeof(r->waits.with_stacks), stacks);
	bpf_probe_read_kernel(&r->native, sizeof(r->native), native);
	return held_finish(h, word, r);
}

/*
 * Move the waits that `word` stands for into the queue. `stacks`: the long one, or NULL; `native`: its native part, or
 * NULL. Returns 0 if there are others meanwhile. It is global, so the verifier looks at it once: inline, it looked at
 * 70,000 instructions, and that was half of the time that it takes to start a recording.
 */
int held_emit(struct held_waits *h, __u64 word, const struct frt_long_wait *stacks, const struct frt_native *native);

__noinline int held_emit(struct held_waits *h, __u64 word, const struct frt_long_wait *stacks,
			 const struct frt_native *native)
{
	if (!h)
		return 0;
	if (!stacks)
		return held_emit_short(h, word);
	return native && native->low_size ? held_emit_native(h, word, stacks, native) : held_emit_long(h, word, stacks);
}

/* Keep the native part of the long wait that is about to be added. NULL: it has none. */
static __always_inline void held_take_native(struct task_struct *task, const struct frt_native *native)
{
	struct frt_native *own = bpf_task_storage_get(&held_natives, task, NULL, 0);

	if (own && native)
		bpf_probe_read_kernel(own, sizeof(*own), native);
	else if (own)
		own->low_size = 0;
}

/* Move the waits of `task` into the queue. */
static __noinline void held_release(struct held_waits *h, struct task_struct *task)
{
	for (int i = 0; i < HELD_TRIES; i++) {
		__u64 word = held_word(h);
		struct frt_long_wait *stacks = NULL;
		struct frt_native *native = NULL;

		if (!held_count(word))
			return;
		if (held_long(word)) {
			stacks = bpf_task_storage_get(&held_stacks, task, NULL, 0);
			native = bpf_task_storage_get(&held_natives, task, NULL, 0);
		}
		if (held_emit(h, word, stacks, native))
			return;
	}
	__sync_fetch_and_add(&waits_lost, 1); /* the thread has been switched each time */
}

/* The running thread's calls are these now; NULL: unknown. Release or drop the waits of a call that has ended. */
static __always_inline void held_review(struct held_waits *h, struct task_struct *task, const struct slot_calls *calls)
{
	__u64 word = held_word(h);

	if (!held_count(word))
		return;
	if (!calls || calls->head != h->head)
		held_release(h, task);
	else if (calls->depth && calls->outermost != h->outermost && h->outermost)
		held_claim(h, word);
	else if (calls->depth && calls->outermost != h->outermost)
		held_release(h, task);
}

/* Make room for a wait. Only one held wait can be long, that is, have stacks. */
static __always_inline void held_reserve(struct held_waits *h, struct task_struct *task, bool long_wait)
{
	__u64 word = held_word(h);

	if (held_count(word) == FRT_HELD_WAITS || (long_wait && held_long(word)))
		held_release(h, task);
}

/* Add a wait that began with the slot in this state, after held_reserve(). */
static __always_inline void held_add(struct held_waits *h, const struct frt_wait *w, bool long_wait, __u64 head,
				     __u64 outermost)
{
	for (int i = 0; i < 2; i++) { /* the second time there are none, which nobody claims */
		__u64 word = held_word(h), next = word + HELD_GENERATION + 1;
		__u32 n = held_count(word);

		if (n >= FRT_HELD_WAITS)
			break;
		if (!n)
			h->head = head;
		if (!n || !outermost)
			h->outermost = outermost;
		h->wait[n] = *w;
		if (held_replace(h, word, long_wait ? next + (n + 1) * HELD_LONG : next))
			return;
	}
	__sync_fetch_and_add(&waits_lost, 1);
}

#endif
