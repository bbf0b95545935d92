/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The contract between the BPF programs and the collector: records in the queue, wait reasons, and the programs'
 * setup.
 */
#ifndef BPF_QUEUE_H
#define BPF_QUEUE_H

#include "bpf/frtrace.h"

enum frt_queue_kind {
	FRT_BATCH = 1,	   /* struct frt_batch */
	FRT_WAIT,	   /* struct frt_wait, frt_long_wait or frt_native_wait */
	FRT_PAUSE,	   /* struct frt_pause */
	FRT_THREAD_USAGE,  /* struct frt_thread_usage */
	FRT_OWNER,	   /* struct frt_slot_owner */
	FRT_RESUMED,	   /* struct frt_resumed */
	FRT_WAITS,	   /* struct frt_waits, frt_long_waits or frt_native_waits */
	FRT_NATIVE_THREAD, /* struct frt_native_thread */
	FRT_NATIVE_CALL,   /* struct frt_native_call or frt_native_stack */
	FRT_NATIVE_OPEN,   /* struct frt_native_open */
	FRT_WAKER,	   /* struct frt_waker, with its stack */
	FRT_PROBE_CALL,	   /* struct frt_probe_call (bpf/probes.h) */
	FRT_PROBE_THREAD,  /* struct frt_probe_thread */
	FRT_PROBE_CLASS,   /* struct frt_probe_class */
	FRT_PROBE_OPEN,	   /* struct frt_probe_open */
	FRT_RESOURCE,	   /* struct frt_resource or frt_named_resource */
	FRT_SAMPLE,	   /* struct frt_waker, with its stack: of a thread in a traced call, on a CPU */
	FRT_BRIEFS,	   /* struct frt_few_briefs or frt_all_briefs */
	FRT_RECORD_KINDS
};

/* The record of a drain. `data` is one aligned half of the ring. */
struct frt_batch {
	frt_u32 kind;
	frt_u32 slot;
	frt_u64 offset; /* stream offset of the first byte of data */
	frt_u32 length; /* valid bytes */
	frt_u32 reserved;
	/* data follows */
};
_Static_assert(sizeof(struct frt_batch) == 24, "batch");

/*
 * When a thread was started: the kernel's CLOCK_BOOTTIME in units of 2^20 ns, its low 32 bits. With the thread's id it
 * identifies the thread, as no id comes back within a millisecond.
 */
#define FRT_STARTED_SHIFT 20

/* A thread got a slot. */
struct frt_slot_owner {
	frt_u32 kind;
	frt_u32 slot;
	frt_u32 thread; /* serial */
	frt_u32 task;	/* its id in the initial pid namespace */
	frt_u32 flags;	/* FRT_OWNER_* */
	frt_u32 started;
	frt_u32 tid;   /* its id in the target's pid namespace; 0: not said here */
	frt_u32 fresh; /* 1: it has just been started */
	frt_u64 at;    /* it is observed from then on */
};
_Static_assert(sizeof(struct frt_slot_owner) == 40, "slot owner");

/* .slot of a thread that has none, but is observed nonetheless (frt_wait_setup.path); .thread is its key. */
#define FRT_NO_SLOT	 (~0u)
#define FRT_FOLLOWED_KEY (FRT_NATIVE_KEY | 0x20000000u | FRT_MAX_THREADS / 2) /* far from keys of native calls */

/* The kernel had no memory to observe the thread's ... */
#define FRT_OWNER_NO_WAITS 0x1u
#define FRT_OWNER_NO_USAGE 0x2u

