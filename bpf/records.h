/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The contract about a thread's ring: the records that the agent appends, and that BPF programs and sweeps copy to the
 * collector. The types of all contracts are here, too.
 */
#ifndef BPF_RECORDS_H
#define BPF_RECORDS_H

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

#define FRT_RECORDINGS 4u /* at a time */

#define FRT_NO_THREAD 0u
#define FRT_NO_METHOD 0u /* method ids, string offsets, class ids and thread serials all start at 1 */

#define FRT_BATCH_OVERHEAD 32u /* bytes of the queue beside those of the ring that a drain copies */
#define FRT_RECORD_SIZE	   32u
#define FRT_VTHREAD_PARTS  4u

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
/*
 * No call, but a task that was handed to another thread, or was to be (--tasks): from the moment when it left its queue. It
 * has no method, its stack is where it was submitted, and its value is FRT_FIELD_TASK.
 */
#define FRT_SPAN_TASK	0x40u
#define FRT_SPAN_NATIVE 0x20u /* in the collector only: of a native method, its stack is one of the collector's own */
/* the call does not belong to recording r, or is not to be recorded there */
#define FRT_SPAN_NOT(r) (0x100u << (r))

struct frt_span {
	frt_u64 start;	  /* TSC at entry */
	frt_u64 duration; /* TSC ticks */
	frt_u32 method;
	frt_u32 stack;	/* id; 0: no stack was taken, or no Java code called; FRT_STACK_LOST or FRT_STACK_UNTAKEN */
	frt_u32 thread; /* serial of the thread */
	frt_u16 kind;
	frt_u16 flags;
};
_Static_assert(sizeof(struct frt_span) == FRT_RECORD_SIZE, "span");

struct frt_vthread {
	frt_u64 java_id;
	char name[16]; /* bytes 16 * part and up of the name, modified UTF-8, padded with 0 */
	frt_u32 part;  /* 0 to FRT_VTHREAD_PARTS - 1; part 0 begins a new identity */
	frt_u16 kind;
	frt_u16 length; /* length of the whole name, at most 16 * FRT_VTHREAD_PARTS; the other parts follow */
};
_Static_assert(sizeof(struct frt_vthread) == FRT_RECORD_SIZE, "vthread");

/*
 * With --inside calls are recorded only in a root: a call of a method with FRT_RULE_ROOT that is in no other one. Whether
 * they are kept is known when the root ends. FRT_ROOT_OPEN: the spans that follow are of calls in the root. FRT_ROOT_KEPT
 * and FRT_ROOT_DROPPED: it has ended; no spans of any root follow before the next record. A virtual thread's root may have
 * spans in several streams, also after its end has arrived in one of them; so may one that has handed tasks to other threads
 * (--tasks). FRT_ROOT_TASK: the spans that follow are of such a task, on its thread, and say nothing of the root's length.
 */
struct frt_root {
	frt_u64 number; /* other roots have others; the upper bits are those of the slot where it began + 1 */
	frt_u64 start;	/* FRT_ROOT_OPEN: TSC at entry; otherwise: the number of its spans in all streams */
	frt_u64 needed; /* FRT_ROOT_OPEN: TSC ticks from which on it is kept however it ends; FRT_ROOT_NEVER: none */
	frt_u32 reserved;
	frt_u16 kind;
	frt_u16 flags; /* FRT_ROOT_* */
};
_Static_assert(sizeof(struct frt_root) == FRT_RECORD_SIZE, "root");

#define FRT_ROOT_SLOT_SHIFT 40 /* of the number */

#define FRT_ROOT_OPEN	 0x1u
#define FRT_ROOT_KEPT	 0x2u
#define FRT_ROOT_DROPPED 0x4u
#define FRT_ROOT_VIRTUAL 0x8u  /* on a carrier: the stream may have spans of several open roots */
#define FRT_ROOT_TASK	 0x10u /* with FRT_ROOT_OPEN and FRT_ROOT_VIRTUAL */
#define FRT_ROOT_TASKS	 0x20u /* with FRT_ROOT_KEPT or FRT_ROOT_DROPPED: it has handed over tasks */
/*
 * With --until. Alone: the root's own call has ended, and its span follows. With FRT_ROOT_KEPT or FRT_ROOT_DROPPED, perhaps
 * in another stream: it has ended, at the TSC in `needed`; 0: the call that ends it was not seen.
 */
