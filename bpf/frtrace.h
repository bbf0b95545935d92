/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The contract between the agent in the JVM, the BPF programs and the collectors. It has types and constants only;
 * all types have a fixed width and an asserted size.
 *
 * The agent creates one sealed memfd, the control segment. Its sections lie at fixed offsets (FRT_*_AT). The agent
 * writes it and the collectors read it with bounds checks. A collector writes only the command word, the answer in `room` and,
 * of its own recording, `owner`, `heartbeat`, `stack_done`, `context`, the config and the rules.
 *
 *    header | configs | loaders | classes | methods | skips | threads | strings | slots | shares | insides | rings |
 *    stacks | frames | rules | shared sums | histograms | histogram groups | cells | virtual calls | virtual names |
 *    scratch
 *
 * Up to FRT_RECORDINGS recordings run at a time, each with a collector of its own. The first one begins an epoch, which
 * ends with the last one. Configs, skips, rules, shared sums and histograms exist for each recording. All else is
 * shared: rings have the spans of all recordings, and a slot's open calls are those of any of them.
 *
 * All tables except the stacks are append-only while a recording runs: an id means the same thing until the
 * epoch ends. Between two epochs, classes and methods are forgotten if their tables are half full and
 * nothing has hooks. (A method that was active when a recording ended may exit during the next one; that call is
 * not counted.) A row is complete once the count that covers it has been stored, with release order.
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

#define FRT_MAGIC 0x6563617274726613ULL /* changes with every change of this file's layout */

#define FRT_RECORDINGS 4u /* at a time */

#define FRT_MAX_LOADERS	 4096u
#define FRT_MAX_CLASSES	 32768u
#define FRT_MAX_METHODS	 65536u
#define FRT_MAX_SKIPS	 8192u
#define FRT_MAX_THREADS	 16384u /* a log: row = serial % FRT_MAX_THREADS */
#define FRT_MAX_SLOTS	 8192u
#define FRT_CONFIG_SIZE	 (1u << 20)
#define FRT_STRINGS_SIZE (16u << 20)
#define FRT_RINGS_SIZE	 (16u << 20) /* address space; memory is bounded by header.ring_cap */

#define FRT_CELLS_SIZE	     (32u << 20) /* address space only, like the rings */
#define FRT_CELLS_FIRST_LOG2 3
#define FRT_RECENT	     32u    /* calls of a cell that are not in the histogram yet */
#define FRT_RECENT_END	     32768u /* TSC ticks: calls at least this long go into the histogram at once */
#define FRT_GROUPS	     192u   /* per histogram */
#define FRT_GROUP_BUCKETS    8u
#define FRT_MAX_GROUPS	     (1u << 18) /* in all histograms; number 0 means none */
#define FRT_OCTAVE_LOG2	     5		/* 32 buckets per power of two: an error of at most 1.6 % */

#define FRT_STACKS	 65536u /* row = id % FRT_STACKS */
#define FRT_STACK_FRAMES (1u << 18)
/* the agent reuses only the latest FRT_STACK_LIVE ids; an older stack gets a new id */
#define FRT_STACK_LIVE	    49152u
#define FRT_STACK_LOST	    0xffffffffu
#define FRT_STACK_AFTER(id) ((id) + 1 == FRT_STACK_LOST ? 1 : (id) + 1) /* ids wrap around */
#define FRT_MAX_DEPTH	    2048u

#define FRT_SCRATCH_ROWS 64u /* the agent copies possibly unreadable memory of its own process to here */
#define FRT_SCRATCH_ROW	 256u
#define FRT_SCRATCH_SIZE (FRT_SCRATCH_ROWS * FRT_SCRATCH_ROW)

#define FRT_RING_MIN_LOG2   9  /* size for a new thread once half of the cap is used */
#define FRT_RING_FIRST_LOG2 10 /* size for a new thread before that */
#define FRT_RING_MAX_LOG2   14

#define FRT_NO_THREAD	0u
#define FRT_NO_METHOD	0u /* method ids, string offsets, class ids and thread serials all start at 1 */
#define FRT_BOOT_LOADER 0u

/* Kinds of ring records. Each is 32 bytes, aligned, with `kind` at the same place. */
enum frt_record_kind {
	FRT_SPAN = 1,	 /* struct frt_span */
	FRT_FIELD = 3,	 /* struct frt_field: a value of the FRT_SPAN_FIELDS span before it */
	FRT_VTHREAD = 2, /* struct frt_vthread: applies to the FRT_SPAN_VIRTUAL spans that follow in this stream */
	FRT_ROOT = 4,	 /* struct frt_root: applies to the spans that follow in this stream, up to the next one */
};

