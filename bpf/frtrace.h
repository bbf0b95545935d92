/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The one contract between the agent in the JVM, the BPF programs and the
 * collector: types and constants only, of fixed width, sizes asserted.
 *
 * The agent makes one sealed memfd, the control segment. Its sections lie at
 * fixed offsets (FRT_*_AT). Written by the agent, read by the collector with
 * bounds; only `owner`, `heartbeat`, `stack_done`, `command`, `config` and rules are written by the collector.
 *
 *   header | config | loaders | classes | methods | skips | threads | strings | slots | rings | stacks | frames |
 *   rules | shared sums | histograms | histogram groups | cells | virtual calls | virtual names | scratch
 *
 * All tables but the stacks are append-only while a recording runs: an id once given means
 * the same thing until its end. Between two recordings classes and methods are forgotten when their tables are half full
 * and nothing has hooks (a method that was active when a recording ended may exit in the next one, where its call is not counted). A row is complete when the count that covers it
 * has been stored (release order).
 */
#ifndef FRTRACE_H
#define FRTRACE_H

#ifdef __bpf__
#include <linux/types.h>
typedef __u8 frt_u8;
typedef __u16 frt_u16;
typedef __u32 frt_u32;
typedef __u64 frt_u64;
#else
#include <stdint.h>
typedef uint8_t frt_u8;
typedef uint16_t frt_u16;
typedef uint32_t frt_u32;
typedef uint64_t frt_u64;
#endif

#define FRT_MAGIC 0x656361727472660bULL /* changes with every change of this file's layout */

#define FRT_MAX_LOADERS	 4096u
#define FRT_MAX_CLASSES	 32768u
#define FRT_MAX_METHODS	 65536u
#define FRT_MAX_SKIPS	 8192u
#define FRT_MAX_THREADS	 16384u /* a log: row = serial modulo this */
#define FRT_MAX_SLOTS	 8192u
#define FRT_CONFIG_SIZE	 (1u << 20)
#define FRT_STRINGS_SIZE (16u << 20)
#define FRT_RINGS_SIZE	 (16u << 20) /* address space; memory is bounded by header.ring_cap */

#define FRT_CELLS_SIZE	     (32u << 20) /* address space, as for rings */
#define FRT_CELLS_FIRST_LOG2 3
#define FRT_RECENT	     32u    /* calls of a cell that are not in the histogram yet */
#define FRT_RECENT_END	     32768u /* TSC ticks: calls of that and longer do not wait there */
#define FRT_GROUPS	     192u   /* of a histogram */
#define FRT_GROUP_BUCKETS    8u
#define FRT_MAX_GROUPS	     (1u << 18) /* of all histograms; number 0 is none */
#define FRT_OCTAVE_LOG2	     5		/* 32 buckets from each power of two to the next: 1.6 % to either side */

#define FRT_STACKS	    65536u /* row = id modulo this */
#define FRT_STACK_FRAMES    (1u << 18)
#define FRT_STACK_LIVE	    49152u /* the agent takes the last so many ids for known, an older stack gets a new one */
#define FRT_STACK_LOST	    0xffffffffu
#define FRT_STACK_AFTER(id) ((id) + 1 == FRT_STACK_LOST ? 1 : (id) + 1) /* ids go round */
#define FRT_MAX_DEPTH	    2048u

#define FRT_SCRATCH_ROWS 64u /* the agent copies memory of its own process here that may be unreadable */
#define FRT_SCRATCH_ROW	 256u
#define FRT_SCRATCH_SIZE (FRT_SCRATCH_ROWS * FRT_SCRATCH_ROW)

#define FRT_RING_MIN_LOG2   9  /* what a thread gets when half of the cap is used */
#define FRT_RING_FIRST_LOG2 10 /* what it gets before */
#define FRT_RING_MAX_LOG2   14

#define FRT_NO_THREAD	0u
#define FRT_NO_METHOD	0u /* method ids start at 1; so do string offsets, class ids and thread serials */
#define FRT_BOOT_LOADER 0u

