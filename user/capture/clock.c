// SPDX-License-Identifier: BSD-2-Clause
#include "user/capture/clock.h"
#include "user/process/tsc.h"
#include "user/text/monotonic.h"

#include <string.h>
#include <time.h>

#define KEEP_EVERY_NS 10000000	  /* minimum distance of the pairs that are kept */
#define SET_BACK_NS   1000000000u /* CPUs' counters differ by much less */

/* Drop every other pair of the older half. */
static void thin_out(struct clock *c)
{
	size_t kept = 1;

	for (size_t i = 1; i < c->pairs; i++)
		if (i > c->pairs / 2 || i % 2)
			c->pair[kept++] = c->pair[i];
	c->pairs = kept;
	c->hint = 0;
}

/* A last pair that is too close to its predecessor is replaced. */
static void append_pair(struct clock *c, const struct clock_pair *p)
{
	size_t n = c->pairs;

	c->stretch.length = 0;
	if (n >= 2 && c->pair[n - 1].monotonic - c->pair[n - 2].monotonic < KEEP_EVERY_NS) {
		c->pair[n - 1] = *p;
		return;
	}
	if (n == CLOCK_PAIRS)
		thin_out(c);
	c->pair[c->pairs++] = *p;
}

void clock_sample(struct clock *c)
{
	struct tsc_reading now = tsc_read();
	struct clock_pair p = {now.tsc, now.monotonic, (int64_t)(now.width / 2)};

	/* the error so far is the width of the bracket in ticks */
	if (c->pairs >= 2)
		p.error = clock_ns_of_ticks(c, p.error);
	if (!c->pairs || p.tsc > c->pair[c->pairs - 1].tsc)
		append_pair(c, &p);
	else if (clock_ns_of_ticks(c, clock_last(c)->tsc - p.tsc) > SET_BACK_NS)
		c->set_back = true;
}

void clock_init(struct clock *c)
{
	struct timespec wait = {0, 5000000};

	memset(c, 0, sizeof(*c));
	clock_sample(c);
	nanosleep(&wait, NULL);
	clock_sample(c);
	c->pair[0].error = clock_ns_of_ticks(c, c->pair[0].error);
	c->pair[1].error = clock_ns_of_ticks(c, c->pair[1].error);
}

void clock_cover(struct clock *c, uint64_t tsc)
{
	if (tsc >= c->pair[c->pairs - 1].tsc)
		clock_sample(c);
}

/* Find the last pair at or before the stamp. Most stamps are recent, so the last pairs are tried first. */
static size_t clock_find(struct clock *c, uint64_t tsc)
{
	size_t low = 0, high = c->pairs - 2;

	if (tsc >= c->pair[high].tsc)
		return high;
	if (c->hint < high && tsc >= c->pair[c->hint].tsc && tsc < c->pair[c->hint + 1].tsc)
		return c->hint;
	while (low < high) {
		size_t middle = (low + high + 1) / 2;

		if (c->pair[middle].tsc <= tsc)
			low = middle;
		else
			high = middle - 1;
	}
	return c->hint = low;
}

/* Cache the interval's scale: one division for all of its stamps. */
static void load_stretch(struct clock *c, const struct clock_pair *a, const struct clock_pair *b)
{
	c->stretch.tsc = a->tsc;
	c->stretch.length = b->tsc - a->tsc;
	c->stretch.monotonic = a->monotonic;
	c->stretch.scale = ((unsigned __int128)(b->monotonic - a->monotonic) << CLOCK_SCALE) / c->stretch.length;
}

/* A forged stamp may be any number. What is made of it can still be added to other times, and subtracted. */
static int64_t bounded(__int128 ns)
{
	return ns > CLOCK_FARTHEST ? CLOCK_FARTHEST : ns < -CLOCK_FARTHEST ? -CLOCK_FARTHEST : (int64_t)ns;
}

static int64_t before_all(const struct clock *c, uint64_t tsc)
{
	const struct clock_pair *a = &c->pair[0], *b = &c->pair[c->pairs - 1];
	__int128 ticks = (__int128)tsc - a->tsc;

	return bounded(a->monotonic + ticks * (b->monotonic - a->monotonic) / (__int128)(b->tsc - a->tsc));
}

static int64_t behind_all(const struct clock *c, uint64_t tsc)
{
	unsigned __int128 ticks = tsc - c->stretch.tsc;

	return bounded(c->stretch.monotonic + (__int128)((ticks * c->stretch.scale + CLOCK_SLACK) >> CLOCK_SCALE));
}

int64_t clock_ns_elsewhere(struct clock *c, uint64_t tsc)
{
	size_t i;

	if (tsc < c->pair[0].tsc) /* older than the first pair: the longest base is the most accurate */
		return before_all(c, tsc);
	i = clock_find(c, tsc);
	load_stretch(c, &c->pair[i], &c->pair[i + 1]);
	return tsc - c->stretch.tsc < c->stretch.length ? clock_in_stretch(c, tsc) : behind_all(c, tsc);
}

/* The last pair but one at or before the time. */
static size_t clock_find_ns(const struct clock *c, int64_t ns)
{
	size_t low = 0, high = c->pairs - 2;

	if (ns >= c->pair[high].monotonic)
		return high;
	while (low < high) {
		size_t middle = (low + high + 1) / 2;

		if (c->pair[middle].monotonic <= ns)
			low = middle;
		else
			high = middle - 1;
	}
	return low;
}

uint64_t clock_tsc(struct clock *c, int64_t ns)
{
	const struct clock_pair *a, *b;
	__int128 ticks;

	if (ns >= clock_last(c)->monotonic)
		clock_sample(c);
	if (ns < c->pair[0].monotonic) { /* as in before_all() */
		a = &c->pair[0];
		b = clock_last(c);
	} else {
		a = &c->pair[clock_find_ns(c, ns)];
		b = a + 1;
	}
	ticks = (__int128)(ns - a->monotonic) * (__int128)(b->tsc - a->tsc);
	return a->tsc + (int64_t)(ticks / (b->monotonic - a->monotonic));
}

static double ns_per_tick(const struct clock *c)
{
	const struct clock_pair *a = &c->pair[0], *b = &c->pair[c->pairs - 1];

	return (double)(b->monotonic - a->monotonic) / (double)(b->tsc - a->tsc);
}

uint64_t clock_ticks_of_ns(const struct clock *c, uint64_t ns)
{
	double ticks = (double)ns / ns_per_tick(c);

	return ticks < 0x1p63 ? (uint64_t)ticks : INT64_MAX;
}

uint64_t clock_ns_of_ticks(const struct clock *c, uint64_t ticks)
{
	return (uint64_t)(ticks * ns_per_tick(c));
}

const struct clock_pair *clock_last(const struct clock *c)
{
	return &c->pair[c->pairs - 1];
}

int64_t clock_realtime_offset(void)
{
	int64_t before = monotonic_ns(), after;
	struct timespec real;

	clock_gettime(CLOCK_REALTIME, &real);
	after = monotonic_ns();
	return real.tv_sec * 1000000000LL + real.tv_nsec - (before + after) / 2;
}
