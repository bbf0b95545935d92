// SPDX-License-Identifier: BSD-2-Clause
#include "user/timing.h"

#include <stdlib.h>
#include <string.h>

#define LARGEST_LOG2 17 /* of a slot's table of cells */
#define TRIES	     100
#define BUCKETS	     (FRT_GROUPS * FRT_GROUP_BUCKETS)

bool timing_is_wanted(const struct segment *s, uint32_t method)
{
	const uint64_t *rules = (const uint64_t *)(s->base + FRT_RULES_AT);

	return method < FRT_MAX_METHODS && rules[method] & FRT_RULE_TIMED;
}

static void add(struct timings *t, const struct frt_cell *c)
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
}

/* Where a slot's cells are: false when the word leads elsewhere. */
static bool cells_of(uint64_t word, uint64_t *at, size_t *count)
{
	uint32_t log2 = word & 0xff;

	*at = word >> 8;
	if (!word || log2 > LARGEST_LOG2)
		return false;
	*count = (size_t)1 << log2;
	return *at >= FRT_CELLS_AT && *at % 64 == 0 &&
	       *at + *count * sizeof(struct frt_cell) <= FRT_CELLS_AT + (uint64_t)FRT_CELLS_SIZE;
}

/*
 * The slot's owner moves its cells when there are more: what was copied counts only if
 * they stood still. A target that moves them for ever is not followed.
 */
static void add_slot(struct timings *t, const struct segment *s, const struct frt_slot *slot, struct frt_cell *copy)
{
	size_t count = 0;
	uint64_t at;

	for (int i = 0; i < TRIES; i++) {
		uint64_t word = __atomic_load_n(&slot->cells, __ATOMIC_ACQUIRE);

		if (!cells_of(word, &at, &count))
			return;
		memcpy(copy, s->base + at, count * sizeof(*copy));
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		if (__atomic_load_n(&slot->cells, __ATOMIC_RELAXED) == word)
			break;
		count = 0;
	}
	for (size_t i = 0; i < count; i++)
		add(t, &copy[i]);
}

static void add_shared(struct timings *t, const struct segment *s)
{
	const struct frt_cell *shared = (const struct frt_cell *)(s->base + FRT_SHARED_AT);
	uint32_t methods = segment_header(s)->methods;

	for (uint32_t id = 1; id <= methods && id < FRT_MAX_METHODS; id++) {
		struct frt_cell c = shared[id];

		c.method = id;
		add(t, &c);
	}
}

void timings_read(struct timings *t, const struct segment *s)
{
	struct frt_cell *copy = malloc(sizeof(*copy) << LARGEST_LOG2);
	const struct frt_slot *slot;

	memset(t, 0, sizeof(*t));
	for (uint32_t i = 0; copy && (slot = segment_slot(s, i)); i++)
		if (slot->epoch == segment_header(s)->epoch)
			add_slot(t, s, slot, copy);
	add_shared(t, s);
	free(copy);
}

static uint64_t middle_of(uint32_t bucket)
{
	uint32_t octave = 1u << FRT_OCTAVE_LOG2, e;

	if (bucket < octave)
		return bucket;
	e = (bucket >> FRT_OCTAVE_LOG2) - 1;
	return ((uint64_t)(octave + bucket % octave) << e) + (1ULL << e) / 2;
}

/* The buckets of a method; returns their sum. */
static uint64_t read_histogram(const struct segment *s, uint32_t method, uint64_t bucket[BUCKETS])
{
	const struct frt_histogram *h = (const struct frt_histogram *)(s->base + FRT_HISTOGRAMS_AT) + method;
	const struct frt_group *groups = (const struct frt_group *)(s->base + FRT_GROUPS_AT);
	uint64_t sum = 0;

	for (uint32_t b = 0; b < BUCKETS; b++) {
		uint32_t g = h->group[b / FRT_GROUP_BUCKETS];

		bucket[b] = g && g < FRT_MAX_GROUPS ? groups[g].count[b % FRT_GROUP_BUCKETS] : 0;
		sum += bucket[b];
	}
	return sum;
}

static uint64_t clamp(uint64_t value, uint64_t low, uint64_t high)
{
	if (value < low)
		return low;
	return value > high ? high : value;
}

bool timing_percentiles(const struct segment *s, uint32_t method, const struct timing *t,
			uint64_t out[TIMING_PERCENTILES])
{
	static const unsigned int percent[TIMING_PERCENTILES] = { 50, 90, 99 };
	uint64_t bucket[BUCKETS], sum, seen = 0;
	unsigned int next = 0;

	if (method >= FRT_MAX_METHODS || !(sum = read_histogram(s, method, bucket)))
		return false;
	for (uint32_t b = 0; b < BUCKETS && next < TIMING_PERCENTILES; b++) {
		seen += bucket[b];
		while (next < TIMING_PERCENTILES && seen && (double)seen * 100 >= (double)sum * percent[next])
			out[next++] = clamp(middle_of(b), t->minimum, t->maximum);
	}
	return next == TIMING_PERCENTILES;
}