/* What a thread waited for. */
enum frt_wait_reason {
	FRT_WAIT_PREEMPTED = 1, /* for a CPU only: it was runnable all the time */
	FRT_WAIT_FUTEX,
	FRT_WAIT_POLL,	 /* epoll, poll, select */
	FRT_WAIT_SOCKET, /* also poll() for one socket, which is how Java reads from one */
	FRT_WAIT_DISK,
	FRT_WAIT_PAGE_FAULT,
	/* also Thread.sleep(), a futex for the kernel, if the JVM has the USDT site thread__sleep__begin */
	FRT_WAIT_SLEEP,
	FRT_WAIT_PIPE,
	FRT_WAIT_GC,	    /* the JVM stood still, or its VM thread worked for this thread: for a collection */
	FRT_WAIT_SAFEPOINT, /* the same for anything else */
	FRT_WAIT_PARKED,    /* a virtual thread, on no carrier: LockSupport.park() and all that uses it, or a monitor */
	FRT_WAIT_CARRIER,   /* the same, but it could run: all carriers were busy, or not awake yet */
	FRT_WAIT_TRACER,    /* frtrace's agent stopped the thread, or the thread waits in a hook */
	/* for a lock of the JVM, not of the program: the collector tells these three from a futex by the native stack */
	FRT_WAIT_JIT,	/* the compilers' queue, or a compilation */
	FRT_WAIT_CLASS, /* another thread loads, links or initializes the class */
	FRT_WAIT_JVM,	/* anything else */
	FRT_WAIT_OTHER, /* another system call, or none */
	FRT_WAIT_REASONS
};

#define FRT_NO_SYSCALL 0xffffu

/*
 * An interval during which a target thread in a traced call was on no CPU. It is emitted when the thread runs
 * again, or on request. A carrier's waits belong to the virtual thread in a call that it carries. The thread
 * was blocked from `off` to `wake`, and waited for a CPU from `wake` to `on`, as the kernel's schedstat counts it.
 * Here and below, times are CLOCK_MONOTONIC ns.
 */
struct frt_wait {
	frt_u32 kind;
	frt_u32 thread; /* serial, as in spans, or frt_virtual_key() */
	frt_u64 off, wake, on;
	/* the thread of the target that woke it: its id in the target's pid namespace; 0: nobody did, or another process */
	frt_u32 waker;
	/*
	 * of a thread of the target: when it was started (FRT_STARTED_SHIFT); of another process: its thread group in the
	 * initial pid namespace; 0: an interrupt, or unknown
	 */
	frt_u32 waker_origin;
	char waker_name[16];  /* the kernel's name of that thread */
	frt_u16 syscall;      /* number of the current system call, or FRT_NO_SYSCALL */
	frt_u8 reason;	      /* enum frt_wait_reason */
	frt_u8 kernel_frames; /* this and the rest: for long waits only */
	frt_u16 stack_size;
	frt_u16 flags;				   /* FRT_WAIT_* */
	frt_u64 stack_pointer, stack_pc, stack_fp; /* JavaFrameAnchor */
	/*
	 * frt_resource.id of what it waited for; 0: unknown, or nothing. With FRT_WAIT_OWNED what HotSpot had as the owner of the
	 * monitor when the wait began: a JavaThread, or an address in the owner's stack.
	 */
	frt_u64 resource;
};
_Static_assert(sizeof(struct frt_wait) == 96, "wait");

/* What a thread waited for in a system call with a descriptor. */
enum frt_resource_what {
	FRT_RESOURCE_INET = 1, /* the peer of a socket, or its own address if it has none */
	FRT_RESOURCE_UNIX,   /* the path of its peer, or its own: the bytes of sun_path; abstract: the first one is 0 */
	FRT_RESOURCE_SOCKET, /* a socket without a name: its inode */
	FRT_RESOURCE_PIPE,   /* one without a name: its inode */
	FRT_RESOURCE_PATH,   /* components from the file outwards to the root, each with a 0 behind it */
	FRT_RESOURCE_FILE,   /* the name of a file that is in no directory */
};

#define FRT_RESOURCE_TEXT 512u
#define FRT_RESOURCE_NAME 256u /* bytes of a component */

#define FRT_RESOURCE_CUT      0x1u /* outer components are missing */
#define FRT_RESOURCE_DELETED  0x2u
#define FRT_RESOURCE_CALLED   0x4u  /* by its ports, the connection was made from this end */
#define FRT_RESOURCE_DATAGRAM 0x8u  /* a socket for datagrams */
#define FRT_RESOURCE_LOCAL    0x10u /* both ends are on this machine; the id is that of the connection */

/* The ends of a connection: first that of the target's socket, then the other one. */
struct frt_ends {
	frt_u64 inode;	 /* of the other socket if both are Unix sockets; else 0 */
	frt_u32 network; /* inode of the namespace, of local connections */
	frt_u16 port[2];
	frt_u8 address[2][16]; /* in network order; IPv4 addresses are mapped */
};
_Static_assert(sizeof(struct frt_ends) == 48, "ends");

