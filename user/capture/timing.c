// SPDX-License-Identifier: BSD-2-Clause
#include "user/capture/timing.h"
#include "format/vec.h"

#include <stdlib.h>
#include <string.h>

#define LARGEST_LOG2 17 /* of a slot's largest table of cells */
#define TRIES	     4	/* to copy a cell while its owner writes it */
#define BUCKETS	     (FRT_GROUPS * FRT_GROUP_BUCKETS)

static uint64_t timing_rule_of(const struct segment *s, uint32_t method)
{
	return method < FRT_MAX_METHODS ? *segment_rule(s, method) : 0;
}

bool timing_is_wanted(const struct segment *s, uint32_t method)
{
	return (timing_rule_of(s, method) & (FRT_RULE_TIMED | FRT_RULE_SILENT)) == FRT_RULE_TIMED;
}

bool timing_is_silent(const struct segment *s, uint32_t method)
{
	return timing_rule_of(s, method) & FRT_RULE_SILENT;
}

bool timing_will_record(const struct segment *s, uint32_t method, uint64_t ticks)
{
	uint64_t rule = timing_rule_of(s, method);

	return !(rule & FRT_RULE_THROWN) && ticks >= rule >> FRT_RULE_SHIFT;
}

static void add(struct timings *t, const struct frt_sum *c)
{
	struct timing *to;

	if (!c->method || c->method >= FRT_MAX_METHODS || !c->count)
		return;
	if (c->method >= t->methods)
		t->methods = c->method + 1;
	to = &t->of[c->method];
	if (!to->count || c->minimum < to->minimum)
		to->minimum = c->minimum;
	if (c->maximum > to->maximum)
		to->maximum = c->maximum;
	to->count += c->count;
	to->thrown += c->thrown;
	to->total += c->total;
	to->children += c->nested.children;
	to->repeated += c->nested.repeated;
	to->allocated += c->nested.allocated;
	to->unknown |= c->unknown;
}

/* Allocate an entry of `recent`. NULL: no memory, or more entries than there can be cells. */
static struct timing_recent *recent_new(struct timings *t)
{
	if (t->recents >= FRT_CELLS_SIZE / FRT_CELL_ROOM ||
	    vec_reserve(&t->recent, &t->capacity, (size_t)t->recents + 2))
		return NULL;
	return &t->recent[++t->recents];
}

static uint32_t bucket_of(uint32_t d)
{
	uint32_t e = 0;

	while (d >> e >= 2u << FRT_OCTAVE_LOG2)
		e++;
	return (e << FRT_OCTAVE_LOG2) + (d >> e);
}

/* Add the calls of a cell that are not in the histogram yet. */
static void add_recent(struct timings *t, const struct frt_cell *c)
{
	uint32_t calls = c->count % FRT_RECENT;
	struct timing_recent *r;

	if (!c->method || c->method >= FRT_MAX_METHODS || !calls || !(r = recent_new(t)))
		return;
	r->next = t->of[c->method].recent;
	r->buckets = 0;
	for (uint32_t i = 0; i < calls; i++)
		if (c->recent[i])
			r->bucket[r->buckets++] = bucket_of(c->recent[i]);
	t->of[c->method].recent = t->recents;
}

/* A copy of a cell, with what stands behind the table for it. */
struct cell_copy {
	struct frt_cell cell;
	struct frt_nested nested;
};

static struct frt_sum timing_sum_of(const struct cell_copy *copy)
{
	const struct frt_cell *c = &copy->cell;
	struct frt_sum sum = {
		.method = c->method,
		.unknown = c->unknown,
		.nested = copy->nested,
		.count = c->count,
		.thrown = c->thrown,
		.total = c->total[c->count / FRT_RECENT % 2],
		.minimum = c->minimum,
		.maximum = c->maximum,
	};

	for (uint32_t i = 0; i < c->count % FRT_RECENT; i++)
		sum.total += c->recent[i];
	return sum;
}

/*
 * The count selects the total, so both must be of the same time; a target that keeps writing gets no more than TRIES. What
 * is nested may be of a call that does not count yet.
 */
static void copy_cell(struct cell_copy *to, const struct frt_cell *c, const struct frt_nested *nested)
{
	for (int i = 0; i < TRIES; i++) {
		uint64_t count = __atomic_load_n(&c->count, __ATOMIC_ACQUIRE);

		to->cell = *c;
		to->cell.count = count; /* what is counted was there before the copy began */
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		to->nested = *nested;
		if (__atomic_load_n(&c->count, __ATOMIC_RELAXED) / FRT_RECENT == count / FRT_RECENT)
			return;
	}
}

/* Position and number of a slot's cells. False: the word points outside the cells' section. */
static bool cells_of(uint64_t word, uint64_t *at, size_t *count)
{
	uint32_t log2 = word & 0xff;

	*at = word >> 8;
	if (!word || log2 > LARGEST_LOG2)
		return false;
	*count = (size_t)1 << log2;
	return *at >= FRT_CELLS_AT && *at % sizeof(struct frt_cell) == 0 &&
	       *at + *count * FRT_CELL_ROOM <= FRT_CELLS_AT + (uint64_t)FRT_CELLS_SIZE;
}

