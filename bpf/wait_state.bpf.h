/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the kernel's half keeps of a thread of the target. It must fit into a page. */
#ifndef BPF_WAIT_STATE_H
#define BPF_WAIT_STATE_H

#include "bpf/kernel.h"
#include "bpf/queue.h"

struct held_waits {
	__u64 word;	 /* generation << 16 | number of the long one, from 1, 0: none << 8 | count */
	__u64 head;	 /* of the slot when the first one began */
	__u64 outermost; /* start of the outermost call; 0: not certain */
	struct frt_wait wait[FRT_HELD_WAITS];
};

/* The last short waits of a thread, for paths (flight.bpf.h). */
struct flight {
	__u64 word; /* number of those that were ever added << 32 | number of those that were taken away before */
	__u64 lost; /* when the first one began that was overwritten since */
	__u32 thread;
	struct frt_brief wait[FRT_BRIEF_PLACES];
};

struct waker {
	__u32 id, origin; /* as in struct frt_wait */
	char name[16];
};

struct wait_state {
	__u64 slot;   /* address of its slot; 0: it has none, and is here for its calls of native methods */
	__u64 inside; /* address of its struct frt_inside */
	__u32 thread; /* serial: a different one in the slot means that it has a new owner; without a slot FRT_NATIVE_KEY */
	__u32 owner;		 /* of the wait: the serial, or the key of the virtual thread that the thread carries */
	__u32 mounted, number;	 /* the last frtrace:mount: key and number */
	__u16 blocked, sleeping; /* sleeping: in Thread.sleep() */
	__u32 natives;		 /* open calls of native methods (native.bpf.c) */
	__u32 inside_call;	 /* it left its CPU in a traced call */
	__u64 off, woken;	 /* 0: does not apply */
	__u64 since;		 /* off, or that of the first one of several waits at the same place (FRT_WAIT_AGAIN) */
	__u64 unwoken; /* when its last wait, long and for a futex, ended, by no known thread; later by its preemptions since */
	__u64 delay; /* schedstat's run delay when it left its CPU */
	__u32 syscall;
	__u16 reason, interrupted; /* interrupted: an interrupt woke it */
	__u64 resource;		   /* id of what it waits for, or the owner of a monitor; 0: unknown, or nothing */
	__u64 owned;		   /* FRT_WAIT_OWNED or 0 */
	__u64 epoll;		   /* address of the struct eventpoll that it waits for; 0: none */
	__u64 polled;		   /* number of frtrace:poll that says what it waits for; 0: none */
	struct waker waker;
	__u64 head, outermost; /* of the slot when it left its CPU; outermost 0: not certain */
	/* where it was, for a long wait */
	__u64 anchor, stack_end; /* 0: its stacks are not taken */
	__u64 looks_due;	 /* virtual time: each stack that is taken advances it by LOOK_EVERY */
	__u64 sp, pc, fp;
	__u32 stack_size; /* of its copy; 0: there is none */
	union {
		struct held_waits held; /* with wait_setup.hold */
		struct flight flight;	/* with wait_setup.path, which excludes the former */
	};
};

struct wait_map {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct wait_state);
};
extern struct wait_map waits;

/* The copy of a waiting thread's own stack, from the word below its stack pointer upwards. */
struct wait_stack {
	__u8 bytes[FRT_WAIT_STACK];
};

struct wait_stack_map {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct wait_stack);
};
extern struct wait_stack_map wait_stacks;

#endif
