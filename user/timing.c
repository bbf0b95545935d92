// SPDX-License-Identifier: BSD-2-Clause
#include "user/timing.h"

#include <stdlib.h>
#include <string.h>

#define LARGEST_LOG2 17 /* of a slot's table of cells */
#define TRIES	     100
#define BUCKETS	     (FRT_GROUPS * FRT_GROUP_BUCKETS)

static uint64_t rule_of(const struct segment *s, uint32_t method)
{
	const uint64_t *rules = (const uint64_t *)(s->base + FRT_RULES_AT);

	return method < FRT_MAX_METHODS ? rules[method] : 0;
}

bool timing_is_wanted(const struct segment *s, uint32_t method)
{
	return (rule_of(s, method) & (FRT_RULE_TIMED | FRT_RULE_SILENT)) == FRT_RULE_TIMED;
}

bool timing_is_silent(const struct segment *s, uint32_t method)
{
	return rule_of(s, method) & FRT_RULE_SILENT;
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

/* Those of the group that have come since `seen`, which is brought up to now. */
static uint64_t read_group(const struct frt_group *g, struct frt_group *seen, uint64_t bucket[FRT_GROUP_BUCKETS])
{
	uint64_t sum = 0;

	for (uint32_t b = 0; b < FRT_GROUP_BUCKETS; b++) {
		uint64_t count = __atomic_load_n(&g->count[b], __ATOMIC_RELAXED);

		bucket[b] = seen ? count - seen->count[b] : count;
		if (seen)
			seen->count[b] = count;
		sum += bucket[b];
	}
	return sum;
}

/* The buckets of a method; returns their sum. */
static uint64_t read_histogram(const struct segment *s, uint32_t method, struct frt_group *seen, uint64_t bucket[BUCKETS])
{
	const struct frt_histogram *h = (const struct frt_histogram *)(s->base + FRT_HISTOGRAMS_AT) + method;
	const struct frt_group *groups = (const struct frt_group *)(s->base + FRT_GROUPS_AT);
	uint64_t sum = 0;

	memset(bucket, 0, BUCKETS * sizeof(*bucket));
	for (uint32_t i = 0; i < FRT_GROUPS; i++) {
		uint32_t g = h->group[i];

		if (g && g < FRT_MAX_GROUPS)
			sum += read_group(&groups[g], seen ? &seen[g] : NULL, bucket + i * FRT_GROUP_BUCKETS);
	}
	return sum;
}

static uint64_t clamp(uint64_t value, uint64_t low, uint64_t high)
{
	if (value < low)
		return low;
	return value > high ? high : value;
}

bool timing_percentiles_since(const struct segment *s, uint32_t method, const struct timing *t, struct frt_group *seen,
			      uint64_t out[TIMING_PERCENTILES], uint64_t *longest)
{
	static const unsigned int percent[TIMING_PERCENTILES] = { 50, 90, 99 };
	uint64_t bucket[BUCKETS], sum, passed = 0;
	unsigned int next = 0;

	if (method >= FRT_MAX_METHODS || !(sum = read_histogram(s, method, seen, bucket)))
		return false;
	for (uint32_t b = 0; b < BUCKETS && passed < sum; b++) {
		passed += bucket[b];
		while (next < TIMING_PERCENTILES && passed && (double)passed * 100 >= (double)sum * percent[next])
			out[next++] = clamp(middle_of(b), t->minimum, t->maximum);
		if (bucket[b])
			*longest = clamp(end_of(b), t->minimum, t->maximum);
	}
	return next == TIMING_PERCENTILES;
}

bool timing_percentiles(const struct segment *s, uint32_t method, const struct timing *t,
			uint64_t out[TIMING_PERCENTILES])
{
	uint64_t longest;

	return timing_percentiles_since(s, method, t, NULL, out, &longest);
}