#define FRT_SPAN_THROWN	 0x1u /* the call ended with an exception */
#define FRT_SPAN_VIRTUAL 0x2u /* on the virtual thread named last in this stream; `thread` is the carrier */
/* the agent has seen each mount of that virtual thread during the call, so that the kernel's half is complete */
#define FRT_SPAN_FOLLOWED 0x4u
/* values of the call follow, up to the one with FRT_FIELD_LAST; fewer if the thread was killed or its stack is full */
#define FRT_SPAN_FIELDS 0x8u
#define FRT_SPAN_ROOT	0x10u /* a call of a root that is kept; of no other one (--inside) */
#define FRT_SPAN_NATIVE 0x20u /* in the collector only: of a native method, its stack is one of the collector's own */
/* the call does not belong to recording r, or is not to be recorded there */
#define FRT_SPAN_NOT(r) (0x100u << (r))

struct frt_span {
	frt_u64 start;	  /* TSC at entry */
	frt_u64 duration; /* TSC ticks */
	frt_u32 method;
	frt_u32 stack;	/* id; 0: no stack was taken, or no Java code called; or FRT_STACK_LOST */
	frt_u32 thread; /* serial of the thread */
	frt_u16 kind;
	frt_u16 flags;
};

struct frt_vthread {
	frt_u64 java_id;
	char name[16]; /* bytes 16 * part and up of the name, modified UTF-8, padded with 0 */
	frt_u32 part;  /* 0 to FRT_VTHREAD_PARTS - 1; part 0 begins a new identity */
	frt_u16 kind;
	frt_u16 length; /* length of the whole name, at most 16 * FRT_VTHREAD_PARTS; the other parts follow */
};

/*
 * With --inside calls are recorded only in a root: a call of a method with FRT_RULE_ROOT that is in no other one. Whether
 * they are kept is known when the root ends. FRT_ROOT_OPEN: the spans that follow are of calls in the root. FRT_ROOT_KEPT
 * and FRT_ROOT_DROPPED: it has ended; no spans of any root follow before the next record. A virtual thread's root may have
 * spans in several streams, also after its end has arrived in one of them.
 */
struct frt_root {
	frt_u64 number; /* other roots have others; the upper bits are those of the slot where it began + 1 */
	frt_u64 start;	/* FRT_ROOT_OPEN: TSC at entry; otherwise: the number of its spans in all streams */
	frt_u64 needed; /* FRT_ROOT_OPEN: TSC ticks from which on it is kept however it ends; FRT_ROOT_NEVER: none */
	frt_u32 reserved;
	frt_u16 kind;
	frt_u16 flags; /* FRT_ROOT_* */
};

#define FRT_ROOT_SLOT_SHIFT 40 /* of the number */

#define FRT_ROOT_OPEN	 0x1u
#define FRT_ROOT_KEPT	 0x2u
#define FRT_ROOT_DROPPED 0x4u
#define FRT_ROOT_VIRTUAL 0x8u /* on a carrier: the stream may have spans of several open roots */
#define FRT_ROOT_NEVER	 (~0ull)

/* One value, or a part of it. The records of a call follow its span directly. */
struct frt_field {
	frt_u8 data[24];
	frt_u16 number; /* FRT_FIELD_NUMBER */
	frt_u8 size;	/* bytes of data in use */
	frt_u8 form;	/* enum frt_field_form */
	frt_u16 kind;
	frt_u16 flags; /* FRT_FIELD_* */
};

#define FRT_FIELD_LAST 0x1u /* no more values of this call */
#define FRT_FIELD_MORE 0x2u /* the text continues in the next record */

/* A field of a recording's plan (filters/plan.h). */
#define FRT_FIELD_NUMBER(r, i) ((r) << 12 | (i))
#define FRT_FIELD_RECORDING(n) ((n) >> 12 & (FRT_RECORDINGS - 1))
#define FRT_FIELD_INDEX(n)     ((n) & 0xfffu)
#define FRT_FIELD_THROWN       0xfffu /* no field of a plan: the class of the exception that ended the call */
#define FRT_FIELD_TRACE	       0xffeu /* nor this: the distributed trace that the thread was in; of any recording */

enum frt_field_form {
	FRT_FORM_NULL,
	FRT_FORM_INTEGER, /* 8 bytes, signed; of a boolean, byte, char, short, int or long */
	FRT_FORM_FLOAT,	  /* 4 bytes */
	FRT_FORM_DOUBLE,  /* 8 bytes */
	FRT_FORM_BOOLEAN, /* as an integer; this and the next only where the plan does not say it */
	FRT_FORM_CHAR,
	/* Texts: the first record begins with the number of characters of the whole text, 4 bytes */
	FRT_FORM_LATIN1, /* one byte a character */
	FRT_FORM_UTF16,
	FRT_FORM_CLASS,	 /* the JVM's signature of a class, modified UTF-8; the number is that of its bytes */
	FRT_FORM_ABSENT, /* the same, of the class that has no such field; empty: the method has no such value */
	FRT_FORM_TRACE,	 /* 24 bytes: trace id, span id, in network order; of FRT_FIELD_TRACE */
	FRT_FORMS
};

#define FRT_FIELD_TEXT_MAX 1024u /* characters of a text that are recorded, at most */

