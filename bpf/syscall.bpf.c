// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* System calls and page faults of threads in traced calls: where they begin and end. See thread_usage.bpf.h. */
#include "bpf/agent_site.bpf.h"
#include "bpf/machine/registers.bpf.h"
#include "bpf/thread_usage.bpf.h"
#include "bpf/target.bpf.h"

#include <bpf/bpf_tracing.h>

/* The system calls by which uprobes enter the kernel, where they do; not the program's own. */
#define SYSCALL_URETPROBE 335
#define SYSCALL_UPROBE	  336

__noinline int site_thread_usage(__u64 number, __u64 address)
{
	const struct frt_slot *slot = (const struct frt_slot *)address;
	struct task_struct *task = bpf_get_current_task_btf();
	struct thread_usage *u;
	__u32 serial = 0;

	if (!usage_wanted || !is_target()) /* without it, its map does not exist */
		return 0;
	bpf_probe_read_user(&serial, sizeof(serial), &slot->thread);
	u = bpf_task_storage_get(&thread_usages, task, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!u) {
		report_owner(task, 0, number, serial, FRT_OWNER_NO_USAGE);
		return 0;
	}
	if (u->slot == (__u64)slot && u->thread == serial)
		return 0; /* it has passed here before: another recording has joined */
	u->at = u->syscall_begin = 0;
	u->thread = serial;
	u->slot = (__u64)slot;
	target_process = task->tgid;
	return 0;
}

static __always_inline bool is_uprobes(long number)
{
	return HAS_UPROBE_CALLS && (number == SYSCALL_URETPROBE || number == SYSCALL_UPROBE);
}

static __always_inline bool is_agents(const struct pt_regs___kernel *regs)
{
	return regs_pc(regs) - agent_code.begin < agent_code.end - agent_code.begin;
}

/* At `at` the thread begins something that counts, unless `own`: the agent causes it. */
static __always_inline void thread_usage_begin(struct thread_usage *u, struct task_struct *task, __u64 at, bool own)
{
	struct slot_calls now;

	u->busy = 1;
	if (own) {
		thread_usage_add_faults(u, task);
	} else if (!thread_usage_close(u, task, &now)) {
		__sync_fetch_and_add(&waits_lost, 1);
	} else if (!u->at && now.depth && now.thread == u->thread) {
		u->entered = now.entered;
		u->exited = now.exited;
		u->at = at;
	}
	u->own = own;
	u->busy = 0;
}

SEC("tp_btf/sys_enter")
int BPF_PROG(sys_enter, const struct pt_regs___kernel *regs, long number)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct thread_usage *u = thread_usage_of(task);
	__u64 now;

	if (!u)
		return 0;
	now = now_ns();
	thread_usage_begin(u, task, now, is_uprobes(number) || is_agents(regs));
	u->syscall_begin = u->at && !u->own ? now : 0;
	queue_flush(ctx);
	return 0;
}

SEC("tp_btf/sys_exit")
int BPF_PROG(sys_exit, const struct pt_regs___kernel *regs, long result)
{
	struct thread_usage *u = thread_usage_of(bpf_get_current_task_btf());

	if (!u || !u->syscall_begin)
		return 0;
	u->busy = 1;
	u->syscalls++;
	u->syscall_ns += now_ns() - u->syscall_begin;
	u->syscall_begin = 0;
	u->busy = 0;
	return 0;
}

/* A fault within a system call is counted there. */
SEC("tp_btf/page_fault_user")
int BPF_PROG(page_fault_user, unsigned long address, const struct pt_regs___kernel *regs, unsigned long error)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct thread_usage *u = thread_usage_of(task);

	if (!u)
		return 0;
	thread_usage_begin(u, task, now_ns(), is_agents(regs));
	queue_flush(ctx);
	return 0;
}

/*
 * Emit the finished usage of the thread that runs on this CPU; the collector asks each CPU. Returns 1 if it has to
 * ask again.
 */
SEC("raw_tp")
int running_usage(void *context)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct thread_usage *u = thread_usage_of(task);
	struct slot_calls now;

	if (!u)
		return 0;
	if (u->busy)
		return 1;
	thread_usage_close(u, task, &now);
	queue_flush(context);
	return 0;
}
