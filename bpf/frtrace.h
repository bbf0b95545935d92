/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The contract between the agent in the JVM, the BPF programs and the collectors. It has types and constants only;
 * all types have a fixed width and an asserted size. What a thread's ring has is in records.h, its state in slots.h, its
 * stacks in stacks.h, the rules and sums of methods in timing.h; here is the segment, which has them all.
 *
 * The agent creates one sealed memfd, the control segment. Its sections lie at fixed offsets (FRT_*_AT). The agent
 * writes it and the collectors read it with bounds checks. A collector writes only the command word, the answer in `room` and,
 * of its own recording, `granted`, `owner`, `heartbeat`, `stack_done`, `context`, the config and the rules.
 *
 *    header | configs | loaders | classes | methods | skips | threads | strings | slots | shares | insides | rings |
 *    stacks | frames | rules | taken back | shared sums | histograms | histogram groups | cells | virtual calls | virtual names |
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

#include "bpf/machine/machine.h"
#include "bpf/records.h"
#include "bpf/slots.h"
#include "bpf/stacks.h"
#include "bpf/timing.h"

#define FRT_MAGIC 0x656361727472661dULL /* changes with every change of the segment's layout */

#define FRT_MAX_LOADERS	 4096u
#define FRT_MAX_CLASSES	 32768u
#define FRT_MAX_SKIPS	 8192u
#define FRT_CONFIG_SIZE	 (1u << 20)
#define FRT_STRINGS_SIZE (16u << 20)
#define FRT_RINGS_SIZE	 (16u << 20) /* address space; memory is bounded by header.ring_cap */

#define FRT_SCRATCH_ROWS 64u /* the agent copies possibly unreadable memory of its own process to here */
#define FRT_SCRATCH_ROW	 256u
#define FRT_SCRATCH_SIZE (FRT_SCRATCH_ROWS * FRT_SCRATCH_ROW)

#define FRT_RING_MIN_LOG2   9  /* size for a new thread once half of the cap is used */
#define FRT_RING_FIRST_LOG2 10 /* size for a new thread before that */
#define FRT_RING_MAX_LOG2   14

#define FRT_BOOT_LOADER 0u

struct frt_loader {
	frt_u32 type;  /* string: internal name of the loader's class; 0 for the boot loader */
	frt_u32 name;  /* string: its name, "app", "platform", ...; 0: none */
	frt_u32 state; /* enum frt_loader_state */
	frt_u32 reserved;
};
_Static_assert(sizeof(struct frt_loader) == 16, "loader");

enum frt_loader_state { FRT_LOADER_NEW = 0, FRT_LOADER_READY = 1, FRT_LOADER_REFUSES = 2, FRT_LOADER_ASKED = 3 };

struct frt_class {
	frt_u32 name; /* string, internal form a/b/C$D */
	frt_u32 loader;
	frt_u32 modifiers;
	frt_u32 flags; /* FRT_CLASS_* */
};
_Static_assert(sizeof(struct frt_class) == 16, "class");

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
_Static_assert(sizeof(struct frt_method) == 16, "method");

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
_Static_assert(sizeof(struct frt_skip) == 16, "skip");

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
	frt_u32 state;	       /* enum frt_state; FRT_IDLE also after it has ended, while its collector still reads */
	frt_u32 number;	       /* given at each start, from 1 */
	frt_u64 since;	       /* TSC: calls that began earlier do not belong to it */
	frt_u32 founder;       /* 1: it began the epoch, so the slots' own counters are its own, too */
	frt_u32 open_dump;     /* number of its last open-call dump */
	frt_u32 skips;	       /* rows in use */
	frt_u32 inside;	       /* 1: with --inside, which works for a recording that runs alone */
	frt_u64 unslotted;     /* calls of threads without a slot */
	frt_u64 dead_calls;    /* open calls found on no stack at the end of the recording */
	frt_u64 places_hooked; /* a bit for each of frt_config.place with hooks in a method */
	/*
	 * At its end, of events between two calls with one object: first calls that no second one could find, because there was
	 * another first one, because their objects were collected, or to make room.
	 */
	frt_u64 begun_again, begun_collected, begun_forgotten;

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
_Static_assert(sizeof(struct frt_recording) == 216, "recording");

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
	frt_u64 tasks_missed; /* tasks of traced calls that are in no record: their table was full, or their thread had no slot */

	/*
	 * With frt_config.wait_ticks: bytes of the queues that drains were about to take, and that they have taken or found no
	 * room for, since the agent was loaded. A recording's collector writes `granted`, up to where `claimed` may grow so that
	 * its queue takes all of it.
	 */
	frt_u64 claimed, landed;
	frt_u64 held_up, held_up_ticks; /* drains that had to wait for that in this epoch, and for how long in all */
	frt_u64 granted[FRT_RECORDINGS];
};
_Static_assert(sizeof(struct frt_header) <= 4096, "header");