/* What a ring holds: records of 32 bytes, aligned; `kind` at the same place in each. */
enum frt_record_kind {
	FRT_SPAN = 1,	 /* struct frt_span */
	FRT_VTHREAD = 2, /* struct frt_vthread: the spans with FRT_SPAN_VIRTUAL that follow in this stream are its */
};

#define FRT_SPAN_THROWN	 0x1u /* the call ended by an exception */
#define FRT_SPAN_VIRTUAL 0x2u /* on a virtual thread: the one last named in this stream; `thread` is the carrier */

struct frt_span {
	frt_u64 start;	  /* TSC at entry */
	frt_u64 duration; /* TSC ticks */
	frt_u32 method;
	frt_u32 stack;	/* id; 0: none was taken, or no Java code called; FRT_STACK_LOST */
	frt_u32 thread; /* serial of the thread */
	frt_u16 kind;
	frt_u16 flags;
};

struct frt_vthread {
	frt_u64 java_id;
	char name[16]; /* bytes 16*part .. of the name, modified UTF-8, padded with 0 */
	frt_u32 part;  /* 0 .. FRT_VTHREAD_PARTS-1; part 0 begins a new identity */
	frt_u16 kind;
	frt_u16 length; /* whole length of the name that follows in parts; at most 16 * FRT_VTHREAD_PARTS */
};

#define FRT_RECORD_SIZE	  32u
#define FRT_VTHREAD_PARTS 4u

struct frt_open_call {
	frt_u64 start;
	frt_u32 method;
	frt_u32 reserved;
};

#define FRT_OPEN_CALLS 18u

/*
 * A thread's own state, on lines of its own. A slot is reused by later
 * threads, its stream of records goes on: `head` never goes back, and every
 * span names its thread. Counters are of the slot, not of the thread.
 */
struct frt_slot {
	/* first line: what every exit touches */
	frt_u64 env;		/* JNIEnv * of the owner, 0 when free; the agent's */
	frt_u64 thread_pointer; /* %fs:0 of the owner */
	frt_u64 head;		/* stream offset, bytes, of the next record */
	frt_u64 ring;		/* offset of the ring in the segment << 8 | log2 of its size; 0: none */
	frt_u64 entered;	/* calls of enter that were let in */
	frt_u64 exited;
	frt_u32 depth; /* open calls; those beyond FRT_OPEN_CALLS are only counted */
	frt_u32 thread;
	frt_u64 drained; /* head at the last drain */
	/* second */
	frt_u64 thrown;
	frt_u64 recorded;    /* spans appended */
	frt_u64 unrecorded;  /* spans that should have been appended: no ring to be had */
	frt_u64 longest;     /* TSC ticks of the longest call that ended, recorded or not */
	frt_u64 lost_exits;  /* open calls found dead: their exit was lost (StackOverflowError); none of a carrier */
	frt_u64 moved_exits; /* exits that found no open call of theirs */
	frt_u64 vthread;     /* javaThreadId that was last named in the stream, 0 none */
	frt_u32 flags;	     /* FRT_SLOT_* */
	frt_u32 epoch;	     /* header.epoch at which the thread was identified */
	/* third */
	frt_u64 drained_at;    /* TSC */
	frt_u64 blocked_until; /* TSC before which no ring is asked for again */
	frt_u64 stack_end;     /* first address above the thread's stack; 0: its stacks are not walked */
	frt_u64 anchor;	       /* address of its JavaFrameAnchor */
	frt_u64 cells;	       /* offset of its timing cells << 8 | log2 of their number; 0: none */
	frt_u64 cell_count;    /* those that are in use */
	frt_u64 record_ticks; /* TSC ticks that a span takes from the stamp at its end until it is drained: about, of late */
	/* what an open-call dump saw */
	frt_u64 open_dump_at;	 /* TSC; 0: it has not come to this thread */
	frt_u32 open_dump_stack; /* id of the stack that the thread had then, 0 none */
	frt_u32 open_dump_open;	 /* the first so many open calls were open before that and after it */
	frt_u32 open_dump_dead;	 /* bit i: open call i is on no stack */
	frt_u32 open_dump_epoch; /* header.open_dump */
	frt_u64 asked_until;	 /* TSC: the agent's, see virtual_calls.c */
	frt_u64 reserved[1];
	struct frt_open_call open[FRT_OPEN_CALLS];
};

