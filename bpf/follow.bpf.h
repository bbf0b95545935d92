/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* For critical paths the threads of the target are observed before they have a slot, or without one. */
#ifndef BPF_FOLLOW_H
#define BPF_FOLLOW_H

#include "bpf/observed.bpf.h"
#include "bpf/slot.bpf.h"
#include "bpf/waker.bpf.h"

static volatile __u32 followed = 0; /* threads without a slot that are observed for paths */

static __always_inline bool is_off_cpu(struct task_struct *task)
{
	return task->__state && bpf_core_field_exists(task->on_cpu) && !BPF_CORE_READ_BITFIELD(task, on_cpu);
}

/* A thread that is observed from now on waits, unless it runs again meanwhile. */
static __always_inline void begin_unseen_wait(struct task_struct *task, struct wait_state *state)
{
	__u64 now = now_ns();

	state->owner = state->thread;
	state->syscall = FRT_NO_SYSCALL;
	state->reason = FRT_WAIT_OTHER;
	state->blocked = 1;
	if (bpf_core_field_exists(task->sched_info.run_delay))
		state->delay = run_delay(task, false);
	state->off = state->since = now;
	if (!is_off_cpu(task))
		__sync_val_compare_and_swap(&state->off, now, 0);
}

/* Is this the target? The same number may be another process's in another namespace. */
static __always_inline bool is_target_leader(struct task_struct *task)
{
	const struct pid *pid = task->thread_pid;
	__u32 offset = pid->level * bpf_core_type_size(struct upid);
	const struct upid *at;

	barrier_var(offset);
	at = (const struct upid *)((const char *)pid->numbers + (offset & PID_LEVELS_SIZE));
	return task->pid == task->tgid && BPF_CORE_READ(at, nr) == target.tgid &&
	       BPF_CORE_READ(at, ns, ns.inum) == target.pid_ns_ino;
}

/*
 * For paths, a thread of the target is observed before it has called a traced method. Returns its state, or NULL. A thread
 * that gets a slot meanwhile has the slot's serial. Without memory for it a wait is lost, at least.
 */
static __always_inline struct wait_state *follow_task(struct task_struct *task, bool fresh)
{
	struct wait_state *state = bpf_task_storage_get(&waits, task, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
	__u32 key = FRT_FOLLOWED_KEY + __sync_add_and_fetch(&followed, 1);

	if (!state) {
		__sync_fetch_and_add(&waits_lost, 1);
		return NULL;
	}
	if (__sync_val_compare_and_swap(&state->thread, 0, key))
		return NULL;
	report_observed(task, namespace_id(task), FRT_NO_SLOT, key, 0, fresh);
	return state;
}

#endif