/* The cells of different slots do not overlap, so their total is bounded. False: it is exceeded, and the pass ends. */
static bool take_cells(struct timings *t, size_t count)
{
	if (count > t->cells_left)
		t->forged = true;
	else
		t->cells_left -= count;
	return !t->forged;
}

static bool timing_copies(struct timings *t, size_t count)
{
	if (count <= t->copies)
		return true;
	free(t->copy);
	t->copy = malloc(count * sizeof(*t->copy));
	t->copies = t->copy ? count : 0;
	return t->copy;
}

/*
 * A slot's owner moves its cells when the table grows: a copy counts only if they stayed in place. A target that
 * keeps moving them is skipped.
 */
static void timing_add_slot(struct timings *t, const struct segment *s, const struct frt_slot *slot)
{
	const struct frt_nested *nested;
	const struct frt_cell *cell;
	size_t count = 0;
	uint64_t at;

	for (int i = 0; i < TRIES; i++) {
		uint64_t word = __atomic_load_n(&slot->cells, __ATOMIC_ACQUIRE);

		if (!cells_of(word, &at, &count) || !take_cells(t, count) || !timing_copies(t, count))
			return;
		cell = (const struct frt_cell *)(s->base + at);
		nested = (const struct frt_nested *)(cell + count);
		for (size_t c = 0; c < count; c++)
			copy_cell(&t->copy[c], &cell[c], &nested[c]);
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		if (__atomic_load_n(&slot->cells, __ATOMIC_RELAXED) == word)
			break;
		count = 0;
	}
	for (size_t i = 0; i < count; i++) {
		struct frt_sum sum;

		if (t->copy[i].cell.method / FRT_MAX_METHODS != s->recording)
			continue;
		t->copy[i].cell.method %= FRT_MAX_METHODS;
		sum = timing_sum_of(&t->copy[i]);
		add(t, &sum);
		add_recent(t, &t->copy[i].cell);
	}
}

static void add_shared(struct timings *t, const struct segment *s)
{
	const struct frt_sum *shared =
		(const struct frt_sum *)(s->base + FRT_SHARED_AT) + FRT_TIMED_METHOD(s->recording, 0);
	uint32_t methods = __atomic_load_n(&segment_header(s)->methods, __ATOMIC_RELAXED);

	for (uint32_t id = 1; id <= methods && id < FRT_MAX_METHODS; id++) {
		struct frt_sum c = shared[id];

		c.method = id;
		add(t, &c);
	}
}

/* The kernel does not know which method has called a native one, or what that one calls. */
static void timing_add_natives(struct timings *t, const struct segment *s)
{
	for (size_t i = 0; i < s->natives.sums; i++) {
		const struct native_sum *n = &s->natives.sum[i];
		struct frt_sum sum = {.method = n->method,
				      .unknown = FRT_UNKNOWN_REPEAT | FRT_UNKNOWN_ALLOCATED,
				      .count = n->sum.count,
				      .thrown = n->sum.thrown,
				      .total = n->sum.total * s->ticks_per_ns,
				      .minimum = n->sum.minimum * s->ticks_per_ns,
				      .maximum = n->sum.maximum * s->ticks_per_ns};

		add(t, &sum);
	}
	for (uint32_t id = 1; s->natives.sums && id < t->methods; id++)
		t->of[id].unknown |= FRT_UNKNOWN_SELF;
}

void timings_read(struct timings *t, const struct segment *s)
{
	const struct frt_slot *slot;

	memset(t->of, 0, sizeof(t->of));
	t->methods = t->recents = 0;
	t->forged = false;
	t->cells_left = FRT_CELLS_SIZE / FRT_CELL_ROOM;
	for (uint32_t i = 0; !t->forged && (slot = segment_slot(s, i)); i++)
		if (segment_add_slot(s, slot, &(struct frt_share){0}))
			timing_add_slot(t, s, slot);
	add_shared(t, s);
	timing_add_natives(t, s);
}

static bool timing_less(const struct timing *t, uint64_t less, uint32_t unknown, uint64_t *ticks)
{
	*ticks = t->total > less ? t->total - less : 0;
	return !(t->unknown & unknown);
}

bool timing_self(const struct timing *t, uint64_t *ticks)
{
	return timing_less(t, t->children, FRT_UNKNOWN_SELF, ticks);
}

bool timing_without_recursion(const struct timing *t, uint64_t *ticks)
{
	return timing_less(t, t->repeated, FRT_UNKNOWN_REPEAT, ticks);
}

void timings_release(struct timings *t)
{
	if (!t)
		return;
	free(t->recent);
	free(t->copy);
	t->recent = NULL;
	t->copy = NULL;
	t->recents = t->capacity = t->copies = 0;
}

static uint64_t begin_of(uint32_t bucket)
{
	uint32_t octave = 1u << FRT_OCTAVE_LOG2;

	if (bucket < octave)
		return bucket;
	return (uint64_t)(octave + bucket % octave) << ((bucket >> FRT_OCTAVE_LOG2) - 1);
}