#define FRT_SLOT_CARRIER 0x1u /* may carry virtual threads: its open calls are struct frt_virtual_call */

/*
 * An open call of a thread that carries virtual ones, or of one of those: it may end on another carrier. The agent finds
 * it again by its start. Calls of which it does not know whose they are have none.
 */
struct frt_virtual_call {
	frt_u64 start;	 /* TSC, stored last; 0 free, 1 being written */
	frt_u64 java_id; /* of the thread that is in the call */
	frt_u32 method;
	frt_u32 carrier;   /* serial of the thread that it began on */
	frt_u32 stack;	   /* what the thread did at the open-call dump: id of its stack, 0 none */
	frt_u32 open_dump; /* number of that open-call dump; 0: it did not come to this call */
};

struct frt_virtual_name {
	frt_u8 length; /* of the thread's name, written by an open-call dump */
	char name[63]; /* modified UTF-8 */
};

#define FRT_VIRTUAL_LOG2  14
#define FRT_VIRTUAL_CALLS (1u << FRT_VIRTUAL_LOG2)

struct frt_thread {
	frt_u32 serial; /* stored last; row = serial % FRT_MAX_THREADS */
	frt_u32 tid;	/* in the target's innermost pid namespace */
	frt_u64 java_id;
	frt_u64 jni_env;
	frt_u8 name_length, group_length;
	frt_u8 carrier; /* 1: may carry virtual threads */
	frt_u8 reserved[5];
	char name[64]; /* modified UTF-8, cut on a character boundary */
	char group[32];
};

struct frt_loader {
	frt_u32 type;  /* string: internal name of the loader's class; 0 for the boot loader */
	frt_u32 name;  /* string: its name, "app", "platform", ...; 0 none */
	frt_u32 state; /* enum frt_loader_state */
	frt_u32 reserved;
};

enum frt_loader_state { FRT_LOADER_NEW = 0, FRT_LOADER_READY = 1, FRT_LOADER_REFUSES = 2, FRT_LOADER_ASKED = 3 };

struct frt_class {
	frt_u32 name; /* string, internal form a/b/C$D */
	frt_u32 loader;
	frt_u32 modifiers;
	frt_u32 flags; /* FRT_CLASS_* */
};

#define FRT_CLASS_REWRITTEN 0x1u /* has hooks now */
#define FRT_CLASS_SEEN	    0x2u /* looked at with the present filter */
#define FRT_CLASS_LEFT	    0x4u /* has hooks of an earlier recording, and is not prepared yet: it loses them then */

struct frt_method {
	frt_u32 class_id;
	frt_u32 name; /* string */
	frt_u32 descriptor;
	frt_u16 modifiers; /* JVMS 4.6 access_flags */
	frt_u16 flags;	   /* FRT_METHOD_* */
};

#define FRT_METHOD_HOOKED      0x1u /* has hooks now */
#define FRT_METHOD_LOWER_BOUND 0x2u /* @IntrinsicCandidate: the JIT may replace calls by machine code */
#define FRT_METHOD_MAY_MOUNT \
	0x4u /* may run while a virtual thread is mounted or unmounted: the JVM is asked for nothing then */

/* Why something that a filter matched is not traced. */
enum frt_skip_reason {
	FRT_SKIP_NONE = 0,
	FRT_SKIP_NATIVE, /* native method: no bytecode */
	FRT_SKIP_ABSTRACT,
	FRT_SKIP_SYNTHETIC,	 /* bridges, lambda bodies (JEP 520 leaves them out too) */
	FRT_SKIP_TOO_LARGE,	 /* would pass 64 KiB */
	FRT_SKIP_HUGE_METHOD,	 /* would pass the 8000 bytes that HotSpot compiles */
	FRT_SKIP_JSR,		 /* old class file with jsr/ret */
	FRT_SKIP_RESERVED_STACK, /* @ReservedStackAccess */
	FRT_SKIP_LOCKS,		 /* java.util.concurrent.locks */
	FRT_SKIP_CONTINUATION,	 /* jdk.internal.vm.Continuation, @JvmtiMountTransition */
	FRT_SKIP_JFR,		 /* JFR event classes */
	FRT_SKIP_HIDDEN,	 /* hidden classes cannot be retransformed */
	FRT_SKIP_UNMODIFIABLE,
	FRT_SKIP_LOADER,    /* the loader does not find the helper class */
	FRT_SKIP_VERIFY,    /* the JVM refused the rewritten class */
	FRT_SKIP_MALFORMED, /* a class file that we do not understand */
	FRT_SKIP_TABLE_FULL,
	FRT_SKIP_FINALIZER, /* an empty finalize(): HotSpot knows by its code that no object needs a Finalizer */
	FRT_SKIP_OTHER,	    /* not selected: a method of a class that is named, of which no method is selected */
	FRT_SKIP_REASONS
};

