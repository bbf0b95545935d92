/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a report says about a recording, in memory that does not grow with the number of calls:
 *
 *	digest_survey()		one pass: when, which methods, how long
 *	digest_read()		a second one: cells, bands, who waited for what
 */
#ifndef USER_REPORT_DIGEST_H
#define USER_REPORT_DIGEST_H

#include "user/report/activity.h"
#include "user/trace/aggregate.h"
#include "user/trace/callers.h"
#include "user/report/candidates.h"
#include "user/report/cells.h"
#include "user/report/grid.h"
#include "user/trace/holders.h"
#include "user/trace/thread_waits.h"
#include "user/report/wait_kinds.h"

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
	uint32_t *next;	     /* likewise: the rank of the next call, the shortest call has 0 */
	struct digest_split band[DIGEST_BANDS];
	int64_t slow_from;	  /* calls of this duration are slow; 0: all are alike */
	struct digest_split slow; /* those */
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
	struct callers tree;
	struct activity activity;
	struct candidates candidates;
	struct holders holders;		 /* of waits of slow calls; the rank in `mark` */
	uint64_t held_seen, held_stride; /* one of `held_stride` waits is kept */
	struct cells heat, calls, blocked;
	struct aggregate band_waits; /* (rank and band, kind) -> total */
	struct aggregate slow_waits; /* (rank, kind) of the slow calls -> total */
	int64_t pause[GRID_COLUMNS]; /* ns in which the JVM stood still, */
	int64_t gc[GRID_COLUMNS];    /* and of collections */
	bool has_waits, has_pauses, has_faults;
	uint64_t seen; /* calls of the second pass */
};

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

/*
 * 0 or -ENOMEM; release it in either case. Both read the whole file; faults are in it. The caller settles the names when
 * it has added its own.
 */
int digest_survey(struct digest *d, struct jfr_file *file);
int digest_read(struct digest *d, struct jfr_file *file);
void digest_release(struct digest *d);

/* The duration below which a share of the method's calls is: at most 3 % off. */
int64_t digest_quantile(const struct digest_method *m, double share);

#endif