/*
 * The name of a resource, ahead of the waits for it. It comes again about once a second, with another id, so that a name
 * that has changed is not used for longer.
 */
struct frt_resource {
	frt_u32 kind;
	frt_u16 what;  /* enum frt_resource_what */
	frt_u16 flags; /* FRT_RESOURCE_* */
	frt_u64 id;
	frt_u64 inode;
	struct frt_ends ends;
	frt_u32 size; /* of text */
	frt_u32 reserved;
};
_Static_assert(sizeof(struct frt_resource) == 80, "resource");

/* The same with a text. */
struct frt_named_resource {
	struct frt_resource resource;
	char text[FRT_RESOURCE_TEXT + FRT_RESOURCE_NAME];
};

#define FRT_WAIT_ONGOING 0x1u /* the wait continues: `on` is when it was observed, and later records overlap this one */

#define FRT_WAIT_BY_INTERRUPT 0x4u /* an interrupt ended it, such as a timer's or a network card's */

/*
 * A wait for a futex that continues a long one: that one ended at most FRT_AGAIN_NS ago, by no known thread, the thread's
 * JavaFrameAnchor was the same, and it now waits for more than the first park of HotSpot's ObjectMonitor, which comes again
 * if the thread has been back in Java code.
 */
#define FRT_WAIT_AGAIN 0x8u

#define FRT_WAIT_OWNED 0x10u /* for a monitor, before JDK 24 and with paths only: .resource is its owner */

/* What the thread did between `off` and `on` is not known: so the collector passes frt_briefs.lost on. */
#define FRT_WAIT_FORGOTTEN 0x20u

#define FRT_AGAIN_NS	  50000000 /* HotSpot spins in between: in a virtual machine for milliseconds */
#define FRT_FIRST_PARK_NS 1000000

#define FRT_KERNEL_FRAMES 32u
#define FRT_WAIT_STACK	  2560u /* struct frt_long_wait must fit into a page */

/* A wait longer than --wait-stack, with its stacks. */
struct frt_long_wait {
	struct frt_wait wait;
	frt_u64 kernel[FRT_KERNEL_FRAMES]; /* addresses, innermost first: wait.kernel_frames are valid */
	/* the thread's own stack from the word below stack_pointer upwards: wait.stack_size bytes; 0: none */
	frt_u8 stack[FRT_WAIT_STACK];
};
_Static_assert(sizeof(struct frt_long_wait) == 2912, "long wait");

/* From what a stack can be unwound. saved: in the order of FRT_SAVED. */
struct frt_registers {
	frt_u64 pc, sp, fp, saved[FRT_SAVED];
};

#define FRT_NATIVE_LOW	2816u /* struct frt_native must fit into a page */
#define FRT_NATIVE_HIGH 1024u

/*
 * The native part of a waiting thread's stack, from its stack pointer up to its Java frames, with its registers when it
 * entered the kernel. Of a longer part only the two ends are here: native code has buffers on the stack (8 KiB in
 * FileInputStream), but the words that lead to its caller lie at the upper end of a frame.
 */
struct frt_native {
	struct frt_registers at;
	frt_u64 end;		      /* the lowest Java frame's stack pointer */
	frt_u32 low_size, high_size;  /* bytes; 0: none */
	frt_u8 low[FRT_NATIVE_LOW];   /* from at.sp upwards */
	frt_u8 high[FRT_NATIVE_HIGH]; /* high_size bytes up to `end` */
};
_Static_assert(sizeof(struct frt_native) == 3856 + sizeof(struct frt_registers), "native");

/* A long wait of a thread in native code: FRT_WAIT, longer than struct frt_long_wait. */
struct frt_native_wait {
	struct frt_long_wait wait;
	struct frt_native native;
};

/*
 * The stacks of the thread that ends a wait longer than --wait-stack, taken as it does so. The record precedes that of
 * the wait, which has the same `thread` and `off`. Where the thread has left Java by its anchor, only the Java part is
 * copied. A thread that the agent has not met has no anchor here, and one that releases a monitor does not use its own:
 * then anchor_sp is 0, and the copy begins at at_entry.sp, from where the collector unwinds the native frames.
 */
