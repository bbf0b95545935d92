/* SPDX-License-Identifier: BSD-2-Clause */
/* What a recording says about each of its methods, as a sample that can be compared and judged. */
#ifndef USER_COMPARE_RUN_H
#define USER_COMPARE_RUN_H

#include "user/compare/quantile.h"
#include "user/trace/aggregate.h"
#include "user/trace/call_filter.h"
#include "user/trace/jfr_files.h"
#include "user/trace/method_names.h"

enum { RUN_P50, RUN_P90, RUN_P99, RUN_QUANTILES };
extern const double run_quantiles[RUN_QUANTILES];

/* Where the time of some calls went, in ns: those whose split is known. */
struct run_split {
	uint64_t calls;
	double cpu, run_queue, blocked;
};

/* The last jdk.MethodTiming of a method; times in ns, INT64_MIN if unknown. */
struct run_timing {
	bool present;
	int64_t invocations, thrown, average, maximum, quantile[RUN_QUANTILES];
};

struct run_method {
	const char *name;  /* of the run's names */
	char *value;	   /* "sql=select 1", which all its calls have; NULL: none */
	int64_t *duration; /* of the recorded calls, in the order of the file */
	int64_t *sorted;
	size_t count, capacity;
	uint64_t thrown;
	double total;
	struct run_split all;		      /* of all calls */
	struct run_split tail[RUN_QUANTILES]; /* of those at or above the quantile; only with run_read_splits() */
	struct run_timing timing;
	bool lower_bound; /* the JIT may have hidden calls */
};

struct run {
	const char *
		by; /* set it at first: calls with different values of this field are of different methods; NULL: none */
	struct method_names names;
	struct run_method *method; /* by number - 1 */
	size_t count, capacity;
	int64_t first, last; /* of the calls, ns since the epoch */
	bool lost;	     /* calls were lost, or the file is unfinished */
	bool partial;	     /* calls below a threshold, or that did not throw, are not in it */
	bool throttled;	     /* of some methods, calls were only counted from some moment on */
	struct bytes bounds; /* remarks about methods whose calls the JIT may hide */
	/* Sums of waits, in ns, by (method << 2 | quantile, number of the reason); run_read_splits(). */
	struct aggregate reasons;
	struct texts reason_texts;
};

void run_release(struct run *r); /* takes a zeroed one, too */

/* Read the calls of those methods that pass the filter. Read errors are in file->fault. */
void run_read(struct run *r, struct jfr_file *file, struct call_filter *filter);

/* Read again, for where the time went. */
void run_read_splits(struct run *r, const struct jfr_file *file, struct call_filter *filter);

/* Sort the samples, when calls were added by run_add() or run_read(). */
void run_settle(struct run *r);

/* Add a call. */
void run_add(struct run *r, uint32_t method, int64_t start, int64_t duration, bool thrown);

struct sample run_sample(const struct run_method *m);

/* Why not all calls of the method are known; NULL: they are. */
const char *run_incomplete(const struct run *r, const struct run_method *m);

#endif
