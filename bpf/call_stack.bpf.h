/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Stacks of calls, walked in the kernel. They repeat, so a record has a stack's identity, and its frames only once a second.
 * The including program has these maps of its own.
 */
#ifndef BPF_CALL_STACK_H
#define BPF_CALL_STACK_H

#define STACK_FRAMES FRT_NATIVE_FRAMES

#include "bpf/queue.h"
#include "bpf/stack.bpf.h"

struct code_map codes SEC(".maps");

struct call_stack {
	__u32 frames, reserved;
	struct frt_frame frame[FRT_NATIVE_FRAMES];
};

/* When a stack was sent. Its frames are sent again after a second: the JVM may reuse the memory of methods. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 16384);
	__type(key, __u64);
	__type(value, __u64);
} call_stacks SEC(".maps");

#define CALL_STACK_AGE 1000000000ull

static __always_inline __u64 call_stack_mix(__u64 h, __u64 x)
{
	h = (h ^ x) * 0x9fb21c651e98df25ull;
	return h ^ h >> 35;
}

struct call_stack_hash {
	const struct call_stack *stack;
	__u64 hash;
};

static long call_stack_hash_frame(__u32 i, struct call_stack_hash *h)
{
	const struct frt_frame *f;

	if (i >= FRT_NATIVE_FRAMES)
		return 1;
	f = &h->stack->frame[i];
	h->hash = call_stack_mix(call_stack_mix(h->hash, f->code), f->at ^ (__u64)f->cookie << 32 ^ f->kind);
	return 0;
}

/* `end`: why the walk ended. */
static __always_inline __u64 call_stack_identity(const struct call_stack *s, __u32 end)
{
	struct call_stack_hash h = {.stack = s, .hash = call_stack_mix(s->frames, end)};

	bpf_loop(s->frames < FRT_NATIVE_FRAMES ? s->frames : FRT_NATIVE_FRAMES, call_stack_hash_frame, &h, 0);
	return h.hash ?: 1;
}

/* Is it time to send the frames of this stack? */
static __always_inline bool call_stack_is_news(__u64 identity, __u64 now)
{
	const __u64 *sent = bpf_map_lookup_elem(&call_stacks, &identity);

	return !sent || now - *sent > CALL_STACK_AGE;
}

static __always_inline void call_stack_sent(__u64 identity, __u64 now)
{
	bpf_map_update_elem(&call_stacks, &identity, &now, BPF_ANY);
}

#endif
