/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the BPF programs tell the collector, and what it tells them: records of the queue, reasons, setup. */
#ifndef BPF_QUEUE_H
#define BPF_QUEUE_H

#include "bpf/frtrace.h"

enum frt_queue_kind {
	FRT_BATCH = 1,	  /* struct frt_batch */
	FRT_WAIT,	  /* struct frt_wait */
	FRT_PAUSE,	  /* struct frt_pause */
	FRT_THREAD_USAGE, /* struct frt_thread_usage */
	FRT_OWNER,	  /* struct frt_slot_owner */
};

/* What a drain puts there: `data` is one aligned half of the ring. */
struct frt_batch {
	frt_u32 kind;
	frt_u32 slot;
	frt_u64 offset; /* stream offset of the first byte of data */
	frt_u32 length; /* valid bytes */
	frt_u32 reserved;
	/* data follows */
};
_Static_assert(sizeof(struct frt_batch) == 24, "part");

/* A thread got a slot. */
struct frt_slot_owner {
	frt_u32 kind;
	frt_u32 slot;
	frt_u32 thread; /* serial */
	frt_u32 task;	/* its number in the initial pid namespace */
	frt_u32 flags;	/* FRT_OWNER_* */
	frt_u32 reserved;
};
_Static_assert(sizeof(struct frt_slot_owner) == 24, "slot owner");

/* The kernel had no room just then for what is seen of it: */
#define FRT_OWNER_NO_WAITS 0x1u
#define FRT_OWNER_NO_USAGE 0x2u

/* What a thread waited for. */
enum frt_wait_reason {
	FRT_WAIT_PREEMPTED = 1, /* for a CPU alone: it could have run all the time */
	FRT_WAIT_FUTEX,
	FRT_WAIT_POLL,	 /* epoll, poll, select */
	FRT_WAIT_SOCKET, /* also poll() for one socket: how Java reads one */
	FRT_WAIT_DISK,
	FRT_WAIT_PAGE_FAULT,
	FRT_WAIT_SLEEP, /* also Thread.sleep(), which is a futex to the kernel: where the JVM has the USDT site thread__sleep__begin */
	FRT_WAIT_PIPE,
	FRT_WAIT_OTHER, /* another system call, or none */
	FRT_WAIT_REASONS
};

#define FRT_NO_SYSCALL 0xffffu

/*
 * A time that a thread of the target, in a traced call, was on no CPU: emitted when it is on one again, or when it is
 * asked for. Of threads that may carry virtual ones (FRT_SLOT_CARRIER) there are none. Blocked from `off` to `wake`, waiting for
 * a CPU from `wake` to `on`, as the kernel's schedstat counts it. Times here and below are CLOCK_MONOTONIC, ns.
 */
struct frt_wait {
	frt_u32 kind;
	frt_u32 thread; /* serial, as in spans */
	frt_u64 off, wake, on;
	frt_u32 waker; /* who woke it: its id in the target's pid namespace; 0 when waker_process is not the target, or nobody did */
	frt_u32 waker_process; /* thread group, as the initial pid namespace numbers it; 0: an interrupt, or not known */
	char waker_name[16];   /* the kernel's name of that thread */
	frt_u16 syscall;       /* number of the system call that it was in, FRT_NO_SYSCALL */
	frt_u8 reason;	       /* enum frt_wait_reason */
	frt_u8 kernel_frames;  /* the rest: of a long wait */
	frt_u16 stack_size;
	frt_u16 flags;				   /* FRT_WAIT_* */
	frt_u64 stack_pointer, stack_pc, stack_fp; /* JavaFrameAnchor */
};
_Static_assert(sizeof(struct frt_wait) == 88, "wait");

#define FRT_WAIT_ONGOING 0x1u /* it goes on: `on` is when it was looked at. What is told of it later overlaps */

#define FRT_KERNEL_FRAMES 32u
#define FRT_WAIT_STACK	  2560u /* a state of a thread is to fit into a page */

/* A wait that was longer than --wait-stack, with where it was. */
struct frt_long_wait {
	struct frt_wait wait;
	frt_u64 kernel[FRT_KERNEL_FRAMES]; /* addresses, innermost first: wait.kernel_frames of them */
	frt_u8 stack
		[FRT_WAIT_STACK]; /* the thread's own, from the word below stack_pointer on: wait.stack_size bytes; 0: none */
};
_Static_assert(sizeof(struct frt_long_wait) == 2904, "long wait");

/* Which waits get their stacks, and what it takes from the JVM. */
#define FRT_ANCHOR 32u /* bytes of a JavaFrameAnchor that are looked at */

struct frt_wait_setup {
	frt_u64 longer; /* than so many ns; ~0: none */
	frt_u16 known;	/* 0: nothing is known of the JVM, there are kernel stacks alone */
	frt_u16 anchor_sp, anchor_pc, anchor_fp;
};

/* All Java threads stood still, or a collection was at work. */
enum frt_pause_what { FRT_PAUSE_SAFEPOINT = 1, FRT_PAUSE_GC };

struct frt_pause {
	frt_u32 kind;
	frt_u32 what;
	frt_u64 begin, end;
	char name[40]; /* of the VM operation, "" not known */
};
_Static_assert(sizeof(struct frt_pause) == 64, "pause");

/*
 * With --kernel=full: what a thread of the target did between two moments at which its traced calls began or ended, all of
 * it in the calls that were open at `at`. It comes before the spans of those calls.
 */
struct frt_thread_usage {
	frt_u32 kind;
	frt_u32 thread;
	frt_u64 at;
	frt_u64 syscall_ns;		    /* ns in system calls that have returned, */
	frt_u32 syscalls;		    /* so many; neither the agent's nor those of uprobes */
	frt_u32 major_faults, minor_faults; /* page faults, as the kernel counts them of the thread; not the agent's */
	frt_u32 reserved;
};
_Static_assert(sizeof(struct frt_thread_usage) == 40, "usage");

/* The target: its thread group id in its innermost pid namespace, and that namespace. */
struct frt_target {
	frt_u64 pid_ns_dev, pid_ns_ino;
	frt_u32 tgid;
	frt_u32 reserved;
};

/* Addresses of code in the target. */
struct frt_code {
	frt_u64 begin, end;
};

/* Why BPF did not do what it was asked to; index into the drops array. */
enum frt_drop {
	FRT_DROP_QUEUE_FULL = 0, /* the next drain or the sweep takes it */
	FRT_DROP_NESTED,
	FRT_DROP_UNREADABLE,
	FRT_DROP_STORAGE,
	FRT_DROP_REASONS
};

#endif
