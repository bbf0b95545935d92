/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What can be said about quantiles of calls without knowing how they are distributed. Samples are durations in ns.
 *
 * Calls that follow each other are alike: a pause of the JVM hits all that are open. Exceedances of a quantile are
 * therefore counted in blocks of a sample, too. If they vary more between blocks than chance explains, this factor is
 * the dispersion, and counts say that much less.
 */
#ifndef USER_COMPARE_QUANTILE_H
#define USER_COMPARE_QUANTILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* P(X >= k) for k successes in n trials of probability p. n and k may be fractions: counts divided by a dispersion. */
double binomial_tail(double n, double p, double k);

/* The p-value, for both sides, of k or what is less likely. */
double binomial_test(double n, double p, double k);

/* Index, from 0 on, of quantile q in a sorted sample of n > 0. */
size_t quantile_index(size_t n, double q);

/*
 * The order statistics between which quantile q of the population lies with a confidence of 95 %, as indices from 0 on.
 * False: n is too small.
 */
bool quantile_interval(size_t n, double q, size_t *low, size_t *high);

struct sample {
	const int64_t *sorted;
	const int64_t *ordered; /* in the order of time */
	size_t count;
};

struct quantile_change {
	bool known; /* false: too few calls */
	double q;
	double change; /* of the second sample: 0.1 is 10 % more */
	double p;      /* p-value: how likely chance alone makes such a change */
	double dispersion;
	int64_t before, after; /* ns */
};

/* Compare quantile q of two samples. */
struct quantile_change quantile_compare(const struct sample *before, const struct sample *after, double q);

/* The 95 % confidence interval of a known change. */
void quantile_change_interval(const struct quantile_change *c, const struct sample *before, const struct sample *after,
			      double *low, double *high);

#endif
