// SPDX-License-Identifier: BSD-2-Clause
#include "user/record/wait_timeline.h"
#include "format/vec.h"

#include <stdlib.h>
#include <string.h>

void wait_timeline_release(struct wait_timeline *t)
{
	free(t->interval);
	free(t->payload);
	*t = (struct wait_timeline){.payload_size = t->payload_size};
}

bool wait_timeline_reserve(struct wait_timeline *t, size_t capacity)
{
	size_t intervals = t->capacity, payloads = t->capacity;

	if (vec_reserve(&t->interval, &intervals, capacity) ||
	    (t->payload_size && vec_reserve_size(&t->payload, &payloads, capacity, t->payload_size)))
		return false;
	t->capacity = intervals;
	return true;
}

static int64_t later(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

void *wait_timeline_append(struct wait_timeline *t, unsigned int class, int64_t begin, int64_t middle, int64_t end)
{
	struct wait_timeline_interval *i = &t->interval[t->count], *last = t->count ? i - 1 : NULL;

	i->sums = last ? last->sums : t->dropped;
	i->class = class % WAIT_TIMELINE_CLASSES;
	i->begin = last ? later(begin, last->end) : later(begin, t->known_from);
	i->middle = later(middle, i->begin);
	i->end = later(end, i->middle);
	i->longest = i->end - i->begin;
	i->sums.first[i->class] += i->middle - i->begin;
	i->sums.second += i->end - i->middle;
	i->sums.count++;
	return wait_timeline_payload(t, t->count++);
}

void wait_timeline_extend(struct wait_timeline *t, size_t i, int64_t middle, int64_t end, bool ended)
{
	const struct wait_timeline_interval *w = &t->interval[i];
	uint64_t second = t->interval[t->count - 1].sums.second - (i ? w[-1].sums.second : t->dropped.second);

	t->count = i;
	wait_timeline_append(t, w->class, w->begin, ended ? middle - (int64_t)second : middle, end);
}

static void move_payload(struct wait_timeline *t, size_t to, size_t from, size_t n)
{
	if (t->payload_size)
		memmove(wait_timeline_payload(t, to), wait_timeline_payload(t, from), n * t->payload_size);
}

void wait_timeline_append_moment(struct wait_timeline *t, int64_t at, const uint64_t what[WAIT_TIMELINE_CLASSES])
{
	struct wait_timeline_interval *i = &t->interval[t->count];

	wait_timeline_append(t, 0, at, at, at);
	for (unsigned int c = 0; c < WAIT_TIMELINE_CLASSES; c++)
		i->sums.first[c] += what[c];
}

void wait_timeline_reclass(struct wait_timeline *t, size_t i, unsigned int class)
{
	uint64_t ns = t->interval[i].middle - t->interval[i].begin;
	unsigned int before = t->interval[i].class;

	t->interval[i].class = class % WAIT_TIMELINE_CLASSES;
	for (; i < t->count; i++) {
		t->interval[i].sums.first[before] -= ns;
		t->interval[i].sums.first[class % WAIT_TIMELINE_CLASSES] += ns;
	}
}

static bool ends_after(const struct wait_timeline_interval *i, int64_t at)
{
	return i->end > at;
}

static bool begins_from(const struct wait_timeline_interval *i, int64_t at)
{
	return i->begin >= at;
}

/* An empty interval at that very moment counts as within. */
static bool is_within(const struct wait_timeline_interval *i, int64_t at)
{
	return i->end > at || i->begin >= at;
}

/*
 * Index of the first interval for which `is_so` holds, and with it all later ones. Most queries are about the last
 * few, so the search starts there.
 */
static inline size_t wait_timeline_find(const struct wait_timeline *t, int64_t at,
					bool (*is_so)(const struct wait_timeline_interval *i, int64_t at))
{
	size_t low = 0, high = t->count;

	for (size_t step = 1; step <= high; step *= 2) {
		if (!is_so(&t->interval[high - step], at)) {
			low = high - step + 1;
			break;
		}
		high -= step;
	}
	while (low < high) {
		size_t middle = (low + high) / 2;

		if (is_so(&t->interval[middle], at))
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

size_t wait_timeline_find_end(const struct wait_timeline *t, int64_t at)
{
	return wait_timeline_find(t, at, ends_after);
}

size_t wait_timeline_find_begin(const struct wait_timeline *t, int64_t at)
{
	return wait_timeline_find(t, at, begins_from);
}

static size_t first_within(const struct wait_timeline *t, int64_t at)
{
	return wait_timeline_find(t, at, is_within);
}

static struct wait_timeline_sums sums_before(const struct wait_timeline *t, size_t i)
{
	return i ? t->interval[i - 1].sums : t->dropped;
}

/* Add the part of an interval before `at`, which lies within it. */
static void add_before(const struct wait_timeline_interval *i, int64_t at, struct wait_timeline_sums *sums)
{
	sums->first[i->class] += at < i->middle ? at - i->begin : i->middle - i->begin;
	sums->second += at > i->middle ? at - i->middle : 0;
}

/* Sums from the beginning to `at`. `i` is the first interval that does not end before `at`. */
static bool sums_until(const struct wait_timeline *t, size_t i, int64_t at, struct wait_timeline_sums *sums)
{
	*sums = sums_before(t, i);
	if (i == t->count || t->interval[i].begin >= at)
		return true;
	add_before(&t->interval[i], at, sums);
	return !wait_timeline_is_coalesced(t, i);
}

bool wait_timeline_sum(const struct wait_timeline *t, int64_t from, int64_t to, struct wait_timeline_sums *out)
{
	struct wait_timeline_sums before, until;
	size_t first, behind;

	if (from < t->known_from)
		return false;
	*out = (struct wait_timeline_sums){0};
	if (!t->count || t->interval[t->count - 1].end < from)
		return true;
	first = first_within(t, from);
	if (first == t->count || t->interval[first].begin >= to)
		return true; /* most calls have no waits */
	if (!sums_until(t, first, from, &before) || !sums_until(t, first_within(t, to), to, &until))
		return false;
	behind = wait_timeline_find_begin(t, to);
	for (unsigned int c = 0; c < WAIT_TIMELINE_CLASSES; c++)
		out->first[c] = until.first[c] - before.first[c];
	out->second = until.second - before.second;
	out->count = behind > first ? t->interval[behind - 1].sums.count - wait_timeline_count_before(t, first) : 0;
	return true;
}

/* May these two be coalesced? Only if no query can begin between them. */
static bool may_coalesce(const struct wait_timeline_interval *into, const struct wait_timeline_interval *next,
			 const int64_t *open, size_t moments)
{
	for (size_t i = 0; i < moments; i++)
		if (open[i] >= into->end && open[i] <= next->begin)
			return false;
	return true;
}

static void wait_timeline_drop(struct wait_timeline *t, size_t n)
{
	if (!n)
		return;
	t->dropped = sums_before(t, n);
	t->known_from = t->interval[n - 1].end;
	t->count -= n;
	memmove(t->interval, t->interval + n, t->count * sizeof(t->interval[0]));
	move_payload(t, 0, n, t->count);
}

/* Coalesce [0, n). Returns how many are left. */
static size_t wait_timeline_coalesce_first(struct wait_timeline *t, size_t n, const int64_t *open, size_t moments)
{
	size_t into = 0;

	for (size_t i = 1; i < n; i++) {
		const struct wait_timeline_interval first = t->interval[into];

		if (may_coalesce(&first, &t->interval[i], open, moments)) {
			t->interval[into] = t->interval[i];
			t->interval[into].begin = first.begin;
			t->interval[into].longest = later(first.longest, t->interval[into].longest);
			continue;
		}
		t->interval[++into] = t->interval[i];
		move_payload(t, into, i, 1);
	}
	return n ? into + 1 : 0;
}

static void close_gap(struct wait_timeline *t, size_t from, size_t to)
{
	size_t rest = t->count - from;

	memmove(t->interval + to, t->interval + from, rest * sizeof(t->interval[0]));
	move_payload(t, to, from, rest);
	t->count = to + rest;
}

size_t wait_timeline_coalesce(struct wait_timeline *t, size_t keep, const int64_t *open, size_t moments)
{
	size_t old = t->count > keep ? t->count - keep : 0, dead = old, left;

	if (moments)
		dead = wait_timeline_find_end(t, open[0]);
	if (dead > old)
		dead = old;
	wait_timeline_drop(t, dead);
	old -= dead;
	left = wait_timeline_coalesce_first(t, old, open, moments);
	close_gap(t, old, left);
	return left;
}
