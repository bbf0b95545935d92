/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * System calls and page faults in traced calls (--kernel=full). They are not told one by one: between two moments
 * at which calls begin or end all that a thread does is in the same calls, and the counts in its slot tell
 * whether there has been such a moment. So a usage is added up until the thread is seen in other calls.
 *
 * Page faults are those that the kernel counts of the task: what is new there came after the last look, and belongs to what
 * the thread did then, since it is looked at when each fault and system call begins.
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
		bpf_ringbuf_submit(r, wake_flags());
	}
	u->syscall_ns = 0;
	u->syscalls = u->major_faults = u->minor_faults = 0;
}

/*
 * Emit the usage if the calls that it was in are not those that the thread is in now, which `now` is filled in with. False: that
 * cannot be known; it is emitted then, and goes on.
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

/* The same when the running thread leaves what tells of it: its CPU, or its spans. */
static __always_inline void thread_usage_leave(struct task_struct *task)
{
	struct thread_usage *u = thread_usage_of(task);
	struct slot_calls now;

	if (!u)
		return;
	if (u->busy) { /* on its way to the queue, and may come too late there */
		__sync_fetch_and_add(&waits_lost, 1);
		return;
	}
	u->busy = 1;
	thread_usage_close(u, task, &now);
	u->busy = 0;
}

#endif