struct frt_skip {
	frt_u32 class_name; /* string */
	frt_u32 method;	    /* string, 0: the whole class */
	frt_u32 descriptor; /* string or 0 */
	frt_u32 reason;
};

enum frt_state {
	FRT_IDLE = 0, /* loaded, nothing rewritten */
	FRT_STARTING = 1,
	FRT_ACTIVE = 2,
	FRT_STOPPING = 3,
};

/* Who holds the JVM; written by the collector under an exclusive flock() on the segment. */
struct frt_owner {
	frt_u32 pid, uid;
	frt_u64 start_ns; /* CLOCK_REALTIME */
	char what[64];
};

enum frt_command_kind {
	FRT_COMMAND_NONE = 0,
	FRT_COMMAND_START,     /* read the config, rewrite what the filter matches */
	FRT_COMMAND_CHANGE,    /* the same while a recording runs */
	FRT_COMMAND_OPEN_DUMP, /* write down the stacks of threads with open calls */
	FRT_COMMAND_STOP,      /* the same, and original code again */
	FRT_COMMANDS
};

/* What the agent says of a command, and of its load. */
enum frt_result {
	FRT_DONE = 0,
	FRT_NO_JVMTI = 101,
	FRT_NO_CAPABILITIES = 102,
	FRT_NO_SEGMENT = 103,
	FRT_NO_HELPER = 104, /* the helper class cannot be defined or bound */
	FRT_NOT_READY = 105,
	FRT_NO_LISTENER = 106,
	FRT_BAD_CONFIG = 107,
	FRT_JVMTI_FAILED = 108,
	FRT_UNKNOWN_COMMAND = 109,
	FRT_NO_THREAD_CLASS = 110,
	FRT_NO_THREAD_STARTED = 111,
	FRT_SECCOMP = 112,	/* a filter would kill for memfd_create() */
	FRT_ANOTHER_COPY = 113, /* the helper class is bound to another copy of the agent */
};

/*
 * One command at a time, from the holder of the lock on the segment: it stores `kind`, counts `number` up, and wakes it
 * (a futex that processes share). The agent's thread stores `result`, then `answered` = `number`, and wakes that.
 */
struct frt_command {
	frt_u32 kind;	  /* enum frt_command_kind */
	frt_u32 number;	  /* futex */
	frt_u32 answered; /* futex */
	frt_u32 result;	  /* 0, or what header.message explains */
};

struct frt_header {
	frt_u64 magic;
	frt_u64 size;  /* of the segment */
	char tag[16];  /* names the build: file name and helper class carry it */
	frt_u32 pid;   /* of the JVM in its innermost namespace */
	frt_u32 state; /* enum frt_state */
	frt_u32 epoch; /* of the recording: goes up at each start */
	frt_u32 jni_version;
	frt_u64 ring_cap;  /* bytes of rings at most */
	frt_u64 ring_used; /* bytes of rings handed out */

	/* table fills */
	frt_u32 loaders, classes, methods, skips;
	frt_u32 strings; /* bytes used; a string is two bytes of length (little-endian), the bytes, a 0; its number is its offset */
	frt_u32 slots;	       /* highest slot ever used + 1 */
	frt_u32 thread_serial; /* last one given */
	frt_u32 slots_missing; /* threads that found no slot; their calls are in `unslotted` */