#define FRT_RECORD_SIZE	  32u
#define FRT_VTHREAD_PARTS 4u

struct frt_open_call {
	frt_u64 start;
	frt_u32 method;
	frt_u32 place; /* low half of the stack pointer in the hook; used by the agent only */
};

#define FRT_OPEN_CALLS 18u

/* What a carrier runs; used by the agent only. */
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

/*
 * What one recording counts in one slot once the epoch has had a second recording. The recording that began the epoch
 * has counted in the slot itself before. From then on until the epoch ends, all count here.
 */
struct frt_share {
	frt_u64 entered, exited, thrown, recorded, unrecorded, longest, lost_exits; /* as in the slot */
	frt_u32 moved_exits;
	frt_u32 number; /* frt_recording.number; a different one: nothing is counted yet */
};

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
	frt_u16 flags; /* FRT_INSIDE_* */
	frt_u16 reserved[5];
};

#define FRT_INSIDE_THROWN 0x1u /* it is kept if it ends with an exception */
#define FRT_INSIDE_SAMPLE 0x2u /* it is kept by --keep */
#define FRT_INSIDE_MOVED  0x4u /* it has been on another carrier, or in no slot: nothing can be taken back */

#define FRT_SLOT_CARRIER 0x1u /* may carry virtual threads: its open calls are struct frt_virtual_call */

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
	frt_u32 reserved;
};

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

struct frt_virtual_name {
	frt_u8 length; /* of the thread's name; an open-call dump writes it */
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
	char name[64]; /* modified UTF-8, cut at a character boundary */
	char group[32];
};

struct frt_loader {
	frt_u32 type;  /* string: internal name of the loader's class; 0 for the boot loader */
	frt_u32 name;  /* string: its name, "app", "platform", ...; 0: none */
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
#define FRT_CLASS_SEEN	    0x2u /* inspected with the current filter */
/* loaded with hooks of an earlier recording, not prepared yet: ClassPrepare removes them */
#define FRT_CLASS_LEFT 0x4u
/* has hooks for the mounts of virtual threads only, besides FRT_CLASS_REWRITTEN */
#define FRT_CLASS_MOUNTS 0x8u

struct frt_method {
	frt_u32 class_id;
	frt_u32 name; /* string */
	frt_u32 descriptor;
	frt_u16 modifiers; /* JVMS 4.6 access_flags */
	frt_u16 flags;	   /* FRT_METHOD_* */
};

#define FRT_METHOD_FOR(r)      (0x1u << (r)) /* has hooks for recording r now; a native one: is traced by it */
#define FRT_METHOD_HOOKED      0xfu	     /* for any recording */
#define FRT_METHOD_LOWER_BOUND 0x10u	     /* @IntrinsicCandidate: the JIT may replace calls by machine code */
#define FRT_METHOD_MAY_MOUNT \
	0x20u /* may run while a virtual thread is mounted or unmounted: the agent must not call into the JVM then */

/* Why a matched method or class is not traced. */
enum frt_skip_reason {
	FRT_SKIP_NONE = 0,
	FRT_SKIP_NATIVE,	   /* native method that no filter names by its class */
	FRT_SKIP_NATIVE_INTRINSIC, /* native method that the JIT replaces by machine code */
	FRT_SKIP_NATIVE_ROOT,	   /* native method that --inside names: it has no hooks, so it is no root */
	FRT_SKIP_ABSTRACT,
	FRT_SKIP_SYNTHETIC,	 /* bridges, lambda bodies (JEP 520 leaves them out too) */
	FRT_SKIP_TOO_LARGE,	 /* the method would exceed 64 KiB */
	FRT_SKIP_HUGE_METHOD,	 /* the method would exceed the 8000 bytes that HotSpot compiles */
	FRT_SKIP_JSR,		 /* old class file with jsr/ret */
	FRT_SKIP_RESERVED_STACK, /* @ReservedStackAccess */
	FRT_SKIP_LOCKS,		 /* java.util.concurrent.locks */
	FRT_SKIP_CONTINUATION,	 /* jdk.internal.vm.Continuation, @JvmtiMountTransition */
	FRT_SKIP_JFR,		 /* JFR event classes */
	FRT_SKIP_HIDDEN,	 /* hidden classes cannot be retransformed */
	FRT_SKIP_UNMODIFIABLE,
	FRT_SKIP_LOADER,    /* the loader does not find the helper class */
	FRT_SKIP_VERIFY,    /* the JVM refused the rewritten class */
	FRT_SKIP_MALFORMED, /* a class file that the parser rejects */
	FRT_SKIP_TABLE_FULL,
	FRT_SKIP_FINALIZER, /* an empty finalize(): HotSpot recognises its code and creates no Finalizer */
	FRT_SKIP_OTHER,	    /* kept for suggestions: the class was named, none of its methods matched */
	FRT_SKIP_MEMORY,    /* no memory for the new code */
	FRT_SKIP_METASPACE, /* the JVM's metaspace is limited, and has no room for the new code */
	FRT_SKIP_REASONS
};

struct frt_skip {
	frt_u32 class_name; /* string */
	frt_u32 method;	    /* string; 0: the whole class */
	frt_u32 descriptor; /* string or 0 */
	frt_u32 reason;
};

enum frt_state {
	FRT_IDLE = 0, /* loaded, nothing rewritten */
	FRT_STARTING = 1,
	FRT_ACTIVE = 2,
	FRT_STOPPING = 3,
};

/* Who records. */
struct frt_owner {
	frt_u32 pid, uid;
	frt_u64 start_ns; /* CLOCK_REALTIME */
	char what[64];
};

/*
 * Where a library of the program publishes the distributed trace that each thread is in: in a thread-local pointer to a
 * record. `word` is the address of a word that the loader has filled, plus flags in its lowest bits, and is stored last; 0:
 * nowhere. The word has `value` as long as the library is there. The variable lies `value` from the thread pointer, or, with
 * FRT_CONTEXT_DYNAMIC, at `offset` in what the thread has of `module`, if it knows of `generation` (glibc's dtv).
 */
struct frt_context {
	frt_u64 word, value, module, offset, generation;
};

#define FRT_CONTEXT_ELASTIC 0x1u /* the record is Elastic's, not OpenTelemetry's */
#define FRT_CONTEXT_DYNAMIC 0x2u
#define FRT_CONTEXT_FLAGS   0x7u
#define FRT_CONTEXT_NEAR    (1ll << 16) /* bytes from the thread pointer, at most, of a variable that is not dynamic */

/*
 * A recording. Its collector holds a lock on byte FRT_LOCK_RECORDING(r) of the segment (fcntl, F_OFD_SETLK), from before
 * its first command until it has read everything; the kernel releases it when the collector dies.
 */
struct frt_recording {
	frt_u32 state;	    /* enum frt_state; FRT_IDLE also after it has ended, while its collector still reads */
	frt_u32 number;	    /* given at each start, from 1 */
	frt_u64 since;	    /* TSC: calls that began earlier do not belong to it */
	frt_u32 founder;    /* 1: it began the epoch, so the slots' own counters are its own, too */
	frt_u32 open_dump;  /* number of its last open-call dump */
	frt_u32 skips;	    /* rows in use */
	frt_u32 inside;	    /* 1: with --inside, which works for a recording that runs alone */
	frt_u64 unslotted;  /* calls of threads without a slot */
	frt_u64 dead_calls; /* open calls found on no stack at the end of the recording */

