/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The contract about threads: their slots, with what is counted and open there, the virtual threads that they carry,
 * and their names.
 */
#ifndef BPF_SLOTS_H
#define BPF_SLOTS_H

#include "bpf/records.h"

#define FRT_MAX_THREADS 16384u /* a log: row = serial % FRT_MAX_THREADS */
#define FRT_MAX_SLOTS	8192u

struct frt_open_call {
	frt_u64 start;
	frt_u32 method;
	frt_u32 place; /* low half of the stack pointer in the hook; used by the agent only */
};

#define FRT_OPEN_CALLS 18u

/* What a carrier runs; used by the agent only, but for `polled`. */
struct frt_carrier {
	frt_u64 java_id;      /* of the mounted virtual thread; 0: none, or unknown */
	frt_u64 since;	      /* TSC: all its calls that began from then on are counted in `depth` */
	frt_u32 depth;	      /* number of those that are open */
	frt_u32 followed;     /* 1: the call that ends now is one of them */
	frt_u32 stack;	      /* of the thread that is about to leave the carrier; 0: none */
	frt_u32 reason;	      /* what it waits for; 0: not known */
	frt_u64 stacks_until; /* TSC: limits the rate of stacks */
	frt_u64 asked_until;  /* TSC: the same for the JVM's own answer; see virtual_calls.c */
	frt_u64 traceless; /* frt_context.word: its variable was NULL when the thread came; 0: it was not, or is unknown */
	frt_u32 polled;	   /* number of the call of sun.nio.ch.Poller.poll() that it is in; 0: it is in none */
	frt_u32 hooked; /* virtual_calls_followed if java_id is known by the hook at the mount; its unmount is seen, too */
};

/*
 * A virtual thread in records about waits, where platform threads have their serials: they never have the highest
 * bit. Ids of threads are given in ascending order, so that keys repeat only after two billion threads.
 */
#define FRT_VIRTUAL_KEY		 0x80000000u
#define frt_virtual_key(java_id) (FRT_VIRTUAL_KEY | (frt_u32)(java_id))

/*
 * The state of one thread, on cache lines of its own. Later threads reuse the slot and continue its stream of
 * records: `head` never decreases, and every span names its thread. The counters belong to the slot, not to the
 * thread. They count while one recording runs alone, the one that began the epoch; see struct frt_share.
 */
struct frt_slot {
	/* first cache line: everything that each exit touches */
	frt_u64 env;		/* JNIEnv * of the owner, 0: free; used by the agent only */
	frt_u64 thread_pointer; /* %fs:0 of the owner */
	frt_u64 head;		/* stream offset of the next record, in bytes */
	frt_u64 ring;		/* offset of the ring in the segment << 8 | log2 of its size; 0: none */
	frt_u64 entered;	/* calls that entered and are counted */
	frt_u64 exited;
	frt_u32 depth; /* number of open calls; those beyond FRT_OPEN_CALLS are only counted */
	frt_u32 thread;
	frt_u32 virtual_key; /* of the mounted virtual thread while it is in a traced call; else 0 */
	frt_u32 mounts;	     /* mounts of virtual threads in a traced call; see frtrace:mount */
	/* second cache line */
	frt_u64 thrown;
	frt_u64 recorded;    /* spans appended */
	frt_u64 unrecorded;  /* spans dropped because no ring could be allocated */
	frt_u64 longest;     /* TSC ticks of the longest finished call, recorded or not */
	frt_u64 lost_exits;  /* open calls found dead: their exit was lost (StackOverflowError); not for carriers */
	frt_u64 moved_exits; /* exits without a matching open call */
	frt_u64 vthread;     /* javaThreadId of the virtual thread named last in the stream, 0: none */
	frt_u32 flags;	     /* FRT_SLOT_* */
	frt_u32 epoch;	     /* header.epoch when the thread was identified */
	/* third cache line */
	frt_u64 drained_at;    /* TSC */
	frt_u64 blocked_until; /* TSC: until then no new ring is requested */
	frt_u64 stack_end;     /* first address above the thread's stack; 0: its stacks are not walked */
	frt_u64 anchor;	       /* address of its JavaFrameAnchor */
	frt_u64 cells;	       /* offset of its timing cells << 8 | log2 of their number; 0: none */
	frt_u32 cell_count;    /* cells in use */
	frt_u32 joined;	       /* header.joined when the thread last looked at the shares */
	frt_u64 record_ticks;  /* moving average of TSC ticks from a span's exit stamp to its drain */
	/* results of an open-call dump */
	frt_u64 open_dump_at;	 /* TSC; 0: no dump has reached this thread */
	frt_u32 open_dump_stack; /* id of the thread's stack at that time, 0: none */
	/* number of calls, outermost first, that were open before and after the stack was taken */
	frt_u32 open_dump_open;
	frt_u32 open_dump_dead;	 /* bit i: open call i is on no stack */
	frt_u32 open_dump_epoch; /* header.open_dump at that time */
	frt_u64 others;		 /* calls that began or ended, and are counted in the shares */
	frt_u64 drained;	 /* head at the last drain */
	union {
		struct frt_open_call open[FRT_OPEN_CALLS];
		struct frt_carrier carrier; /* with FRT_SLOT_CARRIER */
	};
};
_Static_assert(sizeof(struct frt_slot) == 512, "slot");