struct frt_waker {
	frt_u32 kind;
	frt_u32 thread;
	frt_u64 off, at; /* at: when the stacks were taken */
	frt_u32 kernel_frames;
	/* the copy: FRT_WAKER_LOW bytes, of which low_size are valid, and if there is a high part, that */
	frt_u32 low_size, high_size;
	frt_u32 reserved;
	frt_u64 low, high; /* addresses */
	frt_u64 java_id;   /* of the virtual thread on it that woke the thread; 0: none, or unknown */
	frt_u64 anchor_sp, anchor_pc, anchor_fp; /* JavaFrameAnchor */
	struct frt_registers at_entry;		 /* when it entered the kernel */
	frt_u64 kernel[FRT_KERNEL_FRAMES];	 /* addresses, innermost first */
};
_Static_assert(sizeof(struct frt_waker) == 344 + sizeof(struct frt_registers), "waker");

#define FRT_WAKER_KNOWN 4096u  /* bytes of the stack of a thread that the agent has met */
#define FRT_WAKER_LOW	16384u /* of another one: Java's file streams have 8 KiB on it, */
#define FRT_WAKER_HIGH	8192u  /* and java.net.Socket has 64 KiB, up to JDK 12 */
#define FRT_WAKER_GAP	65536u

#define FRT_HELD_WAITS 12u /* struct wait_state must fit into a page */

/* Waits of one thread that the kernel has held back, in the order of their ends. */
struct frt_waits {
	frt_u32 kind;
	frt_u16 count;
	frt_u16 long_wait; /* number of the one with stacks, from 1; 0: none */
	struct frt_wait wait[FRT_HELD_WAITS];
};
_Static_assert(sizeof(struct frt_waits) == 1160, "waits");

/* The same with the stacks of the long wait, which stands here in full. */
struct frt_long_waits {
	struct frt_waits waits;
	struct frt_long_wait with_stacks;
};

/* The same if it was in native code. */
struct frt_native_waits {
	struct frt_long_waits waits;
	struct frt_native native;
};

/* A wait without stacks, shorter than 2^32 ns: the members of struct frt_wait that it has. */
struct frt_brief {
	frt_u64 off;
	frt_u32 blocked, ready; /* ns: from `off` to `wake`, and from there to `on` */
	frt_u32 waker, waker_origin;
	char waker_name[16];
	frt_u16 syscall;
	frt_u8 reason;
	frt_u8 flags;
	frt_u32 reserved;
	frt_u64 resource;
};
_Static_assert(sizeof(struct frt_brief) == 56, "brief");

#define FRT_FEW_BRIEFS	 8u
#define FRT_BRIEF_PLACES 64u /* a power of two; what the kernel keeps of a thread must fit into a page */
#define FRT_BRIEF_MOST	 (FRT_BRIEF_PLACES - 1)

/*
 * For paths: the last short waits of a thread, in the order of their ends. Behind this stand FRT_FEW_BRIEFS of them, or
 * FRT_BRIEF_PLACES, which are a ring; `count` are valid from the one with number `first` on.
 */
struct frt_briefs {
	frt_u32 kind;
	frt_u32 thread;
	frt_u16 first, count;
	frt_u32 reserved;
	frt_u64 lost; /* waits that began from here on, and before the first one, have been forgotten; 0: none */
};
_Static_assert(sizeof(struct frt_briefs) == 24, "briefs");

struct frt_few_briefs {
	struct frt_briefs briefs;
	struct frt_brief wait[FRT_FEW_BRIEFS];
};

struct frt_all_briefs {
	struct frt_briefs briefs;
	struct frt_brief wait[FRT_BRIEF_PLACES];
};

/* Which waits get stacks, and the JVM's offsets for taking them. */
#define FRT_ANCHOR 32u /* bytes of a JavaFrameAnchor that are read */

struct frt_wait_setup {
	frt_u64 longer; /* minimum length in ns; ~0: no stacks */
	frt_u16 known;	/* 0: the JVM's layout is unknown, take kernel stacks only */
	frt_u16 anchor_sp, anchor_pc, anchor_fp;
	frt_u64 hold;	   /* 1: most calls are not recorded, so waits are held back until a span appears */
	frt_u64 resources; /* 1: name what is waited for */
	frt_u64 path;	   /* 1: record the waits of all threads of the target, also outside of calls */
	/* with paths: from a JavaThread's anchor to its pending monitor, modulo 2^64, 0: unknown; from there to the owner */
	frt_u64 monitor, monitor_owner;
};