	/* The collector writes the rest. */
	struct frt_owner owner;
	/*
	 * Incremented several times a second. The lock, and the kernel's USDT semaphore if nobody else listens, show the
	 * collector's end sooner.
	 */
	frt_u64 heartbeat;
	/* as frt_header.stack_next, for the stacks that the collector has read */
	frt_u64 stack_done;
	struct frt_context context;
};

/* Bytes of the segment that are locked. */
#define FRT_LOCK_RECORDING(r) (r)
#define FRT_LOCK_COMMAND      FRT_RECORDINGS

enum frt_command_kind {
	FRT_COMMAND_NONE = 0,
	FRT_COMMAND_START,     /* read the config, rewrite what the filter matches */
	FRT_COMMAND_OPEN_DUMP, /* record the stacks of threads with open calls */
	FRT_COMMAND_STOP,      /* the same, then restore the original code of what no other recording wants */
	FRT_COMMAND_UNHOOK,    /* remove the hooks of methods that have FRT_RULE_UNHOOKED for all their recordings */
	FRT_COMMAND_ROOM,      /* ask how much metaspace there is now (struct frt_room) */
	FRT_COMMANDS
};

/* Result of a command, or of loading the agent. */
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
	FRT_SECCOMP = 112,	/* the JVM has a seccomp filter that cannot be tried */
	FRT_ANOTHER_COPY = 113, /* the helper class is bound to another copy of the agent */
	/* With the number of a system call in the low 12 bits: */
	FRT_CALL_FAILS = 1 << 28, /* it fails, with the error in the 12 bits above */
	FRT_CALL_KILLS = 1 << 29, /* a seccomp filter would kill the JVM for it */
};

/*
 * One command at a time, from the holder of the lock on byte FRT_LOCK_COMMAND, who holds it until the answer. He stores
 * `kind` and `recording`, increments `number` and wakes it (a futex shared by processes). The agent's thread stores
 * `result`, sets `answered` to `number` and wakes `answered`.
 */
struct frt_command {
	frt_u32 kind; /* enum frt_command_kind */
	frt_u32 recording;
	frt_u32 number;	  /* futex */
	frt_u32 answered; /* futex */
	frt_u32 result;	  /* 0, or an error that header.message explains */
	frt_u32 reserved;
};

/*
 * While a command runs, with FRT_CONFIG_LIMITED, the agent may ask how much metaspace it may use: it stores what taking
 * all hooks out will need, then `asked`, and wakes command.answered. The holder of FRT_LOCK_COMMAND stores what may be used
 * beyond that, sets `answered` to `asked` and wakes it.
 */
