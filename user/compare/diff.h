/* SPDX-License-Identifier: BSD-2-Clause */
/* Compares two recordings, method by method. */
#ifndef USER_COMPARE_DIFF_H
#define USER_COMPARE_DIFF_H

#include "format/bytes.h"
#include "user/compare/run.h"

#include <stdio.h>

struct diff_method {
	const struct run_method *before, *after; /* NULL: no calls in that recording, and none counted */
	uint32_t before_number, after_number;	 /* in the runs, from 1 on */
	struct quantile_change quantile[RUN_QUANTILES];
	double thrown_p; /* of a change of the share of calls that throw */
	bool differs[RUN_QUANTILES], thrown_differs;
};

struct diff {
	const struct run *before, *after;
	struct diff_method *method; /* those that differ first, then by time in all */
	size_t count;
	size_t compared; /* methods with calls enough to compare */
	size_t changed;
};

/*
 * Compare two runs. A change counts as one if chance makes such a change anywhere in the comparison in less than 5 of
 * 100 pairs of equal runs (Bonferroni).
 */
void diff_make(struct diff *d, const struct run *before, const struct run *after);
void diff_release(struct diff *d);

bool diff_method_differs(const struct diff_method *m);

/* The slow calls of one method in both runs: how much of their mean time each part has; ns. */
struct diff_part {
	const char *name; /* "cpu", "blocked on futex" is "futex" with `blocked` */
	bool blocked;
	double before, after;
};

/*
 * The parts of the time of calls at or above quantile `q`. Returns their number, at most `size`; 0: they are not known of
 * both.
 */
size_t diff_parts(const struct diff *d, const struct diff_method *m, int q, struct diff_part *parts, size_t size);

/* The verdict in one sentence, with a line end. */
void diff_put_sentence(struct bytes *out, const struct diff *d);

/* What limits the comparison: a line for each. */
void diff_put_remarks(struct bytes *out, const struct diff *d);

/* "only in the new one"; NULL: the method is in both. */
const char *diff_only_in(const struct diff_method *m);

struct diff_row {
	const char *label, *before, *after, *change;
	bool differs;
	const struct diff_part *part; /* NULL: no part of the time */
};

/* Takes the rows of a method. `wide`: with the intervals of quantiles. */
struct diff_writer {
	void (*row)(const struct diff_writer *w, const struct diff_row *r);
	void (*parts)(const struct diff_writer *w, const char *from); /* rows of parts follow: of calls from "p99" on */
	bool wide;
};

void diff_each_row(const struct diff *d, const struct diff_method *m, const struct diff_writer *w);

/* The sentence, then a block for each method, `top` at most. `width`: columns. */
void diff_put(struct bytes *out, const struct diff *d, size_t top, unsigned int width);

/* One JSON object on a line. */
void diff_put_json(FILE *to, const struct diff *d);

#endif
