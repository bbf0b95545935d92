/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Every map, and what user space sets before the programs run. */
#ifndef BPF_MAPS_H
#define BPF_MAPS_H

#include "bpf/kernel.h"
#include "bpf/queue.h"

#include <bpf/bpf_helpers.h>

extern volatile struct frt_target target;

/* Its thread group as the initial pid namespace numbers it: known once one of its threads has a slot. No task's before. */
extern volatile __u32 target_process;

extern volatile struct frt_wait_setup wait_setup;

/* From a CPU's struct rq to its __preempt_count or pcpu_hot, bytes; 0: not known. */
extern const volatile __s64 count_offset;

/* Of frtrace's CLOCK_MONOTONIC to the kernel's own: it may be in a time namespace; ns. */
extern const volatile __s64 clock_offset;

static __always_inline __u64 now_ns(void)
{
	return bpf_ktime_get_ns() + clock_offset;
}

/* Are system calls and page faults counted? */
extern const volatile bool usage_wanted;

/* Where the agent's code lies in the target. */
extern volatile struct frt_code agent_code;

/* Records of the kernel's half that found no room in the queue. */
extern volatile __u64 waits_lost;

/* Threads of which something is never seen, and nobody could be told which. */
extern volatile __u64 unobserved_lost;

/* Bytes in the queue from which on a submit wakes the collector. */
extern volatile __u64 wake_level;

/* What a thread of the target carries from drain to drain. */
struct thread_state {
	__u64 copied; /* stream offset up to which the slot is in the queue */
	__u32 slot;
	__u32 busy; /* a program works for this thread: one that interrupts it stays out */
};

struct queue_map {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 64 << 20); /* settable before load */
};
extern struct queue_map queue;

struct thread_map {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct thread_state);
};
extern struct thread_map threads;

/* What a thread of the target has done since its traced calls last began or ended. */
struct thread_usage {
	__u64 slot;	       /* its address */
	__u32 thread;	       /* serial */
	volatile __u32 busy;   /* a program works for this thread: one that interrupts it stays out */
	__u64 entered, exited; /* the slot's */
	__u64 at;	       /* first seen there; 0: in no traced call */
	__u64 major, minor;    /* page faults that the kernel had counted at the last look */
	__u64 syscall_begin;   /* of the system call that it is in; 0: none that counts */
	__u64 syscall_ns;
	__u32 syscalls, major_faults, minor_faults;
	__u32 own; /* what it does now is the agent's doing */
};

struct thread_usage_map {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct thread_usage);
};
extern struct thread_usage_map thread_usages;

/* A part of struct frt_slot. */
struct slot_calls {
	__u64 entered, exited;
	__u32 depth, thread;
};
_Static_assert(offsetof(struct frt_slot, thread) - offsetof(struct frt_slot, entered) ==
		       offsetof(struct slot_calls, thread),
	       "side by side in the slot");

typedef struct slot_calls mapped_calls; /* clang 14 forgets the tag of a struct */

/* Written by the collector. */
struct mapped_slot {
	mapped_calls __attribute__((btf_type_tag("uptr"))) * calls;
};

struct mapped_slot_map {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct mapped_slot);
};
extern struct mapped_slot_map mapped_slots;

struct drop_map {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, FRT_DROP_REASONS);
	__type(key, __u32);
	__type(value, __u64);
};
extern struct drop_map drops;

#endif
