/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The threads of the target that are observed. */
#ifndef BPF_OBSERVED_H
#define BPF_OBSERVED_H

#include "bpf/emit.bpf.h"
#include "bpf/wait_state.bpf.h"

static __always_inline struct wait_state *state_of(struct task_struct *task)
{
	if (task->tgid != target_process)
		return NULL;
	return bpf_task_storage_get(&waits, task, NULL, 0);
}

/*
 * The kernel's own account (schedstat) of how long a task has waited for a CPU; `arrives`: it is about to run. The
 * time begins when the task is in the CPU's queue, some 50 us after the wake-up if that CPU was asleep.
 */
static __always_inline __u64 run_delay(struct task_struct *task, bool arrives)
{
	__u64 queued = task->sched_info.last_queued;

	return task->sched_info.run_delay + (arrives && queued ? task->se.cfs_rq->rq->clock - queued : 0);
}

#endif