/*
 * What one recording counts in one slot once the epoch has had a second recording. The recording that began the epoch
 * has counted in the slot itself before. From then on until the epoch ends, all count here.
 */
struct frt_share {
	frt_u64 entered, exited, thrown, recorded, unrecorded, longest, lost_exits; /* as in the slot */
	frt_u32 moved_exits;
	frt_u32 number; /* frt_recording.number; a different one: nothing is counted yet */
};
_Static_assert(sizeof(struct frt_share) == 64, "share");

/*
 * What --inside needs of a slot. Records from `settled` on may be taken back: `head` decreases then, but never below
 * `settled`, nor below what has been drained. They are settled when their root is kept or when a drain has taken some.
 */
struct frt_inside {
	/* of the thread, or of the virtual thread that it carries */
	frt_u64 root;	 /* number of the open root; 0: none */
	frt_u64 settled; /* stream offset; without --inside it means nothing */
	/* roots that have begun, and those that have ended: long enough or as they should; kept by --keep; neither */
	frt_u64 begun, kept, samples, dropped;
	frt_u64 lost; /* roots whose end was not seen */
	/* the open root; used by the agent only */
	frt_u64 start;	  /* TSC at entry */
	frt_u64 needed;	  /* TSC ticks; FRT_ROOT_NEVER: none are enough */
	frt_u64 mark;	  /* head at entry */
	frt_u64 spans;	  /* appended */
	frt_u64 named;	  /* root that the stream has named last, */
	frt_u64 named_at; /* and where */
	frt_u64 frame;	  /* address in the hook's frame at entry */
	frt_u32 method;
	frt_u32 brief; /* TSC ticks; while the root may be dropped, a shorter call in it has FRT_STACK_UNTAKEN */
	frt_u32 taken; /* spans taken back that are not in a struct frt_taken yet */
	frt_u16 flags; /* FRT_INSIDE_* */
	frt_u16 reserved;
};
_Static_assert(sizeof(struct frt_inside) == 128, "inside");

/*
 * Spans of a method that roots have taken back, so that no collector sees them. An estimate: one of them, chosen at random,
 * stands for all of its thread since the last one.
 */
struct frt_taken {
	frt_u64 calls;
	frt_u64 threads; /* the bits serial % 64 of those that made them */
};
_Static_assert(sizeof(struct frt_taken) == 16, "taken");

