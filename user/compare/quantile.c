// SPDX-License-Identifier: BSD-2-Clause
/*
 * Two samples are compared by one count: how many of the calls above the quantile of both together are of the second
 * one. If the quantiles are equal, they are divided as the samples are, whatever the distribution. The interval of the
 * change is that of the factors by which the second sample can be divided without making a difference.
 */
#include "user/compare/quantile.h"

#include <math.h>

#define ALPHA  0.025 /* on each side */
#define BLOCKS 20

/* The continued fraction of the incomplete beta function (DLMF 8.17.22), by Lentz's method. */
static double beta_fraction(double a, double b, double x)
{
	const double tiny = 1e-300;
	double c = 1, d = 1 - (a + b) * x / (a + 1), f;

	d = 1 / (fabs(d) < tiny ? tiny : d);
	f = d;
	for (int m = 1; m < 10000; m++) {
		double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)), step;

		d = 1 + even * d;
		c = 1 + even / c;
		d = 1 / (fabs(d) < tiny ? tiny : d);
		c = fabs(c) < tiny ? tiny : c;
		f *= d * c;
		d = 1 + odd * d;
		c = 1 + odd / c;
		d = 1 / (fabs(d) < tiny ? tiny : d);
		c = fabs(c) < tiny ? tiny : c;
		step = d * c;
		f *= step;
		if (fabs(step - 1) < 1e-12)
			break;
	}
	return f;
}

/* The regularized incomplete beta function. */
static double incomplete_beta(double a, double b, double x)
{
	double front;

	if (x <= 0 || x >= 1)
		return x >= 1;
	front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
	return x < (a + 1) / (a + b + 2) ? front * beta_fraction(a, b, x) / a
					 : 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double binomial_tail(double n, double p, double k)
{
	if (k <= 0)
		return 1;
	return k > n ? 0 : incomplete_beta(k, n - k + 1, p);
}

double binomial_test(double n, double p, double k)
{
	double above = binomial_tail(n, p, k), below = 1 - binomial_tail(n, p, k + 1);
	double both = 2 * (above < below ? above : below);

	return both < 1 ? both : 1;
}

size_t quantile_index(size_t n, double q)
{
	double rank = ceil(q * n - 1e-9);

	return rank < 1 ? 0 : rank > n ? n - 1 : (size_t)rank - 1;
}

/* The least k, from 1 to n + 1, with P(X >= k) <= alpha. */
static size_t quantile_upper_rank(size_t n, double q, double alpha)
{
	size_t low = 0, high = n + 1; /* low: greater than alpha */

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (binomial_tail(n, q, middle) <= alpha)
			high = middle;
		else
			low = middle;
	}
	return high;
}

/*
 * The quantile is below order statistic k (from 1 on) if fewer than k values are below it: P(X < k), with X binomial.
 * For the lower end ranks are counted from above.
 */
bool quantile_interval(size_t n, double q, size_t *low, size_t *high)
{
	size_t up = quantile_upper_rank(n, q, ALPHA), down = quantile_upper_rank(n, 1 - q, ALPHA);

	if (!n || up > n || down > n)
		return false;
	*high = up - 1;
	*low = n - down;
	return true;
}

static size_t sample_above(const struct sample *s, double limit)
{
	size_t low = 0, high = s->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (s->sorted[middle] > limit)
			high = middle;
		else
			low = middle + 1;
	}
	return s->count - low;
}

/* A value with at most (1 - q) of both samples above it, the second one divided by `factor`; the least of its kind. */
static double pooled_quantile(const struct sample *a, const struct sample *b, double factor, double q)
{
	double total = a->count + b->count, wanted = total - ceil(q * total - 1e-9);
	double low = 0, high = a->sorted[a->count - 1], other = b->sorted[b->count - 1] / factor;

	high = other > high ? other : high;
	for (int i = 0; i < 64 && high - low > 1e-3; i++) {
		double middle = low + (high - low) / 2;

		if (sample_above(a, middle) + sample_above(b, middle * factor) <= wanted)
			high = middle;
		else
			low = middle;
	}
	return high;
}

/* How much more the exceedances vary between blocks than those of independent calls; at least 1. */
static double sample_dispersion(const struct sample *s, double limit)
{
	double counts[BLOCKS] = {0}, sum = 0, variance = 0, expected;

	for (size_t i = 0; i < s->count; i++)
		counts[i * BLOCKS / s->count] += s->ordered[i] > limit;
	for (int i = 0; i < BLOCKS; i++)
		sum += counts[i];
	for (int i = 0; i < BLOCKS; i++)
		variance += (counts[i] - sum / BLOCKS) * (counts[i] - sum / BLOCKS) / (BLOCKS - 1);
	expected = sum / BLOCKS * (1 - sum / s->count);
	return expected > 0 && variance > expected ? variance / expected : 1;
}

/* Exceedances of both samples and of the second one, as counts of independent calls. */
struct exceedances {
	double both, second;
};

static struct exceedances exceedances_of(const struct sample *a, const struct sample *b, double factor, double q,
					 double dispersion)
{
	double limit = pooled_quantile(a, b, factor, q);
	struct exceedances e = {.second = sample_above(b, limit * factor)};
	double total = a->count + b->count;

	e.both = e.second + sample_above(a, limit);
	/* drawn from a finite number of calls, which varies less */
	dispersion *= 1 - e.both / total;
	e.both /= dispersion;
	e.second /= dispersion;
	return e;
}

/* The factor at which the second sample is no longer above (`side` 1) or below (-1) the first one. */
static double limit_of_factor(const struct sample *a, const struct sample *b, double q, double dispersion, int side)
{
	double share = b->count / ((double)a->count + b->count), low = -20, high = 20; /* logarithms */

	for (int i = 0; i < 40; i++) {
		double middle = (low + high) / 2;
		struct exceedances e = exceedances_of(a, b, exp(middle), q, dispersion);
		double p = side > 0 ? binomial_tail(e.both, share, e.second)
				    : 1 - binomial_tail(e.both, share, e.second + 1);

		if ((side > 0) == (p <= ALPHA))
			low = middle;
		else
			high = middle;
	}
	return exp(side > 0 ? low : high);
}

struct quantile_change quantile_compare(const struct sample *before, const struct sample *after, double q)
{
	double share = after->count / ((double)before->count + after->count), limit;
	struct quantile_change c = {.p = 1, .q = q};
	struct exceedances e;
	size_t low, high;

	if (!quantile_interval(before->count, q, &low, &high) || !quantile_interval(after->count, q, &low, &high))
		return c;
	c.before = before->sorted[quantile_index(before->count, q)];
	c.after = after->sorted[quantile_index(after->count, q)];
	if (c.before <= 0)
		return c;
	limit = pooled_quantile(before, after, 1, q);
	c.dispersion = (1 - share) * sample_dispersion(before, limit) + share * sample_dispersion(after, limit);
	e = exceedances_of(before, after, 1, q, c.dispersion);
	c.known = true;
	c.p = binomial_test(e.both, share, e.second);
	c.change = (double)c.after / c.before - 1;
	return c;
}

void quantile_change_interval(const struct quantile_change *c, const struct sample *before, const struct sample *after,
			      double *low, double *high)
{
	*low = limit_of_factor(before, after, c->q, c->dispersion, 1) - 1;
	*high = limit_of_factor(before, after, c->q, c->dispersion, -1) - 1;
}
