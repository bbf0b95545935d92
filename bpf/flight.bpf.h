/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * For paths all waits of all threads of the target are recorded, and nearly all of them are short and never asked for. Each
 * thread keeps its last ones here. They are moved into the queue before any other record of the thread (a long wait,
 * a span, another key), and when the collector is about to compute a path. When there is no room, the oldest are overwritten,
 * and the collector learns from when on some are missing. That does not happen to waits of open calls, nor while a call is
 * open that may become slow (paths_wanted).
 *
 * Only the thread itself adds, at its switches. Others may move the waits at the same time: they copy them, and claim them
 * by one atomic change of `word`. The place that is written next is not among those that count.
 */
#ifndef BPF_FLIGHT_H
#define BPF_FLIGHT_H

#include "bpf/emit.bpf.h"
#include "bpf/machine/count.bpf.h"
#include "bpf/wait_state.bpf.h"

#define FLIGHT_ONE   (1ull << 32)
#define FLIGHT_TRIES 4

static __always_inline __u64 flight_word(const struct flight *f)
{
	return *(volatile const __u64 *)&f->word;
}

static __always_inline __u32 flight_count(__u64 word)
{
	return (__u32)(word >> 32) - (__u32)word;
}

static __always_inline bool flight_claim(struct flight *f, __u64 word)
{
	return __sync_val_compare_and_swap(&f->word, word, (word & ~(FLIGHT_ONE - 1)) | word >> 32) == word;
}

static __always_inline bool flight_finish(struct flight *f, __u64 word, void *record)
{
	bool claimed = flight_claim(f, word);

	if (claimed)
		queue_submit(record, WAKE_BY_LEVEL);
	else
		queue_discard(record);
	return claimed;
}

static __always_inline void flight_name(struct frt_briefs *r, const struct flight *f, __u64 word)
{
	__u32 n = flight_count(word);

	r->kind = FRT_BRIEFS;
	r->thread = f->thread;
	r->lost = n > FRT_BRIEF_MOST ? f->lost : 0;
}

static __always_inline bool flight_emit_few(struct flight *f, __u64 word)
{
	struct frt_few_briefs *r = reserve_record(sizeof(*r));

	if (!r)
		return flight_claim(f, word);
	flight_name(&r->briefs, f, word);
	r->briefs.first = 0;
	r->briefs.count = flight_count(word);
	for (__u32 i = 0; i < FRT_FEW_BRIEFS; i++)
		r->wait[i] = f->wait[((__u32)word + i) % FRT_BRIEF_PLACES];
	return flight_finish(f, word, r);
}

static __always_inline bool flight_emit_all(struct flight *f, __u64 word)
{
	struct frt_all_briefs *r = reserve_record(sizeof(*r));
	__u32 n = flight_count(word);

	if (!r)
		return flight_claim(f, word);
	flight_name(&r->briefs, f, word);
	r->briefs.count = n < FRT_BRIEF_MOST ? n : FRT_BRIEF_MOST;
	r->briefs.first = ((__u32)(word >> 32) - r->briefs.count) % FRT_BRIEF_PLACES;
	bpf_probe_read_kernel(r->wait, sizeof(r->wait), f->wait);
	return flight_finish(f, word, r);
}

/* Move the waits that `word` stands for into the queue. Returns 0 if they are others meanwhile. Global: see held_emit(). */
int flight_emit(struct flight *f, __u64 word);

__noinline int flight_emit(struct flight *f, __u64 word)
{
	if (!f)
		return 0;
	return flight_count(word) <= FRT_FEW_BRIEFS ? flight_emit_few(f, word) : flight_emit_all(f, word);
}

/* Move the thread's waits into the queue. */
static __noinline void flight_release(struct flight *f)
{
	for (int i = 0; i < FLIGHT_TRIES; i++) {
		__u64 word = flight_word(f);

		if (!flight_count(word) || flight_emit(f, word))
			return;
	}
	__sync_fetch_and_add(&waits_lost, 1); /* the thread has been switched each time */
}

/* A place for another wait of the thread, to be filled in. `keep`: it may be of a call that is recorded. */
static __always_inline struct frt_brief *flight_place(struct flight *f, __u32 thread, bool keep)
{
	__u64 word = flight_word(f);

	if (f->thread != thread || (flight_count(word) >= FRT_BRIEF_MOST && (keep || paths_wanted))) {
		flight_release(f);
		f->thread = thread;
		word = flight_word(f);
	}
	if (flight_count(word) == FRT_BRIEF_MOST)
		f->lost = f->wait[(__u32)word % FRT_BRIEF_PLACES].off;
	return &f->wait[(__u32)(word >> 32) % FRT_BRIEF_PLACES];
}

/* Add the wait at that place. */
static __always_inline void flight_add(struct flight *f)
{
	count_one(&f->word);
}

#endif