	frt_u64 unslotted;	/* calls of threads without a slot */
	frt_u64 dead_calls;	/* open calls that are on no stack: found at the end of the recording */
	frt_u64 retransform_ns; /* time within RetransformClasses, last command */
	frt_u32 retransformed;	/* classes, last command */
	frt_u32 last_error;	/* jvmti error of the last command, 0 */
	frt_u32 hook_ticks;	/* TSC ticks of the two stamps of one call, measured at load */
	frt_u32 healed;		/* how often the agent restored the JVM by itself */
	frt_u32 open_dump;	/* number of the last open-call dump; counted up when it begins */
	frt_u32 progress;	/* goes up while a command is at work */
	char message[256];	/* of the last command, 0-terminated */

	struct frt_command command;
	struct frt_owner owner;

	/*
	 * Counted up by the collector several times a second. The kernel's semaphore
	 * tells sooner that the collector is gone, but a killed process can leave
	 * its probe behind ("failed to unregister, leaking uprobe").
	 */
	frt_u64 heartbeat;

	/*
	 * Stacks. The next id << 32 | number of frames ever given out, both modulo
	 * 2^32; and the same pair as far as the collector has read: what lies before it may be overwritten.
	 */
	frt_u64 stack_next;
	frt_u64 stack_done;
	frt_u64 stacks_lost;	/* spans with FRT_STACK_LOST: the collector was behind */
	frt_u64 stacks_off;	/* spans of threads whose stack bounds are not known */
	frt_u64 stacks_unasked; /* spans with an unknown stack: to ask JVMTI for it could have hung the thread */
	frt_u64 stacks_refused; /* the same: JVMTI did not tell it */

	/* Timing. */
	frt_u64 cell_cap; /* bytes of cells of threads at most; and of groups */
	frt_u64 cell_used;
	frt_u64 unbucketed; /* timed calls that are in no histogram: no group was left */
	frt_u32 groups;	    /* numbers given out */

	frt_u32 virtual_used; /* 1: there have been virtual calls in this recording */
	frt_u32 stack_frames; /* places of the table of frames that are used: a power of two, FRT_STACK_FRAMES at most */
};

/*
 * What is to be done with a method's calls: a word for each, by its id.
 * Threshold in TSC ticks << FRT_RULE_SHIFT, and flags. 0: record every call.
 */
#define FRT_RULE_TIMED	  0x1u
#define FRT_RULE_THROWN	  0x2u /* record only calls that end by an exception */
#define FRT_RULE_SILENT	  0x4u /* timed for the live view alone: no jdk.MethodTiming */
#define FRT_RULE_SHIFT	  3
#define FRT_RULE_UNTRACED (~0ull << FRT_RULE_SHIFT) /* a threshold that no call reaches */

/* Calls of a method, added up. */
struct frt_sum {
	frt_u32 method; /* 0: free */
	frt_u32 reserved;
	frt_u64 count, thrown;
	frt_u64 total, minimum, maximum; /* TSC ticks */
	frt_u64 reserved_too[2];
};

/*
 * A method's timing by one thread, exact without atomic operations; a slot's
 * cells are an open-addressed table, place method * FRT_CELL_HASH >> (64 - log2), and outlive its threads.
 * Calls that found no place there are in the method's shared sum.
 *
 * The last count % FRT_RECENT calls stand in the first so many places of `recent`, by their durations, and wait to
 * be added to the total and to the histogram; the call that takes the last place takes all of them there. Who stores `count`
 * chooses by that the total, so both are right together whenever the thread stops.
 * So a call touches two lines, side by side, and none that other threads write.
 */
struct frt_cell {
	frt_u32 method;	    /* 0: free */
	frt_u16 known_from; /* durations from here on that are neither new to the histogram nor a new extreme, */
	frt_u16 known;	    /* so many: the agent's */
	frt_u64 count, thrown;
	frt_u64 total[2]; /* that of count / FRT_RECENT % 2 counts: TSC ticks of all calls but those in `recent` */
	frt_u64 minimum, maximum;
	frt_u64 reserved;
	frt_u16 recent[FRT_RECENT]; /* TSC ticks; 0: not waiting, or took none */
};

#define FRT_CELL_HASH 0x9e3779b97f4a7c15ULL