/* A virtual thread in a traced call was on no carrier from mount.off to `on`, and ready to run from mount.ready on. */
struct frt_resumed {
	frt_u32 kind;
	frt_u32 reserved;
	frt_u64 on;
	frt_u64 resource; /* id of what it was parked for; 0: unknown, or nothing */
	struct frt_mount mount;
};
_Static_assert(sizeof(struct frt_resumed) == 64, "resumed");

/* Kinds of pauses: all Java threads stood still, or a collection was running. */
enum frt_pause_what { FRT_PAUSE_SAFEPOINT = 1, FRT_PAUSE_GC };

struct frt_pause {
	frt_u32 kind;
	frt_u16 what;
	frt_u16 flags; /* FRT_PAUSE_* */
	frt_u64 begin, end;
	char name[40]; /* of the VM operation, "": unknown */
};
_Static_assert(sizeof(struct frt_pause) == 64, "pause");

#define FRT_PAUSE_COMMAND 0x1u /* when it began, the agent was at work on a command */

/*
 * With --kernel=full: the activity of a target thread between two moments at which its traced calls began or
 * ended. All of it belongs to the calls that were open at `at`. The record precedes the spans of those calls.
 */
struct frt_thread_usage {
	frt_u32 kind;
	frt_u32 thread;
	frt_u64 at;
	frt_u64 syscall_ns;		    /* total time in system calls that have returned */
	frt_u32 syscalls;		    /* number of those system calls, without the agent's and the uprobes' own */
	frt_u32 major_faults, minor_faults; /* the kernel's page fault counts for the thread, without the agent's */
	frt_u32 reserved;
};
_Static_assert(sizeof(struct frt_thread_usage) == 40, "usage");

/*
 * Keys of threads that have no slot, because they have called no traced method but native ones. No serial is as large:
 * threads are numbered from 1, and a JVM makes no billion of them.
 */
#define FRT_NATIVE_KEY 0x40000000u

/* A thread got such a key. */
struct frt_native_thread {
	frt_u32 kind;
	frt_u32 thread;	     /* its key */
	frt_u32 tid;	     /* in the target's pid namespace */
	frt_u32 process;     /* thread group in the initial one */
	frt_u64 java_thread; /* address of its JavaThread */
	char name[16];	     /* the kernel's name of the thread */
};
_Static_assert(sizeof(struct frt_native_thread) == 40, "native thread");

/* A call of a native method that has ended. */
struct frt_native_call {
	frt_u32 kind;
	frt_u32 thread;	  /* serial or FRT_NATIVE_KEY */
	frt_u32 function; /* number in the attach cookie */
	frt_u16 flags;	  /* FRT_NATIVE_* */
	frt_u16 frames;	  /* in struct frt_native_stack; 0: none are here */
	frt_u64 start, end;
	frt_u64 stack;	 /* identifies the stack; 0: none was taken */
	frt_u64 java_id; /* of the running thread, virtual or not; 0: unknown */
	/* with --inside: the number of the root that it is in, and the TSC from which on that is kept; 0: never */
	frt_u64 root, root_due;
};
_Static_assert(sizeof(struct frt_native_call) == 64, "native call");

#define FRT_NATIVE_THROWN   0x1u	 /* with an exception pending */
#define FRT_NATIVE_CUT(end) ((end) << 8) /* enum frt_walk_end of the stack */

#define FRT_NATIVE_FRAMES 96u /* struct native_calls must fit into a page */

/* The same with a stack that has not been sent of late: frames from the native method outwards. */
struct frt_native_stack {
	struct frt_native_call call;
	struct frt_frame frame[FRT_NATIVE_FRAMES];
};

#define FRT_OPEN_NATIVES 32u /* calls of native methods that call Java, which calls native methods; a power of two */

/* The open calls of a thread, outermost first. */
struct frt_native_open {
	frt_u32 kind;
	frt_u32 thread;	     /* serial or FRT_NATIVE_KEY */
	frt_u64 java_thread; /* address of its JavaThread */
	frt_u32 count, reserved;
	frt_u64 start[FRT_OPEN_NATIVES];    /* 0: with --inside, it is in no root */
	frt_u32 function[FRT_OPEN_NATIVES]; /* numbers in the attach cookie */
};
_Static_assert(sizeof(struct frt_native_open) == 408, "native open");

