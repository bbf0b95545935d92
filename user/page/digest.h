/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a report says about a recording, in memory that does not grow with the number of calls, from three passes:
 *
 *	digest_survey		when, which methods, how long; then digest_survey_end()
 *	digest_fill		cells, bands, who waited for what; then digest_fill_end()
 *	digest_sampled		samples in calls
 *
 * Out of memory ends the process.
 */
#ifndef USER_PAGE_DIGEST_H
#define USER_PAGE_DIGEST_H

#include "user/page/cells.h"
#include "user/trace/aggregate.h"
#include "user/trace/callers.h"
#include "user/trace/holders.h"
#include "user/trace/outermost.h"
#include "user/trace/thread_waits.h"
#include "user/view/path_part.h"

#define DIGEST_METHODS	100  /* methods with more than a row in a table: those with most time */
#define DIGEST_SURVEYED 2000 /* methods with a histogram */
#define DIGEST_BANDS	5    /* 0-50 %, 50-90 %, 90-99 %, 99-99.9 %, and the slowest */
#define DURATION_BITS	5    /* of histograms: 3 % */
#define DURATION_BINS	((64 - DURATION_BITS) << DURATION_BITS)
#define CELL_BITS	3 /* of cells: 8 to 12 % */

/* Sums over calls; times in ns. */
struct digest_split {
	uint64_t calls, thrown;
	int64_t time;
	int64_t known; /* time of the calls whose breakdown is known; the rest of it is blocked */
	int64_t cpu, run_queue, pause, faults;
	int64_t least, most; /* durations */
};

struct digest_method {
	uint32_t name; /* number in `names` */
	uint32_t rank; /* by total time; DIGEST_METHODS: not among the first */
	struct digest_split all;
	uint32_t *histogram; /* by duration_bin(); NULL: not surveyed */
	uint32_t *next;	     /* likewise, behind it: the rank of the next call, the shortest call has 0 */
	struct digest_split band[DIGEST_BANDS];
	int64_t slow_from;	  /* calls of this duration are slow; 0: all are alike */
	struct digest_split slow; /* those */
	int64_t path_time;	  /* of those that have critical paths, */
	struct chain_end chain;	  /* at the end of which was this */
};

#define WAIT_KINDS_MOST 600 /* beyond them only the reason counts */

/* Kinds of waits: the reason, the place in the program, and the group of threads that ended them. */
struct wait_kinds {
	struct wait_kind {
		uint32_t reason, place, waker; /* numbers of `text`; 0: unknown */
		bool lock;		       /* a lock, a queue, a park: what another thread ends */
	} *kind;
	size_t count, capacity;
	struct texts text;
	struct map index;	 /* (reason, place and waker) -> number of the kind + 1 */
	struct chunk_map places; /* (stack, for a lock) -> number of the text + 1 */
};

#define ACTIVITY_THREADS 40
#define ACTIVITY_SHIFT	 2
#define ACTIVITY_COLUMNS (GRID_COLUMNS >> ACTIVITY_SHIFT)

enum activity_part { ACTIVITY_ALL, ACTIVITY_CPU, ACTIVITY_RUN_QUEUE, ACTIVITY_BLOCKED, ACTIVITY_PARTS };

/* What threads did in traced calls, column by column. A call inside another one does not count twice. */
struct activity {
	struct activity_thread {
		uint32_t number; /* of the thread */
		int64_t column[ACTIVITY_COLUMNS][ACTIVITY_PARTS];
		struct activity_span { /* a call; `part` in ns */
			int64_t start, part[ACTIVITY_PARTS];
		} *span; /* that are in no other one so far, in the order of their ends */
		size_t count, capacity;
	} thread[ACTIVITY_THREADS];
	size_t count;
};

#define SLICES	   24 /* of the time */
#define SLICE_EACH 4  /* calls of a method */

/*
 * The longest calls of a method in a part of the recording: so a selection in the heat map has slow calls to show, wherever
 * it is.
 */
struct digest_slice {
	struct outermost_call call[SLICE_EACH]; /* longest first; duration 0: none */
};

struct digest {
	int64_t first, last; /* moments */
	struct digest_split all;
	int64_t utc_offset;
	struct grid grid;
	struct method_names names;
	struct digest_method *method; /* by number of the name - 1 */
	size_t methods, method_capacity;
	uint32_t ranked[DIGEST_METHODS]; /* their numbers - 1 */
	uint32_t charted;
	struct threads threads;
	struct wait_kinds kinds;
	struct thread_waits waits;
	struct callers tree; /* of calls, and of samples */
	struct activity activity;
	struct digest_slice *slice; /* by rank and time */
	struct holders holders;	    /* of waits of slow calls; the rank in `mark` */
	struct event_reader path_reader;
	struct texts path_texts;
	struct threads path_threads;	 /* for their groups */
	uint64_t held_seen, held_stride; /* one of `held_stride` waits is kept */
	struct thread_waits samples;	 /* of no duration; the kind is the node of the stack, .what: a call has it */
	struct cells heat, calls, blocked;
	struct cells sampled;	     /* by node: samples; sum: those in no other traced call inside */
	struct aggregate band_waits; /* (rank and band, kind) -> total */
	struct aggregate slow_waits; /* (rank, kind) of the slow calls -> total */
	int64_t pause[GRID_COLUMNS]; /* ns in which the JVM stood still, */
	int64_t gc[GRID_COLUMNS];    /* and of collections */
	bool has_waits, has_pauses, has_faults;
};

extern const struct trace_ops digest_survey, digest_fill, digest_sampled; /* with a zeroed struct digest */
void digest_survey_end(struct digest *d, int64_t utc_offset);
void digest_fill_end(struct digest *d);
void digest_release(struct digest *d);

/* Number of a method's band, to which band_waits and the page refer. */
static inline uint64_t digest_band_key(uint32_t rank, unsigned int band)
{
	return (uint64_t)rank * DIGEST_BANDS + band;
}

static inline int64_t digest_blocked(const struct digest_split *s)
{
	return s->known - s->cpu - s->run_queue;
}

/* The method of a rank. */
static inline const struct digest_method *digest_ranked(const struct digest *d, uint32_t rank)
{
	return &d->method[d->ranked[rank]];
}

/* The duration below which a share of the method's calls is: at most 3 % off. */
int64_t digest_quantile(const struct digest_method *m, double share);

/*
 * Take at most `wanted` of the longest calls into `out`: first the longest one of each slice, methods in the order of their
 * ranks, then the second ones. Their threads are numbers in `threads`. Returns how many they are.
 */
size_t digest_longest(const struct digest *d, struct outermost_call *out, size_t wanted);

#endif