/*
 * All calls of a method by duration in TSC ticks, updated atomically. Bucket of d:
 * d itself below 32; else, with e the number of d's highest bit, (e - 4) * 32 + the five bits below that one.
 * Buckets stand in groups of eight, which exist when a call has fallen into them.
 */
struct frt_histogram {
	frt_u32 group[FRT_GROUPS]; /* numbers; 0: no call yet */
};

struct frt_group {
	frt_u64 count[FRT_GROUP_BUCKETS];
};

/*
 * A stack, from the frame of the traced method downwards. That frame itself
 * is left out where it is an interpreter's; where it is compiled its callers may
 * be inlined into the same code, so it stands there and the reader drops
 * the innermost method (FRT_STACK_INCLUSIVE).
 */
struct frt_stack {
	frt_u64 hash;  /* of all that follows and of the frames */
	frt_u32 id;    /* stored last, release; row = id % FRT_STACKS */
	frt_u32 first; /* frame i is row (first + i) % header.stack_frames */
	frt_u16 count;
	frt_u8 end;   /* enum frt_walk_end */
	frt_u8 flags; /* FRT_STACK_* */
	frt_u32 reserved[3];
};

#define FRT_STACK_INCLUSIVE 0x1u

/* Why a walk ended. */
enum frt_walk_end {
	FRT_WALK_BOTTOM = 0, /* the thread's first Java frame, or the end of a virtual thread */
	FRT_WALK_DEPTH,	     /* --stack-depth */
	FRT_WALK_CHUNK,	     /* the rest of a virtual thread's frames is in the heap */
	FRT_WALK_UNREADABLE, /* an address outside of the stack, or that cannot be read */
	FRT_WALK_CODE,	     /* a program counter in no code that we know how to cross */
	FRT_WALK_STUCK,	     /* a sender that is not above its callee */
	FRT_WALK_UNASKED,    /* nothing is known: header.stacks_unasked and stacks_refused count the calls */
	FRT_WALK_ENDS
};

enum frt_frame_kind {
	FRT_FRAME_INTERPRETED =
		1, /* code: Method *, at: bytecode pointer (0: a native method), cookie: fingerprint, see walk.h */
	FRT_FRAME_COMPILED, /* code: nmethod *, at: return address, cookie: compile id */
	FRT_FRAME_NATIVE,   /* the same of a native method's wrapper */
	FRT_FRAME_KERNEL,   /* code: an address in the kernel; the collector's own */
	FRT_FRAME_NAMED,    /* code: method id, at: bytecode index (-1 unknown) << 32 | line */
};

/* One activation record. A compiled one may stand for several methods. */
struct frt_frame {
	frt_u64 code;
	frt_u64 at;
	frt_u32 cookie;
	frt_u16 kind;
	frt_u16 flags;
};

#define FRT_FRAME_DEOPTIMISED 0x1u

/* A part of the code cache. */
struct frt_code_heap {
	frt_u64 low, high; /* reserved */
	frt_u64 committed; /* address of the pointer to the end of what is in use (VirtualSpace::_high) */
	frt_u64 segmap;	   /* one byte a segment: 0 begins a block, 0xff is free, else so many segments back at least */
};

#define FRT_CODE_HEAPS 8u
#define FRT_NO_OFFSET  0xffffu

/*
 * What the walker must know of a JVM: found by the collector in the tables
 * that HotSpot exports (gHotSpotVMStructs and so on), per version where they do
 * not say. Offsets are in bytes, FRT_NO_OFFSET: this JVM has no such field.
 */
struct frt_layout {
	frt_u32 jdk_version; /* 8 .. 28; 0: there is no layout */
	frt_u32 heaps;
	struct frt_code_heap heap[FRT_CODE_HEAPS];
	frt_u64 interpreter, interpreter_end; /* its code */
	frt_u64 call_stub_return;	      /* return address into the stub by which the VM calls Java */
	frt_u64 continuation_return; /* an address in enterSpecial, which has two calls; 0: not known, or no such thing */
	frt_u64 return_barrier;	     /* StubRoutines::_cont_returnBarrier; 0: known by its blob's name */
	frt_u32 segment_log2;