struct frt_room {
	frt_u32 asked;
	frt_u32 answered; /* futex */
	frt_u64 hooked_bytes, hooked_classes;
	frt_u64 bytes, classes; /* classes: of the class space; new code that may be made for them, in and out */
	frt_u32 wanted;		/* 1: a class found no room when it was loaded, since the last question */
	frt_u32 reserved;
};

struct frt_header {
	frt_u64 magic;
	frt_u64 size;  /* of the segment */
	char tag[16];  /* identifies the build: the file name and the helper class carry it */
	frt_u32 pid;   /* of the JVM, in its innermost pid namespace */
	frt_u32 state; /* enum frt_state: FRT_IDLE when no recording runs */
	frt_u32 epoch; /* incremented when a recording starts while no other one runs */
	frt_u32 jni_version;
	frt_u64 ring_cap;  /* upper limit for all rings, bytes */
	frt_u64 ring_used; /* bytes of rings handed out */

	/* rows in use */
	frt_u32 loaders, classes, methods;
	frt_u32 joined; /* incremented when a recording starts while another one runs */
	/* bytes in use. A string is a 2-byte little-endian length, the bytes, and a 0; its number is its offset */
	frt_u32 strings;
	frt_u32 slots;	       /* highest slot ever used + 1 */
	frt_u32 thread_serial; /* the last one assigned */
	frt_u32 slots_missing; /* threads without a slot; frt_recording.unslotted counts their calls */

	frt_u64 retransform_ns; /* time spent in RetransformClasses by the last command */
	frt_u32 retransformed;	/* classes retransformed by the last command */
	frt_u32 last_error;	/* JVMTI error of the last command, 0: none */
	frt_u32 hook_ticks;	/* TSC ticks that the two stamps of a call take, measured at load */
	frt_u32 healed;		/* how often the agent has ended a recording on its own */
	frt_u32 numbers;	/* of recordings, given so far */
	frt_u32 open_dump;	/* number of the last open-call dump; incremented when a dump begins */
	frt_u32 progress;	/* incremented while a command makes progress */
	char message[256];	/* of the last command, 0-terminated */

	struct frt_command command;
	struct frt_recording recording[FRT_RECORDINGS];

	/*
	 * Stacks. stack_next is the next id << 32 | the number of frames ever written, both modulo 2^32. What the
	 * collector that is farthest has read may be overwritten: one that is behind by the whole table loses stacks
	 * either way, and must not cost the others theirs.
	 */
	frt_u64 stack_next;
	frt_u64 stacks_lost;	/* spans with FRT_STACK_LOST: the collector fell behind */
	frt_u64 stacks_off;	/* spans of threads with unknown stack bounds */
	frt_u64 stacks_unasked; /* spans with an unknown stack: asking JVMTI could have blocked the thread for ever */
	frt_u64 stacks_refused; /* spans with an unknown stack: JVMTI returned an error */

	/* Timing. */
	frt_u64 cell_cap; /* limits in bytes: cells of threads, histogram groups */
	frt_u64 cell_used;
	frt_u64 unbucketed; /* timed calls in no histogram: all groups were in use */
	frt_u32 groups;	    /* group numbers handed out */

	frt_u32 virtual_used; /* 1: this epoch has had virtual calls */
	frt_u32 stack_frames; /* rows in use of the frame table: a power of two, at most FRT_STACK_FRAMES */
	struct frt_room room;
};

/*
 * The rule for a method's calls: one word per recording and method id, with the threshold in TSC ticks <<
 * FRT_RULE_SHIFT, and flags. 0: record every call. FRT_RULE_UNTRACED without a flag: the method is not the recording's.
 */
#define FRT_RULE_TIMED	  0x1u
#define FRT_RULE_THROWN	  0x2u	/* record only calls that end with an exception */
#define FRT_RULE_SILENT	  0x4u	/* timed for the live view and --metrics only: no jdk.MethodTiming */
#define FRT_RULE_UNHOOKED 0x8u	/* the collector wants no hooks in the method any more (FRT_COMMAND_UNHOOK) */
#define FRT_RULE_ROOT	  0x10u /* of --inside; the threshold, and FRT_RULE_THROWN: what roots are kept */
#define FRT_RULE_SHIFT	  5
#define FRT_RULE_UNTRACED (~0ull << FRT_RULE_SHIFT) /* a threshold that no call reaches */

/* A method of a recording, in sums, cells and histograms. */
#define FRT_TIMED_METHODS	    (FRT_RECORDINGS * FRT_MAX_METHODS)
#define FRT_TIMED_METHOD(r, method) ((r) * FRT_MAX_METHODS + (method) % FRT_MAX_METHODS)