static uint64_t end_of(uint32_t bucket)
{
	return begin_of(bucket + 1) - 1;
}

static uint64_t middle_of(uint32_t bucket)
{
	return (begin_of(bucket) + begin_of(bucket + 1)) / 2;
}

/* Add the calls that are not in the histogram yet. */
static void add_recents(const struct timings *t, uint32_t method, uint64_t bucket[BUCKETS])
{
	for (uint32_t i = t->of[method].recent; i; i = t->recent[i].next)
		for (uint32_t k = 0; k < t->recent[i].buckets; k++)
			bucket[t->recent[i].bucket[k]]++;
}

/*
 * Add the group's counts, subtract those of the last time (`seen`), and update `seen`. A call that moves into the
 * histogram meanwhile is counted twice this time and is missing the next. Returns the sum.
 */
static uint64_t add_group(const struct frt_group *g, struct frt_group *seen, uint64_t bucket[FRT_GROUP_BUCKETS])
{
	uint64_t sum = 0;

	for (uint32_t b = 0; b < FRT_GROUP_BUCKETS; b++) {
		uint64_t count = bucket[b] + __atomic_load_n(&g->count[b], __ATOMIC_RELAXED);

		bucket[b] = count - (!seen ? 0 : count < seen->count[b] ? count : seen->count[b]);
		if (seen)
			seen->count[b] = count;
		sum += bucket[b];
	}
	return sum;
}

/* Read a method's buckets, without the recent calls if `t` is NULL. Returns their sum. */
static uint64_t read_histogram(const struct segment *s, const struct timings *t, uint32_t method,
			       struct frt_group *seen, uint64_t bucket[BUCKETS])
{
	const struct frt_histogram *h =
		(const struct frt_histogram *)(s->base + FRT_HISTOGRAMS_AT) + FRT_TIMED_METHOD(s->recording, method);
	const struct frt_group *groups = (const struct frt_group *)(s->base + FRT_GROUPS_AT);
	uint64_t sum = 0;

	memset(bucket, 0, BUCKETS * sizeof(*bucket));
	if (t)
		add_recents(t, method, bucket);
	for (uint32_t i = 0; i < FRT_GROUPS; i++) {
		uint32_t g = __atomic_load_n(&h->group[i], __ATOMIC_RELAXED); /* read once: it may change */
		uint64_t *first = bucket + i * FRT_GROUP_BUCKETS;

		if (g && g < FRT_MAX_GROUPS)
			sum += add_group(&groups[g], seen ? &seen[g] : NULL, first);
		else /* a call is in `recent` only when its group exists */
			memset(first, 0, sizeof(groups->count));
	}
	return sum;
}

static uint64_t clamp(uint64_t value, uint64_t low, uint64_t high)
{
	if (value < low)
		return low;
	return value > high ? high : value;
}

bool timing_percentiles_since(const struct segment *s, const struct timings *t, uint32_t method, struct frt_group *seen,
			      uint64_t out[TIMING_PERCENTILES], uint64_t *longest)
{
	static const unsigned int percent[TIMING_PERCENTILES] = {50, 90, 99};
	uint64_t bucket[BUCKETS], sum, passed = 0;
	unsigned int next = 0;

	if (method >= FRT_MAX_METHODS || !(sum = read_histogram(s, t, method, seen, bucket)))
		return false;
	for (uint32_t b = 0; b < BUCKETS && passed < sum; b++) {
		passed += bucket[b];
		while (next < TIMING_PERCENTILES && passed && (double)passed * 100 >= (double)sum * percent[next])
			out[next++] = clamp(middle_of(b), t->of[method].minimum, t->of[method].maximum);
		if (bucket[b])
			*longest = clamp(end_of(b), t->of[method].minimum, t->of[method].maximum);
	}
	return next == TIMING_PERCENTILES;
}

bool timing_percentiles(const struct segment *s, const struct timings *t, uint32_t method,
			uint64_t out[TIMING_PERCENTILES])
{
	uint64_t longest;

	return timing_percentiles_since(s, t, method, NULL, out, &longest);
}

static size_t duration_class(uint32_t bucket, const uint64_t *bound, size_t bounds)
{
	size_t i = 0;

	while (i < bounds && middle_of(bucket) > bound[i])
		i++;
	return i;
}

void timing_count_histogram(const struct segment *s, uint32_t method, const uint64_t *bound, size_t bounds,
			    uint64_t *count)
{
	uint64_t bucket[BUCKETS];

	if (method >= FRT_MAX_METHODS || !read_histogram(s, NULL, method, NULL, bucket))
		return;
	for (uint32_t b = 0; b < BUCKETS; b++)
		if (bucket[b])
			count[duration_class(b, bound, bounds)] += bucket[b];
}

void timing_count_recent(const struct timings *t, uint32_t method, const uint64_t *bound, size_t bounds,
			 uint64_t *count)
{
	if (method >= FRT_MAX_METHODS)
		return;
	for (uint32_t i = t->of[method].recent; i; i = t->recent[i].next)
		for (uint32_t k = 0; k < t->recent[i].buckets; k++)
			count[duration_class(t->recent[i].bucket[k], bound, bounds)]++;
}