	/* JavaThread */
	frt_u16 thread_anchor, thread_env, thread_stack_base;
	/* JavaFrameAnchor */
	frt_u16 anchor_sp, anchor_pc, anchor_fp;
	/* JavaCallWrapper, and where the call stub's frame has its address: words from the frame pointer */
	frt_u16 wrapper_anchor;
	short call_wrapper;
	/* an interpreter's frame: words from the frame pointer */
	short interpreter_method, interpreter_bcp, interpreter_sender_sp;
	/* HeapBlock: the blob stands behind it */
	frt_u16 block_size, block_used;
	/* CodeBlob */
	frt_u16 blob_name, blob_size, blob_frame_size;
	/* UpcallStub: the int that says where, from its frame's sp, the anchor of the Java code that called out is */
	frt_u16 upcall_frame_data;
	/* nmethod */
	frt_u16 nmethod_compile_id, nmethod_orig_pc;
	frt_u16 nmethod_deopt[2];	 /* the deopt handler and, where there is one, that of method handle calls */
	frt_u16 nmethod_deopt_is_offset; /* 1: each an int from the blob's start; 0: an address */
	/* Method, ConstMethod, ConstantPool, Klass, Symbol: for the fingerprint of an interpreted method */
	frt_u16 method_const;
	frt_u16 const_pool, const_flags, const_code_size, const_name, const_signature, const_size;
	frt_u16 const_has_lines; /* the bit in the flags */
	frt_u16 pool_holder, pool_size;
	frt_u16 klass_name;
	frt_u16 symbol_length, symbol_body;
	frt_u16 symbol_length_shift; /* 0, or 16: the upper half of an int */
	frt_u16 thread_owner_id;     /* in JavaThread, JDK 24 on: the id of the thread that runs, virtual or not */
	frt_u16 reserved[2];
};

#define FRT_INTRINSICS_SIZE 8192u
#define FRT_EXACT_SIZE	    16384u

/* Config, written by the collector before FRT_COMMAND_START. */
struct frt_config {
	frt_u64 threshold;    /* TSC ticks; shorter calls are not recorded */
	frt_u64 ring_cap;     /* bytes; 0 default */
	frt_u64 grow_ticks;   /* a drain sooner than this after the last one lets the ring grow */
	frt_u32 stack_depth;  /* frames of a stack at most; 0: no stacks */
	frt_u32 stack_frames; /* for the header's; another power of two counts as FRT_STACK_FRAMES */
	struct frt_layout layout;
	frt_u32 flags; /* FRT_CONFIG_* */
	frt_u32 pattern_size;
	frt_u64 cell_cap; /* bytes */
	/* before a JVM that we started makes itself; addresses of its flags, 0: leave it */
	frt_u64 flag_disable_intrinsic;	      /* the pointer that -XX:DisableIntrinsic sets, to these names */
	frt_u64 flag_off[2];		      /* one byte each: to be cleared */
	char intrinsics[FRT_INTRINSICS_SIZE]; /* "_max,_min" */
	char exact[FRT_EXACT_SIZE];	      /* whose they are: "java/lang/Math.max\n", to be counted exactly then */
	frt_u64 tick_scale;	 /* TSC ticks per nanosecond << 32: for thresholds of methods, which are in ns */
	frt_u32 open_dump_depth; /* frames at most of the stack of a thread with open calls; 0: no such stacks */
	frt_u32 stacks;		 /* FRT_STACKS_* */
				 /* the compiled filter (filters/matcher.h) follows */
};

#define FRT_CONFIG_THROWN 0x1u /* FRT_RULE_THROWN for all methods */
#define FRT_CONFIG_TIMED  0x2u /* FRT_RULE_TIMED for all methods, silent for those that no filter times */

/* Where stacks come from; with both, from JVMTI what cannot be walked. */
#define FRT_STACKS_WALK	 0x1u
#define FRT_STACKS_JVMTI 0x2u /* GetStackTrace */