/* Sums over the calls of a method. */
struct frt_sum {
	frt_u32 method; /* FRT_TIMED_METHOD; 0: free */
	frt_u32 reserved;
	frt_u64 count, thrown;
	frt_u64 total, minimum, maximum; /* TSC ticks */
	frt_u64 reserved_too[2];
};

/*
 * The timing of one method by one thread, exact without atomic operations. The cells of a slot form an
 * open-addressed table and outlive the slot's threads; a method's first place is method * FRT_CELL_HASH >> (64 -
 * log2). Calls without a place there go into the method's shared sum.
 *
 * The durations of the last count % FRT_RECENT calls stand at the front of `recent` and are not yet part of the
 * total or the histogram. The call that fills the last place adds all of them. Storing `count` also selects the
 * valid total, so both are consistent wherever the thread stops. A call thus touches two adjacent cache lines that
 * no other thread writes.
 */
struct frt_cell {
	frt_u32 method;	    /* FRT_TIMED_METHOD; 0: free */
	frt_u16 known_from; /* shortest duration that is neither a new bucket of the histogram nor a new extreme, */
	frt_u16 known;	    /* and the number of such durations; used by the agent only */
	frt_u64 count, thrown;
	frt_u64 total[2]; /* TSC ticks of all calls except those in `recent`; element count / FRT_RECENT % 2 is valid */
	frt_u64 minimum, maximum;
	frt_u64 reserved;
	frt_u16 recent[FRT_RECENT]; /* TSC ticks; 0: free, or a call of 0 ticks */
};

#define FRT_CELL_HASH 0x9e3779b97f4a7c15ULL

/*
 * All calls of a method by duration in TSC ticks, updated atomically. The bucket of d is d itself below 32;
 * otherwise, with e the number of the highest bit of d, it is (e - 4) * 32 plus the five bits below that one.
 * Buckets form groups of eight; a group is allocated for the first call that falls into it.
 */
struct frt_histogram {
	frt_u32 group[FRT_GROUPS]; /* group numbers; 0: no call yet */
};

struct frt_group {
	frt_u64 count[FRT_GROUP_BUCKETS];
};

/*
 * A stack, from the frame of the traced method outwards. An interpreted frame of the traced method itself is left
 * out. A compiled one is kept, because its callers may be inlined into the same code; the reader then drops the
 * innermost method (FRT_STACK_INCLUSIVE).
 */
struct frt_stack {
	frt_u64 hash;  /* of the fields below and the frames */
	frt_u32 id;    /* stored last, with release order; row = id % FRT_STACKS */
	frt_u32 first; /* frame i is in row (first + i) % header.stack_frames */
	frt_u16 count;
	frt_u8 end;   /* enum frt_walk_end */
	frt_u8 flags; /* FRT_STACK_* */
	frt_u32 reserved[3];
};

#define FRT_STACK_INCLUSIVE 0x1u

/* Why a walk ended. */
enum frt_walk_end {
	FRT_WALK_BOTTOM = 0, /* the thread's first Java frame, or the end of a virtual thread */
	FRT_WALK_DEPTH,	     /* --stack-depth reached */
	FRT_WALK_CHUNK,	     /* the other frames of a virtual thread are in the heap */
	FRT_WALK_UNREADABLE, /* an address that is unreadable or outside of the stack */
	FRT_WALK_CODE,	     /* a program counter in unknown code */
	FRT_WALK_STUCK,	     /* a sender that is not above its callee */
	FRT_WALK_UNASKED,    /* no walk: header.stacks_unasked and stacks_refused count these calls */
	FRT_WALK_ENDS
};

enum frt_frame_kind {
	FRT_FRAME_INTERPRETED =
		1, /* code: Method *, at: bytecode pointer (0: a native method), cookie: fingerprint, see walk.h */
	FRT_FRAME_COMPILED, /* code: nmethod *, at: return address, cookie: compile id */
	FRT_FRAME_NATIVE,   /* the same for the wrapper of a native method */
	FRT_FRAME_KERNEL,   /* code: an address in the kernel; used by the collector only */
	FRT_FRAME_NAMED,    /* code: method id, at: bytecode index (-1: unknown) << 32 | line */
	FRT_FRAME_FUNCTION, /* of a library; code: pc, at: the same in the file, cookie: library; collector only */
};

/* One activation record. A compiled one may contain several inlined methods. */
struct frt_frame {
	frt_u64 code;
	frt_u64 at;
	frt_u32 cookie;
	frt_u16 kind;
	frt_u16 flags;
};

#define FRT_FRAME_DEOPTIMISED 0x1u
#define FRT_FRAME_EXACT	      0x2u /* pc is the next instruction, not a return address */
#define FRT_FRAME_LEAF	      0x4u /* in the collector only: it may be at a call for which HotSpot records no scope */

/* A segment of the code cache. */
struct frt_code_heap {
	frt_u64 low, high; /* reserved */
	frt_u64 committed; /* address of the pointer to the end of the committed part (VirtualSpace::_high) */
	/* one byte per segment: 0: a block begins, 0xff: free, else go back at least this many segments */
	frt_u64 segmap;
};

