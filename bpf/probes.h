/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The contract between the collector and the program at HotSpot's own method probes (--probe=hotspot): its maps, and its
 * records in the queue. A name is the address of the bytes of an interned Symbol, so that equal names have equal
 * addresses as long as something refers to the Symbol. Times are CLOCK_MONOTONIC ns.
 */
#ifndef BPF_PROBES_H
#define BPF_PROBES_H

#include "bpf/queue.h"

/* What the program does with calls of methods of a class. A class that it meets for the first time has none of these. */
enum frt_choice_state {
	FRT_CHOICE_OTHER = 1, /* no method is chosen */
	FRT_CHOICE_SOME,      /* some are */
	FRT_CHOICE_ASKED,     /* the collector has not decided yet */
};

struct frt_class_choice {
	frt_u32 state; /* enum frt_choice_state */
	frt_u32 reserved;
};

struct frt_method_name {
	frt_u64 class_name, name, descriptor;
};

struct frt_method_choice {
	frt_u32 method; /* id in the segment */
	frt_u32 reserved;
	frt_u64 threshold; /* ns; shorter calls are counted only */
};

#define FRT_CHOSEN_CLASSES 131072u
#define FRT_OTHER_CLASSES  4096u /* a power of two */
#define FRT_PROBE_DEPTH	   128u	 /* open calls of a thread; a power of two */

/* What the program has counted, for each CPU. */
struct frt_probe_counts {
	frt_u64 entered, exited;
	frt_u64 thrown;	     /* exits with FRT_PROBE_THROWN */
	frt_u64 unseen;	     /* calls that have ended without an exit: with an exception, inlined in code of C1 */
	frt_u64 early_exits; /* exits of calls that began before tracing did, or on another thread */
	frt_u64 deep;	     /* calls that began while FRT_PROBE_DEPTH were open: they have no duration */
	frt_u64 unrecorded;  /* calls, also open ones, whose record did not fit into the queue */
	frt_u64 unasked;     /* calls that were missed, of too many classes to count them for each */
	frt_u64 longest;     /* ns */
};

/* A call has ended. */
struct frt_probe_call {
	frt_u32 kind;	/* FRT_PROBE_CALL */
	frt_u32 thread; /* serial */
	frt_u32 method;
	frt_u16 flags;	/* FRT_PROBE_*, FRT_NATIVE_CUT() of the stack */
	frt_u16 frames; /* in struct frt_probe_stack; 0: none are here */
	frt_u64 start, duration;
	frt_u64 stack; /* identifies the stack; 0: none was taken */
};
_Static_assert(sizeof(struct frt_probe_call) == 40, "probe call");

/* The same with a stack that has not been sent of late: frames from the called method outwards. */
struct frt_probe_stack {
	struct frt_probe_call call;
	struct frt_frame frame[FRT_NATIVE_FRAMES];
};

/* No exit was seen: it ended at most this long after its start, unless it is a virtual thread's. */
#define FRT_PROBE_UNSEEN 0x1u
/* Another call of the method is open, which may be inlined in the same code. */
#define FRT_PROBE_NESTED 0x2u
/* An exception has ended it. Without this one may have, in compiled code. */
#define FRT_PROBE_THROWN 0x4u

/* A thread is in a chosen method for the first time. Its calls follow. */
struct frt_probe_thread {
	frt_u32 kind;	/* FRT_PROBE_THREAD */
	frt_u32 thread; /* serial, from 1 */
	frt_u32 tid;	/* in the target's pid namespace */
	frt_u32 reserved;
	frt_u64 java_id;
	char name[16]; /* the kernel's */
};
_Static_assert(sizeof(struct frt_probe_thread) == 40, "probe thread");

/* Open calls of a thread, outermost first. If it has more, other records with them follow. */
struct frt_probe_open {
	frt_u32 kind; /* FRT_PROBE_OPEN */
	frt_u32 thread;
	frt_u32 count;
	frt_u32 reserved;
	frt_u64 start[FRT_OPEN_CALLS];
	frt_u32 method[FRT_OPEN_CALLS];
};
_Static_assert(sizeof(struct frt_probe_open) == 232, "probe open");

/* A method of a new class was called. */
struct frt_probe_class {
	frt_u32 kind; /* FRT_PROBE_CLASS */
	frt_u32 reserved;
	frt_u64 name;
};
_Static_assert(sizeof(struct frt_probe_class) == 16, "probe class");

#endif