#define FRT_HEADER_AT	     0u
#define FRT_CONFIG_AT	     4096u
#define FRT_LOADERS_AT	     (FRT_CONFIG_AT + FRT_CONFIG_SIZE)
#define FRT_CLASSES_AT	     (FRT_LOADERS_AT + FRT_MAX_LOADERS * 16u)
#define FRT_METHODS_AT	     (FRT_CLASSES_AT + FRT_MAX_CLASSES * 16u)
#define FRT_SKIPS_AT	     (FRT_METHODS_AT + FRT_MAX_METHODS * 16u)
#define FRT_THREADS_AT	     (FRT_SKIPS_AT + FRT_MAX_SKIPS * 16u)
#define FRT_STRINGS_AT	     (FRT_THREADS_AT + FRT_MAX_THREADS * 128u)
#define FRT_SLOTS_AT	     (FRT_STRINGS_AT + FRT_STRINGS_SIZE)
#define FRT_RINGS_AT	     (FRT_SLOTS_AT + FRT_MAX_SLOTS * 512u)
#define FRT_STACKS_AT	     (FRT_RINGS_AT + FRT_RINGS_SIZE)
#define FRT_FRAMES_AT	     (FRT_STACKS_AT + FRT_STACKS * 32u)
#define FRT_RULES_AT	     (FRT_FRAMES_AT + FRT_STACK_FRAMES * 24u)
#define FRT_SHARED_AT	     (FRT_RULES_AT + FRT_MAX_METHODS * 8u)
#define FRT_HISTOGRAMS_AT    (FRT_SHARED_AT + FRT_MAX_METHODS * 64u)
#define FRT_GROUPS_AT	     (FRT_HISTOGRAMS_AT + FRT_MAX_METHODS * FRT_GROUPS * 4u)
#define FRT_CELLS_AT	     (FRT_GROUPS_AT + FRT_MAX_GROUPS * 64u)
#define FRT_VIRTUAL_AT	     (FRT_CELLS_AT + FRT_CELLS_SIZE)
#define FRT_VIRTUAL_NAMES_AT (FRT_VIRTUAL_AT + FRT_VIRTUAL_CALLS * 32u)
#define FRT_SCRATCH_AT	     (FRT_VIRTUAL_NAMES_AT + FRT_VIRTUAL_CALLS * 64u)
#define FRT_SEGMENT_SIZE     (FRT_SCRATCH_AT + FRT_SCRATCH_SIZE)

_Static_assert(sizeof(struct frt_span) == FRT_RECORD_SIZE, "span");
_Static_assert(sizeof(struct frt_vthread) == FRT_RECORD_SIZE, "vthread");
_Static_assert(sizeof(struct frt_slot) == 512, "slot");
_Static_assert(sizeof(struct frt_thread) == 128, "thread");
_Static_assert(sizeof(struct frt_virtual_call) == 32, "virtual call");
_Static_assert(sizeof(struct frt_virtual_name) == 64, "virtual name");
_Static_assert(sizeof(struct frt_loader) == 16, "loader");
_Static_assert(sizeof(struct frt_class) == 16, "class");
_Static_assert(sizeof(struct frt_method) == 16, "method");
_Static_assert(sizeof(struct frt_skip) == 16, "skip");
_Static_assert(sizeof(struct frt_stack) == 32, "stack");
_Static_assert(sizeof(struct frt_frame) == 24, "frame");
_Static_assert(sizeof(struct frt_layout) > 0, "layout");
_Static_assert(sizeof(struct frt_sum) == 64, "sum");
_Static_assert(sizeof(struct frt_cell) == 128, "cell");
_Static_assert(sizeof(struct frt_histogram) == FRT_GROUPS * 4u, "histogram");
_Static_assert(sizeof(struct frt_group) == 64, "group");
_Static_assert(FRT_CELLS_AT % 4096 == 0, "page aligned cells");
_Static_assert(sizeof(struct frt_config) % 8 == 0, "config");
_Static_assert(sizeof(struct frt_header) <= 4096, "header");
_Static_assert(FRT_RINGS_AT % 4096 == 0, "page aligned rings");

/*
 * The USDT site frtrace:drain, called by the thread that owns the slot when
 * half of its ring is new:
 *   1 slot number   2 address of the ring   3 head   4 drained   5 size of half a ring
 *
 * And frtrace:thread, called once by a thread that has got a slot, unless it may carry virtual threads (FRT_SLOT_CARRIER):
 *   1 slot number   2 address of the slot
 */

#endif
