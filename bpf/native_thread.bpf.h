/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Threads that call native methods and have no slot, because they have called no other traced method: each gets a key, and
 * a record says so to the collector.
 */
#ifndef BPF_NATIVE_THREAD_H
#define BPF_NATIVE_THREAD_H

#include "bpf/emit.bpf.h"
#include "bpf/native_stack.bpf.h"
#include "bpf/wait_state.bpf.h"

extern volatile __u32 native_keys; /* given so far */

/* The running task's id in its innermost pid namespace. */
static __always_inline __u32 own_tid(void)
{
	struct bpf_pidns_info id = {};

	bpf_get_ns_current_pid_tgid(target.pid_ns_dev, target.pid_ns_ino, &id, sizeof(id));
	return id.pid;
}

/* False: the queue is full. */
static __always_inline bool native_report_thread(__u32 key, __u64 java_thread)
{
	struct frt_native_thread *r = queue_reserve(sizeof(*r));

	if (!r)
		return false;
	r->kind = FRT_NATIVE_THREAD;
	r->thread = key;
	r->tid = own_tid();
	r->process = bpf_get_current_task_btf()->tgid;
	r->java_thread = java_thread;
	bpf_get_current_comm(r->name, sizeof(r->name));
	queue_submit(r, WAKE_BY_LEVEL);
	return true;
}

/* Its waits are observed from now on. */
static __always_inline void native_begin_thread(const struct frt_native_setup *setup, struct wait_state *state,
						__u64 java_thread)
{
	if (!state->thread)
		state->thread = FRT_NATIVE_KEY | __sync_add_and_fetch(&native_keys, 1);
	if (!setup->stacks)
		return;
	state->anchor = java_thread + setup->layout.thread_anchor;
	bpf_probe_read_user(&state->stack_end, sizeof(state->stack_end),
			    (void *)(java_thread + setup->layout.thread_stack_base));
	native_stack_follow();
}

/* The running thread calls a native method. *known: the collector has been told of it; if not, the next call tries again. */
static __always_inline void native_meet_thread(const struct frt_native_setup *setup, struct wait_state *state,
					       __u32 *known, __u64 java_thread)
{
	if (!state->thread || (state->thread & FRT_NATIVE_KEY && !*known))
		native_begin_thread(setup, state, java_thread);
	if (state->thread & FRT_NATIVE_KEY && !*known)
		*known = native_report_thread(state->thread, java_thread);
}

#endif
