// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The program of --follow, which is loaded without the others: reports each process that executes a program. */
#include "bpf/execs.h"
#include "bpf/kernel.h"

#include <bpf/bpf_tracing.h>

#define PID_LEVELS 33 /* MAX_PID_NS_LEVEL of the kernel, and the initial namespace */

/* The inode of frtrace's pid namespace. */
const volatile __u32 execs_pid_ns = 0;
volatile __u64 execs_lost = 0;

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 64 << 10);
} execs SEC(".maps");

/* The number of the process in frtrace's pid namespace; 0: it is not visible there. */
static __always_inline __u32 number_in_namespace(const struct task_struct *task)
{
	const struct pid *pid = BPF_CORE_READ(task, group_leader, thread_pid);
	unsigned int level = BPF_CORE_READ(pid, level);

	for (unsigned int i = 0; i < PID_LEVELS && i <= level; i++) {
		const struct upid *at =
			(const void *)((const char *)&pid->numbers[0] + i * bpf_core_type_size(struct upid));

		if (BPF_CORE_READ(at, ns, ns.inum) == execs_pid_ns)
			return BPF_CORE_READ(at, nr);
	}
	return 0;
}

SEC("tp_btf/sched_process_exec")
int BPF_PROG(process_exec, struct task_struct *task)
{
	__u32 number = number_in_namespace(task);
	struct frt_exec *e = number ? bpf_ringbuf_reserve(&execs, sizeof(*e), 0) : NULL;

	if (!e) {
		if (number)
			__sync_fetch_and_add(&execs_lost, 1);
		return 0;
	}
	e->pid = number;
	bpf_ringbuf_submit(e, 0);
	return 0;
}
