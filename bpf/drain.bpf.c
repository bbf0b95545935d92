// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * frtrace:drain. The thread that has filled half of its ring copies the new bytes into the queue. A
 * batch is one aligned half of the ring; its size is one of a few constants, because the verifier must know how
 * much is reserved. Bytes that cannot be copied now stay in the ring: the next drain or the collector's sweep
 * takes them.
 */
#include "bpf/agent_site.bpf.h"
#include "bpf/emit.bpf.h"
#include "bpf/target.bpf.h"
#include "bpf/thread_usage.bpf.h"

/* In bpf/sched.bpf.c. */
extern int release_waits(void);

struct drain_arguments {
	__u64 slot, ring, head, drained, half;
};

/* Copy the half that begins at stream offset `at`. Returns 0, or another value if it could not be copied. */
static __always_inline int copy_half(const struct drain_arguments *a, __u64 at)
{
	__u64 length = a->head - at < a->half ? a->head - at : a->half;
	const void *from = (const void *)(a->ring + (at & (2 * a->half - 1)));

	switch (a->half) {
	case 256: return emit_batch(a->slot, at, length, from, 256);
	case 512: return emit_batch(a->slot, at, length, from, 512);
	case 1024: return emit_batch(a->slot, at, length, from, 1024);
	case 2048: return emit_batch(a->slot, at, length, from, 2048);
	case 4096: return emit_batch(a->slot, at, length, from, 4096);
	case 8192: return emit_batch(a->slot, at, length, from, 8192);
	}
	return -1;
}

static __noinline void drain_slot(struct thread_state *state, const struct drain_arguments *a)
{
	__u64 at = state->slot == a->slot + 1 && state->copied <= a->head ? state->copied : a->drained;

	if (a->head - at > 2 * a->half)
		at = a->head - 2 * a->half;
	at &= ~(a->half - 1);
	state->slot = a->slot + 1;
	state->copied = at;
	for (__u64 i = 0; i < 2 && at < a->head; i++) { /* a ring holds at most two halves; 64 bits: see put_path() */
		if (copy_half(a, at))
			return;
		at += a->half;
		state->copied = at < a->head ? at : a->head;
	}
}

/* The running thread's state. Only threads of the target get one. */
static __always_inline struct thread_state *own_state(void)
{
	struct thread_state *state = bpf_task_storage_get(&threads, bpf_get_current_task_btf(), 0, 0);

	if (state || !is_target())
		return state;
	state = bpf_task_storage_get(&threads, bpf_get_current_task_btf(), 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!state)
		count_drop(FRT_DROP_STORAGE);
	return state;
}

__noinline int site_drain(__u64 slot, __u64 ring, __u64 head, __u64 drained, __u64 half)
{
	struct drain_arguments a = {slot, ring, head, drained, half};
	struct thread_state *state = own_state();

	if (!state)
		return 0;
	if (__sync_val_compare_and_swap(&state->busy, 0, 1)) {
		count_drop(FRT_DROP_NESTED);
		return 0;
	}
	if (usage_wanted)
		thread_usage_leave(bpf_get_current_task_btf());
	if (wait_setup.hold || wait_setup.path)
		release_waits();
	drain_slot(state, &a);
	state->busy = 0;
	return 0;
}