#define FRT_CODE_HEAPS 8u
#define FRT_NO_OFFSET  0xffffu

/*
 * What the walker needs to know about a JVM. The collector finds it in the tables that HotSpot exports
 * (gHotSpotVMStructs and others), and by JDK version where they are silent. Offsets are in bytes; FRT_NO_OFFSET:
 * this JVM has no such field.
 */
struct frt_layout {
	frt_u32 jdk_version; /* 8 to 28; 0: there is no layout */
	frt_u32 heaps;
	struct frt_code_heap heap[FRT_CODE_HEAPS];
	frt_u64 interpreter, interpreter_end; /* the interpreter's code */
	frt_u64 call_stub_return;	      /* return address in the stub through which the VM calls Java */
	frt_u64 continuation_return; /* an address in enterSpecial, which has two calls; 0: unknown or absent */
	frt_u64 return_barrier;	     /* StubRoutines::_cont_returnBarrier; 0: identified by its blob's name */
	frt_u32 segment_log2;

	/* JavaThread */
	frt_u16 thread_anchor, thread_env, thread_stack_base;
	/* JavaFrameAnchor */
	frt_u16 anchor_sp, anchor_pc, anchor_fp;
	/* JavaCallWrapper, and its address in the call stub's frame: words from the frame pointer */
	frt_u16 wrapper_anchor;
	short call_wrapper;
	/* interpreted frame: words from the frame pointer */
	short interpreter_method, interpreter_bcp, interpreter_sender_sp;
	/* HeapBlock: header before each blob */
	frt_u16 block_size, block_used;
	/* CodeBlob */
	frt_u16 blob_name, blob_size, blob_frame_size;
	/* UpcallStub: its int at this offset is the offset, from its frame's sp, of the calling Java code's anchor */
	frt_u16 upcall_frame_data;
	/* nmethod */
	frt_u16 nmethod_compile_id, nmethod_orig_pc;
	frt_u16 nmethod_deopt[2];	 /* the deopt handler, and that for method handle calls if the JDK has one */
	frt_u16 nmethod_deopt_is_offset; /* 1: each is an int relative to the blob; 0: each is an address */
	/* Method, ConstMethod, ConstantPool, Klass, Symbol: for the fingerprint of an interpreted method */
	frt_u16 method_const;
	frt_u16 const_pool, const_flags, const_code_size, const_name, const_signature, const_size;
	frt_u16 const_has_lines; /* the bit in const_flags */
	frt_u16 pool_holder, pool_size;
	frt_u16 klass_name;
	frt_u16 symbol_length, symbol_body;
	frt_u16 symbol_length_shift; /* 0, or 16: the upper half of an int */
	frt_u16 thread_owner_id;     /* in JavaThread, since JDK 24: id of the current thread, virtual or not */
	frt_u16 reserved[2];
};

#define FRT_INTRINSICS_SIZE 8192u
#define FRT_EXACT_SIZE	    16384u

/* The config. The collector writes it before FRT_COMMAND_START. */
struct frt_config {
	frt_u64 threshold;    /* TSC ticks; shorter calls are not recorded */
	frt_u64 ring_cap;     /* bytes; 0: default */
	frt_u64 grow_ticks;   /* the ring grows if a drain follows the previous one within this time */
	frt_u32 stack_depth;  /* maximum number of frames in a stack; 0: no stacks */
	frt_u32 stack_frames; /* for header.stack_frames; a value that is no power of two means FRT_STACK_FRAMES */
	struct frt_layout layout;
	frt_u32 flags; /* FRT_CONFIG_* */
	frt_u32 pattern_size;
	frt_u64 cell_cap; /* bytes */
	/* for a JVM that frtrace launched, before it initialises; addresses of its flags, 0: leave unchanged */
	frt_u64 flag_disable_intrinsic;	      /* the pointer behind -XX:DisableIntrinsic; set to `intrinsics` */
	frt_u64 flag_off[2];		      /* flags of one byte to clear */
	char intrinsics[FRT_INTRINSICS_SIZE]; /* "_max,_min" */
	char exact[FRT_EXACT_SIZE];	      /* their methods, "java/lang/Math.max ", which are then counted exactly */
	frt_u64 tick_scale;	 /* TSC ticks per nanosecond << 32; converts thresholds of methods, which are in ns */
	frt_u32 open_dump_depth; /* maximum number of frames in the stack of a thread with open calls; 0: no stacks */
	frt_u32 stacks;		 /* FRT_STACKS_* */
	frt_u32 plan_size;	 /* 0: there are no events */
	frt_u32 keep;		 /* per cent of the roots that are kept however they end */
	/* the compiled filter (filters/program.h) follows, and at the next multiple of 8 the plan (filters/plan.h) */
};

#define FRT_CONFIG_THROWN 0x1u /* FRT_RULE_THROWN for all methods */
#define FRT_CONFIG_TIMED \
	0x2u /* FRT_RULE_TIMED for all methods, FRT_RULE_SILENT for those that no timing filter matches */
