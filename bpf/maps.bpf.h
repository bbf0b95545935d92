/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* All maps, and the variables that user space sets before the programs run. */
#ifndef BPF_MAPS_H
#define BPF_MAPS_H

#include "bpf/kernel.h"
#include "bpf/queue.h"

#include <bpf/bpf_helpers.h>

extern volatile struct frt_target target;

/*
 * The target's thread group id in the initial pid namespace. It is set when the first thread reports its slot, or
 * by waits_follow; no task matches before.
 */
#define NO_PROCESS (~0u)
extern volatile __u32 target_process;

extern volatile struct frt_wait_setup wait_setup;

/* Distance in bytes from a CPU's struct rq to its preempt count; 0: unknown. */
extern const volatile __s64 count_offset;

/* Offset in ns from frtrace's CLOCK_MONOTONIC to the kernel's own; they differ if frtrace runs in a time namespace. */
extern const volatile __s64 clock_offset;

static __always_inline __u64 now_ns(void)
{
	return bpf_ktime_get_ns() + clock_offset;
}

/* True if system calls and page faults are counted. */
extern const volatile bool usage_wanted;

/* True if the queue is `perf_queue`, with `staging`; otherwise it is `queue`. */
extern const volatile bool perf_buffers;

/* Address range of the agent's code in the target. */
extern volatile struct frt_code agent_code;

/*
 * The JVM's VM thread by its id in the initial pid namespace (0: no safepoint so far), and whether its operation in
 * progress, or else its last one, is a collection. Only this thread writes them, and reads them when it wakes others.
 */
extern volatile __u32 vm_thread;
extern volatile bool vm_collects;

/* The agent is at work on a command of the collector, for which it may stop threads. */
extern volatile bool commanding;

/* A call is open that may become slow: no wait of any thread is to be overwritten. The collector writes it. */
extern volatile __u32 paths_wanted;

/* Records about waits, pauses and usage that did not fit into the queue. */
extern volatile __u64 samples_lost;
extern volatile __u64 waits_lost;

/* Unobserved threads whose owner record was dropped, too. */
extern volatile __u64 unobserved_lost;

/* The collector is woken when the fill level of the queue passes a multiple of this, in bytes; a power of two. */
extern volatile __u64 wake_level;

/* State of a target thread that persists from drain to drain. */
struct thread_state {
	__u64 copied; /* stream offset up to which the slot has been copied to the queue */
	__u32 slot;
	__u32 busy; /* lock: a program is running for this thread, and one that interrupts it gives up */
};

struct queue_map {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 64 << 20); /* may be set before load */
};
extern struct queue_map queue;

struct perf_queue_map {
	__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
	__uint(max_entries, 0); /* libbpf makes it as large as there may be CPUs */
	__type(key, __u32);
	__type(value, __u32);
};
extern struct perf_queue_map perf_queue;

struct staging_map {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1); /* set before load: the number of CPUs */
	__type(key, __u32);
	__type(value, struct frt_staging);
};
extern struct staging_map staging;

/* Never called. clang puts a map's types into BTF only if they are arguments of a function. */
static __attribute__((used)) void staging_types(const struct frt_staging *s)
{
}

struct thread_map {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct thread_state);
};
extern struct thread_map threads;

/* Activity of a target thread since its traced calls last began or ended. */
struct thread_usage {
	__u64 slot;	       /* address of its slot */
	__u32 thread;	       /* serial */
	volatile __u32 busy;   /* lock: a program is running for this thread, and one that interrupts it gives up */
	__u64 entered, exited; /* the slot's counters */
	__u64 at;	       /* time when these calls were first observed; 0: in no traced call */
	__u64 major, minor;    /* the kernel's page fault counters at the last look */
	__u64 syscall_begin;   /* start of the current system call; 0: none that counts */
	__u64 syscall_ns;
	__u32 syscalls, major_faults, minor_faults;
	__u32 own; /* the agent causes the current activity */
};

struct thread_usage_map {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct thread_usage);
};
extern struct thread_usage_map thread_usages;

/* The part of struct frt_slot that says which calls are open, and which spans have been written. */
struct slot_calls {
	__u64 head, ring;
	__u64 entered, exited; /* they change with each call that begins or ends; `entered` includes frt_slot.others */
	__u32 depth, thread;
	__u32 virtual_key, mounts;
	__u64 outermost; /* open[0].start */
};
_Static_assert(offsetof(struct frt_slot, mounts) - offsetof(struct frt_slot, head) ==
		       offsetof(struct slot_calls, mounts),
	       "side by side in the slot");

typedef struct frt_slot whole_slot; /* clang 14 loses the tag of a struct */

/* The collector writes the values. */
struct mapped_slot {
	whole_slot __attribute__((btf_type_tag("uptr"))) * slot;
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
