/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * System calls and page faults in traced calls (--kernel=full). There is no record for each one. Between two
 * moments at which calls begin or end, everything that a thread does belongs to the same calls, and the counters
 * in its slot reveal such a moment. A usage therefore accumulates until the thread is found in other calls.
 *
 * Page faults are taken from the kernel's counters of the task. The thread is examined at the start of each fault
 * and system call, so the difference since the last look belongs to what the thread did then.
 */
#ifndef BPF_THREAD_USAGE_H
#define BPF_THREAD_USAGE_H

#include "bpf/emit.bpf.h"
#include "bpf/slot.bpf.h"

static __always_inline struct thread_usage *thread_usage_of(struct task_struct *task)
{
	if (task->tgid != target_process)
		return NULL;
	return bpf_task_storage_get(&thread_usages, task, NULL, 0);
}

static __always_inline void thread_usage_add_faults(struct thread_usage *u, struct task_struct *task)
{
	__u64 major = task->maj_flt, minor = task->min_flt;

	if (u->at && !u->own) {
		u->major_faults += major - u->major;
		u->minor_faults += minor - u->minor;
	}
	u->major = major;
	u->minor = minor;
}

static __noinline void thread_usage_emit(struct thread_usage *u)
{
	struct frt_thread_usage *r;

	if (!u->syscalls && !u->major_faults && !u->minor_faults)
		return;
	r = reserve_record(sizeof(*r));
	if (r) {
		*r = (struct frt_thread_usage){.kind = FRT_THREAD_USAGE,
					       .thread = u->thread,
					       .at = u->at,
					       .syscall_ns = u->syscall_ns,
					       .syscalls = u->syscalls,
					       .major_faults = u->major_faults,
					       .minor_faults = u->minor_faults};
		queue_submit(r, WAKE_BY_LEVEL);
	}
	u->syscall_ns = 0;
	u->syscalls = u->major_faults = u->minor_faults = 0;
}

/*
 * Read the thread's current calls into `now`, and emit the usage if it belongs to other calls. Returns false if
 * the calls cannot be read; the usage is emitted then and continues.
 */
static __always_inline bool thread_usage_close(struct thread_usage *u, struct task_struct *task, struct slot_calls *now)
{
	bool known = !read_calls(task, u->slot, u->thread, now);

	thread_usage_add_faults(u, task);
	if (known && u->at && now->entered == u->entered && now->exited == u->exited && now->thread == u->thread)
		return true;
	thread_usage_emit(u);
	if (known)
		u->at = 0;
	return known;
}

/* The same, when the running thread leaves its CPU or its spans are drained. */
static __always_inline void thread_usage_leave(struct task_struct *task)
{
	struct thread_usage *u = thread_usage_of(task);
	struct slot_calls now;

	if (!u)
		return;
	if (u->busy) { /* the usage is being emitted and may reach the queue too late */
		__sync_fetch_and_add(&waits_lost, 1);
		return;
	}
	u->busy = 1;
	thread_usage_close(u, task, &now);
	u->busy = 0;
}

#endif