#define FRT_CONFIG_MOUNTS	0x4u  /* follow virtual threads from carrier to carrier */
#define FRT_CONFIG_THROWN_CLASS 0x10u /* calls that end with an exception have a value FRT_FIELD_THROWN */
#define FRT_CONFIG_INSIDE	0x8u  /* the filter has roots (PROGRAM_ROOT): record only what is in them */
/* Each root has a record at its end, because calls of native methods may be in it. Set while the recording runs. */
#define FRT_CONFIG_ROOT_ENDS 0x20u
#define FRT_CONFIG_LIMITED   0x40u /* the JVM's metaspace has a limit: struct frt_room */

/* The source of stacks. With both bits, JVMTI is asked for stacks that cannot be walked. */
#define FRT_STACKS_WALK	 0x1u
#define FRT_STACKS_JVMTI 0x2u /* GetStackTrace */

#define FRT_HEADER_AT	     0u
#define FRT_CONFIG_AT	     4096u
#define FRT_LOADERS_AT	     (FRT_CONFIG_AT + FRT_RECORDINGS * FRT_CONFIG_SIZE)
#define FRT_CLASSES_AT	     (FRT_LOADERS_AT + FRT_MAX_LOADERS * 16u)
#define FRT_METHODS_AT	     (FRT_CLASSES_AT + FRT_MAX_CLASSES * 16u)
#define FRT_SKIPS_AT	     (FRT_METHODS_AT + FRT_MAX_METHODS * 16u)
#define FRT_THREADS_AT	     (FRT_SKIPS_AT + FRT_RECORDINGS * FRT_MAX_SKIPS * 16u)
#define FRT_STRINGS_AT	     (FRT_THREADS_AT + FRT_MAX_THREADS * 128u)
#define FRT_SLOTS_AT	     (FRT_STRINGS_AT + FRT_STRINGS_SIZE)
#define FRT_SHARES_AT	     (FRT_SLOTS_AT + FRT_MAX_SLOTS * 512u)
#define FRT_INSIDES_AT	     (FRT_SHARES_AT + FRT_MAX_SLOTS * FRT_RECORDINGS * 64u)
#define FRT_RINGS_AT	     (FRT_INSIDES_AT + FRT_MAX_SLOTS * 128u)
#define FRT_STACKS_AT	     (FRT_RINGS_AT + FRT_RINGS_SIZE)
#define FRT_FRAMES_AT	     (FRT_STACKS_AT + FRT_STACKS * 32u)
#define FRT_RULES_AT	     (FRT_FRAMES_AT + FRT_STACK_FRAMES * 24u)
#define FRT_SHARED_AT	     (FRT_RULES_AT + FRT_TIMED_METHODS * 8u)
#define FRT_HISTOGRAMS_AT    (FRT_SHARED_AT + FRT_TIMED_METHODS * 64u)
#define FRT_GROUPS_AT	     (FRT_HISTOGRAMS_AT + FRT_TIMED_METHODS * FRT_GROUPS * 4u)
#define FRT_CELLS_AT	     (FRT_GROUPS_AT + FRT_MAX_GROUPS * 64u)
#define FRT_VIRTUAL_AT	     (FRT_CELLS_AT + FRT_CELLS_SIZE)
#define FRT_VIRTUAL_NAMES_AT (FRT_VIRTUAL_AT + FRT_VIRTUAL_CALLS * 32u)
#define FRT_SCRATCH_AT	     (FRT_VIRTUAL_NAMES_AT + FRT_VIRTUAL_CALLS * 64u)
#define FRT_SEGMENT_SIZE     (FRT_SCRATCH_AT + FRT_SCRATCH_SIZE)

_Static_assert(sizeof(struct frt_span) == FRT_RECORD_SIZE, "span");
_Static_assert(sizeof(struct frt_vthread) == FRT_RECORD_SIZE, "vthread");
_Static_assert(sizeof(struct frt_field) == FRT_RECORD_SIZE, "field");
_Static_assert(sizeof(struct frt_slot) == 512, "slot");
_Static_assert(sizeof(struct frt_share) == 64, "share");
_Static_assert(sizeof(struct frt_root) == FRT_RECORD_SIZE, "root");
_Static_assert(sizeof(struct frt_inside) == 128, "inside");
_Static_assert(sizeof(struct frt_recording) == 184, "recording");
_Static_assert(sizeof(struct frt_mount) == 40, "mount");
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
 * The USDT site frtrace:drain. The slot's thread calls it when half of its ring is new:
 *    1 slot number   2 address of the ring   3 head   4 drained   5 size of half a ring
 *
 * The USDT site frtrace:thread. A thread calls it when it gets a slot, and again when a recording has joined:
 *    1 slot number   2 address of the slot
 *
 * The USDT site frtrace:mount. A carrier calls it before it runs a virtual thread that is in a traced call:
 *    1 address of a struct frt_mount
 */

#endif