/* --handoff: a method in which an object is handed over, or with which a thread begins that has got it. */
struct frt_place {
	char class_name[200]; /* a/b/C; empty: there is none, and none after it */
	char method[80];
	char types[224]; /* of its parameters, "(I[La/b/C;LD;)": D is of any package; empty: all methods of that name */
	frt_u8 argument; /* that is the object, counted from 1; 0: `this` */
	frt_u8 reserved[7];
};
_Static_assert(sizeof(struct frt_place) == 512, "place");

#define FRT_PLACES \
	16u /* in the order of the options: those where an object is handed over, and behind each where it begins */

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
	struct frt_allocated allocated; /* with FRT_CONFIG_ALLOCATED */
	frt_u32 reserved;
	struct frt_place place[FRT_PLACES];
	frt_u64 wait_ticks; /* TSC ticks that a drain may wait for room in the queue; 0: it does not wait */
	/* the compiled filter (filters/program.h) follows, and at the next multiple of 8 the plan (filters/plan.h) */
};
_Static_assert(sizeof(struct frt_config) % 8 == 0, "config");

#define FRT_CONFIG_THROWN 0x1u /* FRT_RULE_THROWN for all methods */
#define FRT_CONFIG_TIMED \
	0x2u /* FRT_RULE_TIMED for all methods, FRT_RULE_SILENT for those that no timing filter matches */
#define FRT_CONFIG_MOUNTS	0x4u  /* follow virtual threads from carrier to carrier */
#define FRT_CONFIG_THROWN_CLASS 0x10u /* calls that end with an exception have a value FRT_FIELD_THROWN */
#define FRT_CONFIG_INSIDE	0x8u  /* the filter has roots (PROGRAM_ROOT): record only what is in them */
/* Each root has a record at its end, because calls of native methods may be in it. Set while the recording runs. */
#define FRT_CONFIG_ROOT_ENDS 0x20u
#define FRT_CONFIG_ALLOCATED 0x100u /* calls have a value FRT_FIELD_ALLOCATED, and timed methods the sum */
#define FRT_CONFIG_TASKS     0x80u  /* tasks that traced calls hand to other threads have records */
#define FRT_CONFIG_UNTIL \
	0x200u /* with FRT_CONFIG_INSIDE and _TASKS: a root ends with its last task, or with the call that the program names */
#define FRT_CONFIG_UNTIL_CALL \
	0x400u			 /* with FRT_CONFIG_UNTIL: with the first call of a method that has FRT_RULE_UNTIL */
#define FRT_CONFIG_LIMITED 0x40u /* the JVM's metaspace has a limit: struct frt_room */

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
#define FRT_TAKEN_AT	     (FRT_RULES_AT + FRT_TIMED_METHODS * 8u)
#define FRT_SHARED_AT	     (FRT_TAKEN_AT + FRT_MAX_METHODS * 16u)
#define FRT_HISTOGRAMS_AT    (FRT_SHARED_AT + FRT_TIMED_METHODS * 80u)
#define FRT_GROUPS_AT	     (FRT_HISTOGRAMS_AT + FRT_TIMED_METHODS * FRT_GROUPS * 4u)
#define FRT_CELLS_AT	     (FRT_GROUPS_AT + FRT_MAX_GROUPS * 64u)
#define FRT_VIRTUAL_AT	     (FRT_CELLS_AT + FRT_CELLS_SIZE)
#define FRT_VIRTUAL_NAMES_AT (FRT_VIRTUAL_AT + FRT_VIRTUAL_CALLS * 32u)
#define FRT_SCRATCH_AT	     (FRT_VIRTUAL_NAMES_AT + FRT_VIRTUAL_CALLS * 64u)
#define FRT_SEGMENT_SIZE     (FRT_SCRATCH_AT + FRT_SCRATCH_SIZE)

_Static_assert(FRT_CELLS_AT % 4096 == 0, "page aligned cells");
_Static_assert(FRT_RINGS_AT % 4096 == 0, "page aligned rings");

#endif