#define FRT_NATIVE_FUNCTIONS 4096u

/* What is recorded of a function's calls. The collector writes it. */
struct frt_native_function {
	frt_u64 threshold; /* ns; ~0: no call is recorded */
	frt_u32 thrown;	   /* 1: only those that end with an exception are */
	frt_u32 timed;	   /* 1: with --inside, the sum has those outside of roots, too */
};

/* All calls of a function on one CPU; times in ns. */
struct frt_native_sum {
	frt_u64 count, thrown, total, minimum, maximum;
};

/* Where the programs find things in the JVM; a layout with jdk_version 0 is unknown. */
struct frt_native_setup {
	struct frt_layout layout;
	frt_u16 thread_pending; /* in JavaThread: the pending exception; FRT_NO_OFFSET: unknown */
	frt_u16 stacks;		/* 1: take stacks */
	frt_u32 inside;		/* 1: --inside */
};

/* What the program at HotSpot's own probes needs to have the waits of its calls followed. */
struct frt_probe_waits {
	frt_u8 wanted;
	frt_u8 stacks;				  /* with their Java stacks: the offsets are known */
	frt_u16 thread_anchor, thread_stack_base; /* in JavaThread */
	frt_u16 reserved;
};

/* How that program knows that an exception ends a call. [begin, end): the interpreter's code that calls the probe then; 0: unknown. */
struct frt_probe_exceptions {
	frt_u64 begin, end;
	frt_u16 thread_pending; /* in JavaThread: the pending exception; FRT_NO_OFFSET: unknown, as the next two may be */
	frt_u16 thread_osthread; /* in JavaThread: the address of its OSThread, */
	frt_u16 osthread_id;	 /* in which the kernel's number of the thread is */
	frt_u16 reserved;
};

/* The target: its thread group id in its innermost pid namespace, and that namespace. */
struct frt_target {
	frt_u64 pid_ns_dev, pid_ns_ino;
	frt_u32 tgid;
	frt_u32 reserved;
};

/* An address range of code in the target. */
struct frt_code {
	frt_u64 begin, end;
};

/*
 * With --buffer=perf the queue is a perf buffer for each CPU. A program writes its records into the CPU's staging area and
 * outputs them when it ends, each with the time of its reservation in front: the order of the queue. While a bit of
 * `claimed` is set, that record is not in the perf buffer yet.
 */
#define FRT_STAGED_SMALL  8256u							/* bytes of a place with its header */
#define FRT_STAGED_LARGE  (24960u + (unsigned int)sizeof(struct frt_registers)) /* a waker with the longest stacks */
#define FRT_STAGED_PLACES 16u /* small ones, a power of two; behind them is a large one */

struct frt_staged {
	frt_u32 size;	/* of the record */
	frt_u32 number; /* of the place */
	frt_u64 at;	/* CLOCK_MONOTONIC ns; 0: not known yet. From here on it is output. */
			/* the record follows */
};
_Static_assert(sizeof(struct frt_staged) == 16, "staged");

struct frt_staging {
	frt_u32 claimed, ready;		/* bits: places in use; those among them that may be output */
	frt_u32 next, reserved;		/* next: the place to try first */
	frt_u64 size;			/* bytes of the CPU's perf buffer; 0: it has none. The collector writes it, */
	frt_u64 produced, consumed;	/* and the bytes that it has consumed. produced: with what is staged */
	frt_u64 lost[FRT_RECORD_KINDS]; /* records that could not be output, by their kind */
	frt_u8 places[FRT_STAGED_PLACES * FRT_STAGED_SMALL + FRT_STAGED_LARGE];
};

/* Bytes that a record takes in a perf buffer: a header, a length, its time, itself, and up to 7 to the next word. */
#define FRT_STAGED_OUTPUT(size) (8u + ((4u + 8u + (size) + 7u) & ~7u))

/* Why BPF could not do its work; index into the drops array. */
enum frt_drop {
	FRT_DROP_QUEUE_FULL = 0, /* the next drain or sweep takes the bytes */
	FRT_DROP_NESTED,
	FRT_DROP_UNREADABLE,
	FRT_DROP_STORAGE,
	FRT_DROP_REASONS
};

#endif