#define FRT_INSIDE_THROWN  0x1u	 /* it is kept if it ends with an exception */
#define FRT_INSIDE_SAMPLE  0x2u	 /* it is kept by --keep */
#define FRT_INSIDE_MOVED   0x4u	 /* it has been on another carrier, or in no slot: nothing can be taken back */
#define FRT_INSIDE_TASKS   0x8u	 /* it has handed tasks to other threads */
#define FRT_INSIDE_REACHED 0x20u /* its own thread has made the call that ends it (FRT_RULE_UNTIL) */
#define FRT_INSIDE_TASK	   0x10u /* the thread is in such a task; the root is another thread's, and does not end here */

#define FRT_SLOT_CARRIER   0x1u /* may carry virtual threads: its open calls are struct frt_virtual_call */
#define FRT_SLOT_ALLOCATED 0x2u /* what its calls allocate is counted; used by the agent only */

/*
 * A virtual thread in a traced call is about to run on a carrier again; the argument of frtrace:mount. Times are TSC.
 * The calls are open for the kernel from this trap on, and in the slot from the moment at which it has `number`.
 */
struct frt_mount {
	frt_u64 off;   /* when it left its last carrier */
	frt_u64 ready; /* when it was given to the scheduler; 0: unknown */
	frt_u32 key;
	frt_u32 number; /* frt_slot.mounts after this mount */
	frt_u32 stack;	/* id of its stack at `off`; 0: none */
	frt_u32 waker;	/* serial, or key, of the thread that gave it to the scheduler; 0: unknown */
	frt_u32 reason; /* enum frt_wait_reason */
	frt_u32 polled; /* number that frtrace:poll passed for this wait; 0: none */
};
_Static_assert(sizeof(struct frt_mount) == 40, "mount");

/*
 * An open call of a carrier thread or of a virtual thread, which may end on another carrier. The agent finds it
 * again by its start. Calls whose thread the agent cannot determine have no row here.
 */
struct frt_virtual_call {
	frt_u64 start;	 /* TSC, stored last; 0: free, 1: being written */
	frt_u64 java_id; /* of the thread in the call */
	frt_u32 method;
	frt_u32 carrier;   /* serial of the thread on which the call began */
	frt_u32 stack;	   /* id of the thread's stack at the open-call dump, 0: none */
	frt_u32 open_dump; /* number of that open-call dump; 0: no dump has reached this call */
};
_Static_assert(sizeof(struct frt_virtual_call) == 32, "virtual call");

struct frt_virtual_name {
	frt_u8 length; /* of the thread's name; an open-call dump writes it */
	char name[63]; /* modified UTF-8 */
};
_Static_assert(sizeof(struct frt_virtual_name) == 64, "virtual name");

#define FRT_VIRTUAL_LOG2  14
#define FRT_VIRTUAL_CALLS (1u << FRT_VIRTUAL_LOG2)

struct frt_thread {
	frt_u32 serial; /* stored last; row = serial % FRT_MAX_THREADS */
	frt_u32 tid;	/* in the target's innermost pid namespace */
	frt_u64 java_id;
	frt_u64 jni_env;
	frt_u8 name_length, group_length;
	frt_u8 carrier; /* 1: may carry virtual threads */
	frt_u8 patient; /* 1: one of the program's own, which may wait for room in the queue */
	frt_u8 reserved[4];
	char name[64]; /* modified UTF-8, cut at a character boundary */
	char group[32];
};
_Static_assert(sizeof(struct frt_thread) == 128, "thread");

/*
 * The USDT site frtrace:drain. The slot's thread calls it when half of its ring is new:
 *    1 slot number   2 address of the ring   3 head   4 drained   5 size of half a ring
 *
 * The USDT site frtrace:thread. A thread calls it when it gets a slot, and again when a recording has joined:
 *    1 slot number   2 address of the slot
 *
 * The USDT site frtrace:mount. A carrier calls it before it runs a virtual thread that is in a traced call:
 *    1 address of a struct frt_mount
 *
 * The USDT site frtrace:poll. One of the JDK's pollers has got the descriptor for which a virtual thread in a traced call waits:
 *    1 descriptor   2 number of that wait, which is not 0
 */

#endif
