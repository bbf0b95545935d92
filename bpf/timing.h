/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The contract about methods: the rules for their calls, and where the agent sums these up. */
#ifndef BPF_TIMING_H
#define BPF_TIMING_H

#include "bpf/records.h"

#define FRT_MAX_METHODS 65536u

#define FRT_CELLS_SIZE	     (32u << 20) /* address space only, like the rings */
#define FRT_CELLS_FIRST_LOG2 3
#define FRT_RECENT	     32u    /* calls of a cell that are not in the histogram yet */
#define FRT_RECENT_END	     32768u /* TSC ticks: calls at least this long go into the histogram at once */
#define FRT_GROUPS	     192u   /* per histogram */
#define FRT_GROUP_BUCKETS    8u
#define FRT_MAX_GROUPS	     (1u << 18) /* in all histograms; number 0 means none */
#define FRT_OCTAVE_LOG2	     5		/* 32 buckets per power of two: an error of at most 1.6 % */

/*
 * The rule for a method's calls: one word per recording and method id, with the threshold in TSC ticks <<
 * FRT_RULE_SHIFT, and flags. 0: record every call. FRT_RULE_UNTRACED without a flag: the method is not the recording's.
 */
#define FRT_RULE_TIMED	  0x1u
#define FRT_RULE_THROWN	  0x2u	/* record only calls that end with an exception */
#define FRT_RULE_SILENT	  0x4u	/* timed for the live view and --metrics only: no jdk.MethodTiming */
#define FRT_RULE_UNHOOKED 0x8u	/* the collector wants no hooks in the method any more (FRT_COMMAND_UNHOOK) */
#define FRT_RULE_ROOT	  0x10u /* of --inside; the threshold, and FRT_RULE_THROWN: what roots are kept */
#define FRT_RULE_UNTIL	  0x20u /* of --until: such a call in a root ends it */
#define FRT_RULE_SHIFT	  6
#define FRT_RULE_UNTRACED (~0ull << FRT_RULE_SHIFT) /* a threshold that no call reaches */

/* A method of a recording, in sums, cells and histograms. */
#define FRT_TIMED_METHODS	    (FRT_RECORDINGS * FRT_MAX_METHODS)
#define FRT_TIMED_METHOD(r, method) ((r) * FRT_MAX_METHODS + (method) % FRT_MAX_METHODS)

/* What is not known of some of a method's calls. */
#define FRT_UNKNOWN_SELF      0x1u /* frt_nested.children */
#define FRT_UNKNOWN_REPEAT    0x2u /* frt_nested.repeated */
#define FRT_UNKNOWN_NESTED    (FRT_UNKNOWN_SELF | FRT_UNKNOWN_REPEAT)
#define FRT_UNKNOWN_ALLOCATED 0x4u /* frt_nested.allocated */

/*
 * How the timed calls of a thread are nested, in TSC ticks. The method's own time is its total without `children`, its
 * time without recursion is its total without `repeated`. Calls of methods that are not timed count as part of the call
 * that they are in.
 */
struct frt_nested {
	frt_u64 children; /* timed calls whose caller, among the timed calls, is one of this method */
	frt_u64 repeated; /* calls of this method within another one of it by the same thread */
	/* Bytes that the calls have allocated, those of the calls within included; with FRT_CONFIG_ALLOCATED. */
	frt_u64 allocated;
	frt_u64 reserved;
};
_Static_assert(sizeof(struct frt_nested) == 32, "nested");

/* Sums over the calls of a method. */
struct frt_sum {
	frt_u32 method;	 /* FRT_TIMED_METHOD; 0: free */
	frt_u32 unknown; /* FRT_UNKNOWN_* */
	frt_u64 count, thrown;
	frt_u64 total, minimum, maximum; /* TSC ticks */
	struct frt_nested nested;
};
_Static_assert(sizeof(struct frt_sum) == 80, "sum");

/*
 * The timing of one method by one thread, exact without atomic operations. The cells of a slot form an
 * open-addressed table and outlive the slot's threads; a method's first place is method * FRT_CELL_HASH >> (64 -
 * log2). Calls without a place there go into the method's shared sum.
 *
 * The durations of the last count % FRT_RECENT calls stand at the front of `recent` and are not yet part of the
 * total or the histogram. The call that fills the last place adds all of them. Storing `count` also selects the
 * valid total, so both are consistent wherever the thread stops. A call thus touches two adjacent cache lines that
 * no other thread writes.
 *
 * Behind the cells of a table stands a struct frt_nested for each of them. It changes before the count does, and only for a
 * call that has had timed calls in it, or is in one of its own method, or with FRT_CONFIG_ALLOCATED.
 */
struct frt_cell {
	frt_u32 method;	    /* FRT_TIMED_METHOD; 0: free */
	frt_u16 known_from; /* shortest duration that is neither a new bucket of the histogram nor a new extreme, */
	frt_u16 known;	    /* and the number of such durations; used by the agent only */
	frt_u64 count, thrown;
	frt_u64 total[2]; /* TSC ticks of all calls except those in `recent`; element count / FRT_RECENT % 2 is valid */
	frt_u64 minimum, maximum;
	frt_u32 open; /* the outermost open call of the method, where one is known: its level + 1; used by the agent only */
	frt_u32 unknown;	    /* FRT_UNKNOWN_* */
	frt_u16 recent[FRT_RECENT]; /* TSC ticks; 0: free, or a call of 0 ticks */
};
_Static_assert(sizeof(struct frt_cell) == 128, "cell");

#define FRT_CELL_ROOM (sizeof(struct frt_cell) + sizeof(struct frt_nested)) /* bytes of a table per cell */

#define FRT_CELL_HASH 0x9e3779b97f4a7c15ULL

/*
 * All calls of a method by duration in TSC ticks, updated atomically. The bucket of d is d itself below 32;
 * otherwise, with e the number of the highest bit of d, it is (e - 4) * 32 plus the five bits below that one.
 * Buckets form groups of eight; a group is allocated for the first call that falls into it.
 */
struct frt_histogram {
	frt_u32 group[FRT_GROUPS]; /* group numbers; 0: no call yet */
};
_Static_assert(sizeof(struct frt_histogram) == FRT_GROUPS * 4u, "histogram");

struct frt_group {
	frt_u64 count[FRT_GROUP_BUCKETS];
};
_Static_assert(sizeof(struct frt_group) == 64, "group");

#endif