#define FRT_ROOT_UNTIL 0x40u
#define FRT_ROOT_NEVER (~0ull)

/* One value, or a part of it. The records of a call follow its span directly. */
struct frt_field {
	frt_u8 data[24];
	frt_u16 number; /* FRT_FIELD_NUMBER */
	frt_u8 size;	/* bytes of data in use */
	frt_u8 form;	/* enum frt_field_form */
	frt_u16 kind;
	frt_u16 flags; /* FRT_FIELD_* */
};
_Static_assert(sizeof(struct frt_field) == FRT_RECORD_SIZE, "field");

#define FRT_FIELD_LAST 0x1u /* no more values of this call */
#define FRT_FIELD_MORE 0x2u /* the text continues in the next record */

/* A field of a recording's plan (filters/plan.h). */
#define FRT_FIELD_NUMBER(r, i) ((r) << 12 | (i))
#define FRT_FIELD_RECORDING(n) ((n) >> 12 & (FRT_RECORDINGS - 1))
#define FRT_FIELD_INDEX(n)     ((n) & 0xfffu)
#define FRT_FIELD_THROWN       0xfffu /* no field of a plan: the class of the exception that ended the call */
#define FRT_FIELD_TASK	       0xffdu /* nor this: a struct frt_task */
#define FRT_FIELD_ALLOCATED \
	0xffcu /* nor this: bytes that the thread allocated in the call, FRT_FORM_INTEGER; as the next */
#define FRT_FIELD_REQUEST \
	0xffbu /* nor this: TSC ticks until the root was over (--until), FRT_FORM_INTEGER; the collector adds it */
#define FRT_FIELD_TRACE 0xffeu /* nor this: the distributed trace that the thread was in; of any recording */

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
	FRT_FORM_CLASS, /* the JVM's signature of a class, modified UTF-8; the number is that of its bytes */
	/*
	 * The same, of the class that has no such field; where the class is new, the name of that field and those that the class
	 * has, each behind a space. Empty: the method has no such value
	 */
	FRT_FORM_ABSENT,
	FRT_FORM_TRACE, /* 24 bytes: trace id, span id, in network order; of FRT_FIELD_TRACE */
	FRT_FORM_TASK,	/* a struct frt_task */
	/*
	 * A struct frt_since. Of a span with FRT_SPAN_TASK: no call has ended what the PLAN_FROM field of that number began; the
	 * span lasts until now, and is of no thread.
	 */
	FRT_FORM_SINCE,
	FRT_FORMS
};

struct frt_task {
	frt_u64 submitted;  /* TSC */
	frt_u32 submitter;  /* serial of the thread, or its frt_virtual_key() */
	frt_u32 method;	    /* of its innermost traced call then; FRT_NO_METHOD: unknown, or it is in a task */
	frt_u32 class_name; /* string: what the program has given, internal form a/b/C; 0: unknown */
	frt_u16 end;	    /* enum frt_task_end */
	frt_u16 reserved;
};
_Static_assert(sizeof(struct frt_task) == 24, "task");

/* An event between two calls with one object, which PLAN_SINCE fields have found. */
struct frt_since {
	frt_u64 since, until; /* TSC: of the first call, of the second one */
	frt_u32 thread;	      /* of the first one: its serial, or its frt_virtual_key() */
	frt_u32 reserved;
};
_Static_assert(sizeof(struct frt_since) == 24, "since");

/* What became of a task. The span of all but the first has no duration of interest, but for the second. */
enum frt_task_end {
	FRT_TASK_RAN,  /* the span is its run, on its thread */
	FRT_TASK_RUNS, /* the same, and the recording ended before it did */
	FRT_TASK_CALLER, /* its queue was full, and the thread that handed it over ran it, unless the pool was shut down */
	FRT_TASK_CANCELLED, /* before it began; the span is of the thread that did that */
	FRT_TASK_REJECTED,  /* its queue was full, and the thread that handed it over got an exception */
	FRT_TASK_DISCARDED, /* its queue was full, and it was dropped without notice */
	FRT_TASK_UNSEEN,    /* no begin was seen for FRT_TASK_SECONDS, or before the recording ended; of no thread */
	FRT_TASK_ENDS
};
#define FRT_TASK_SECONDS 60u

#define FRT_FIELD_TEXT_MAX 1024u /* characters of a text that are recorded, at most */

#endif
