/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a thread that leaves its CPU waits for, according to its current system call. */
#ifndef BPF_WAIT_REASON_H
#define BPF_WAIT_REASON_H

#include "bpf/kernel.h"
#include "bpf/machine/registers.bpf.h"
#include "bpf/queue.h"

/* futex(2): the operation, its flags, and the fourth argument, a struct timespec. */
#define FUTEX_COMMAND	 0x7f
#define FUTEX_REALTIME	 0x100
#define FUTEX_WAIT_FOR	 0 /* a time */
#define FUTEX_WAIT_UNTIL 9 /* a moment */

#define POLL_DESCRIPTOR 0 /* struct pollfd begins with int fd */

#define EPOLL_PWAIT2 441

#define KIND_MASK    0170000
#define KIND_SOCKET  0140000
#define KIND_PIPE    0010000
#define KIND_REGULAR 0100000
#define KIND_BLOCK   0060000

/* The user-space registers of the running task. */
static __always_inline const struct pt_regs___kernel *entry_registers(struct task_struct *task)
{
	return (const struct pt_regs___kernel *)bpf_task_pt_regs(task);
}

/* A descriptor's file now; NULL: it has none. The task is the running one, so nobody else closes its table. */
static __always_inline const struct file *descriptor_file(struct task_struct *task, __u32 descriptor)
{
	const struct fdtable *table = task->files->fdt;

	return descriptor < table->max_fds ? kernel_pointer(table->fd + descriptor) : NULL;
}

/* The type bits of a file, 0: unknown. */
static __always_inline __u32 file_kind(const struct file *file)
{
	return file ? file_mode(file) & KIND_MASK : 0;
}

static __always_inline enum frt_wait_reason reason_of_kind(__u32 kind)
{
	switch (kind) {
	case KIND_SOCKET: return FRT_WAIT_SOCKET;
	case KIND_PIPE: return FRT_WAIT_PIPE;
	case KIND_REGULAR:
	case KIND_BLOCK: return FRT_WAIT_DISK;
	}
	return FRT_WAIT_OTHER;
}

/* The file of a poll() with a single descriptor, by which Java waits for a socket. */
static __always_inline const struct file *polled_file(struct task_struct *task, const struct pt_regs___kernel *r)
{
	__u32 descriptor;

	if (regs_argument_2(r) != 1 ||
	    bpf_probe_read_user(&descriptor, sizeof(descriptor), (const void *)(regs_argument_1(r) + POLL_DESCRIPTOR)))
		return NULL;
	return descriptor_file(task, descriptor);
}

/* For how long, in ns, a wait for a futex can still last. 0: it has no limit, or one by a clock that is not ours. */
static __always_inline __u64 futex_time_left(const struct pt_regs___kernel *r, __u64 now)
{
	__u64 limit[2], ns; /* seconds, nanoseconds */

	if (regs_call(r) != __NR_futex || !regs_argument_4(r) || regs_argument_2(r) & FUTEX_REALTIME ||
	    bpf_probe_read_user(limit, sizeof(limit), (const void *)regs_argument_4(r)))
		return 0;
	ns = limit[0] * 1000000000 + limit[1];
	switch (regs_argument_2(r) & FUTEX_COMMAND) {
	case FUTEX_WAIT_FOR: return ns;
	case FUTEX_WAIT_UNTIL: return ns > now ? ns - now : 0;
	}
	return 0;
}

/*
 * The reason of the running task, which is blocked in this system call. *file: what its descriptor is now, which may not be
 * what the call has begun with; NULL: it has none, or several.
 */
static __always_inline enum frt_wait_reason reason_of_call(struct task_struct *task, const struct pt_regs___kernel *r,
							   bool sleeping, const struct file **file)
{
	*file = NULL;
	switch (regs_call(r)) {
	case __NR_futex:
	case 449: /* futex_waitv */
	case 455: /* futex_wait */ return sleeping ? FRT_WAIT_SLEEP : FRT_WAIT_FUTEX;
	case __NR_poll:
	case __NR_ppoll: /* where there is no other */
		*file = polled_file(task, r);
		return file_kind(*file) == KIND_SOCKET ? FRT_WAIT_SOCKET : FRT_WAIT_POLL;
	case __NR_epoll_wait:
	case __NR_epoll_pwait:
	case EPOLL_PWAIT2: *file = descriptor_file(task, regs_argument_1(r)); return FRT_WAIT_POLL;
	case __NR_select:
	case __NR_pselect6: return FRT_WAIT_POLL;
	case __NR_nanosleep:
	case __NR_clock_nanosleep: return FRT_WAIT_SLEEP;
	case __NR_connect:
	case __NR_accept:
	case __NR_accept4:
	case __NR_sendto:
	case __NR_sendmsg:
	case __NR_sendmmsg:
	case __NR_recvfrom:
	case __NR_recvmsg:
	case __NR_recvmmsg: *file = descriptor_file(task, regs_argument_1(r)); return FRT_WAIT_SOCKET;
	case __NR_read:
	case __NR_write:
	case __NR_readv:
	case __NR_writev:
	case __NR_pread64:
	case __NR_pwrite64:
	case __NR_preadv:
	case __NR_pwritev:
	case __NR_preadv2:
	case __NR_pwritev2: *file = descriptor_file(task, regs_argument_1(r)); return reason_of_kind(file_kind(*file));
	case __NR_fsync:
	case __NR_fdatasync:
	case __NR_ftruncate:
	case __NR_fallocate: *file = descriptor_file(task, regs_argument_1(r)); break;
	}
	return BPF_CORE_READ_BITFIELD(task, in_iowait) ? FRT_WAIT_DISK : FRT_WAIT_OTHER;
}

#endif
