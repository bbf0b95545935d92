// SPDX-License-Identifier: BSD-2-Clause
/*
 * A thread counts in cells of its own, so nothing is lost and nothing shared.
 * Its table doubles when it is three quarters full; when there is no memory for that,
 * the calls of further methods go to shared sums, atomically, and are exact
 * all the same. The histograms are shared by all threads; a cell goes there
 * with FRT_RECENT calls at a time.
 */
#include "uprobes/agent/timing.h"
#include "uprobes/agent/free_list.h"

#include <emmintrin.h>

#define UNIT	  (1u << 10) /* of cells: the smallest table */
#define LARGEST	  17u	     /* log2 of the places: twice the methods */
#define BUCKETS	  (FRT_GROUPS * FRT_GROUP_BUCKETS)
#define KNOWN_GROUPS 128u /* of a histogram, by its cells */

static struct free_list free_cells[LARGEST + 1];

static struct frt_cell *cells_at(uint64_t word)
{
	return control_at(word >> 8);
}

static void *unit_at(uint32_t number)
{
	return control_at(FRT_CELLS_AT + (uint64_t)number * UNIT);
}

static uint32_t cells_next(uint32_t number, const uint32_t *set)
{
	uint32_t *next = unit_at(number);

	if (set)
		store_relaxed(next, *set);
	return load_relaxed(next);
}

/* A cleared table of 1 << log2 cells: the word for the slot, or 0. */
static uint64_t cells_take(uint32_t log2)
{
	uint64_t size = sizeof(struct frt_cell) << log2, used = load_relaxed(&control->cell_used);
	uint64_t limit = control->cell_cap < FRT_CELLS_SIZE ? control->cell_cap : FRT_CELLS_SIZE;
	int64_t number = free_list_pop(&free_cells[log2], cells_next);

	if (number >= 0) {
		memset(unit_at(number), 0, size);
		return (FRT_CELLS_AT + (uint64_t)number * UNIT) << 8 | log2;
	}
	do {
		if (used + size > limit)
			return 0;
	} while (!__atomic_compare_exchange_n(&control->cell_used, &used, used + size, false, __ATOMIC_RELAXED,
					      __ATOMIC_RELAXED));
	return (FRT_CELLS_AT + used) << 8 | log2;
}

static inline uint64_t place_of(uint32_t method, uint32_t log2)
{
	return method * FRT_CELL_HASH >> (64 - log2);
}

/*
 * The method's cell in a table, or the free one that it would get. A quarter of a
 * table is free; but whatever becomes of it, no thread may search for ever. NULL: neither.
 */
static inline __attribute__((always_inline)) struct frt_cell *cell_in(uint64_t word, uint32_t method)
{
	uint32_t log2 = word & 0xff;
	uint64_t first = place_of(method, log2), last = (1ULL << log2) - 1;

	for (uint64_t i = 0; i <= last; i++) {
		struct frt_cell *c = &cells_at(word)[(first + i) & last];

		if (likely(c->sum.method == method) || !c->sum.method)
			return c;
	}
	return NULL;
}

/* Everything is copied before the slot shows the new table: a reader sees one or the other. */
static bool cells_grow(struct frt_slot *s)
{
	uint64_t old = s->cells, new;
	uint32_t log2 = old ? (old & 0xff) + 1 : FRT_CELLS_FIRST_LOG2;

	if (log2 > LARGEST || !(new = cells_take(log2)))
		return false;
	for (uint64_t i = 0; old && i < 1ULL << (old & 0xff); i++) {
		const struct frt_cell *c = &cells_at(old)[i];
		struct frt_cell *to = c->sum.method ? cell_in(new, c->sum.method) : NULL;

		if (to)
			*to = *c;
	}
	store_release(&s->cells, new);
	if (old)
		free_list_push(&free_cells[old & 0xff], ((old >> 8) - FRT_CELLS_AT) / UNIT, cells_next);
	return true;
}

/* The method's first call by this slot: a cell for it, or NULL. */
static struct frt_cell *cell_new(struct frt_slot *s, uint32_t method)
{
	struct frt_cell *c;

	if (!s->cells || (s->cell_count + 1) * 4 > 3ULL << (s->cells & 0xff))
		if (!cells_grow(s))
			return NULL;
	c = cell_in(s->cells, method);
	if (unlikely(!c))
		return NULL;
	s->cell_count++;
	c->sum.minimum = UINT64_MAX;
	store_release(&c->sum.method, method);
	return c;
}

/* NULL: the slot has none for this method. */
static inline struct frt_cell *cell_find(const struct frt_slot *s, uint32_t method)
{
	struct frt_cell *c = likely(s->cells) ? cell_in(s->cells, method) : NULL;

	return likely(c && c->sum.method == method) ? c : NULL;
}

static void atomic_extreme(uint64_t *to, uint64_t value, bool greater)
{
	uint64_t is = load_relaxed(to);

	while ((greater ? value > is : value < is || !is) &&
	       !__atomic_compare_exchange_n(to, &is, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

static void add_shared(uint32_t method, uint64_t duration, bool thrown)
{
	struct frt_sum *sum = (struct frt_sum *)control_at(FRT_SHARED_AT) + method % FRT_MAX_METHODS;

	atomic_extreme(&sum->minimum, duration, false);
	atomic_extreme(&sum->maximum, duration, true);
	add_relaxed(&sum->total, duration);
	add_relaxed(&sum->thrown, thrown);
	add_relaxed(&sum->count, 1);
	store_relaxed(&sum->method, method);
}

static inline uint32_t bucket_of(uint64_t d)
{
	uint32_t e, bucket;

	if (d < 1u << FRT_OCTAVE_LOG2)
		return d;
	e = 63 - __builtin_clzll(d) - FRT_OCTAVE_LOG2;
	bucket = (e + 1) << FRT_OCTAVE_LOG2 | (d >> e & ((1u << FRT_OCTAVE_LOG2) - 1));
	return likely(bucket < BUCKETS) ? bucket : BUCKETS - 1; /* longer than days */
}

static uint32_t *group_number(uint32_t method, uint32_t bucket)
{
	struct frt_histogram *h = (struct frt_histogram *)control_at(FRT_HISTOGRAMS_AT) + method % FRT_MAX_METHODS;

	return &h->group[bucket / FRT_GROUP_BUCKETS];
}

/* Give the histogram the group that it lacks. False: none is left. */
static bool group_new(uint32_t *group)
{
	uint32_t number = load_relaxed(&control->groups);
	uint64_t limit = control->cell_cap / sizeof(struct frt_group);
	uint32_t none = 0;

	do {
		if (number >= FRT_MAX_GROUPS - 1 || number >= limit)
			return false;
	} while (!__atomic_compare_exchange_n(&control->groups, &number, number + 1, false, __ATOMIC_RELAXED,
					      __ATOMIC_RELAXED));
	/* two threads at once: one number is never used */
	__atomic_compare_exchange_n(group, &none, number + 1, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
	return true;
}

/* Has the histogram a group for this bucket, now? */
static bool group_is_there(uint32_t method, uint32_t bucket)
{
	uint32_t *group = group_number(method, bucket);

	if (load_acquire(group) || group_new(group))
		return true;
	add_relaxed(&control->unbucketed, 1);
	return false;
}

static uint64_t *bucket_at(uint32_t method, uint32_t bucket)
{
	struct frt_group *g = (struct frt_group *)control_at(FRT_GROUPS_AT) + load_acquire(group_number(method, bucket));

	return &g->count[bucket % FRT_GROUP_BUCKETS];
}

/* Bit i: recent[i] is this bucket. */
static inline uint32_t places_of(const uint16_t recent[FRT_RECENT], uint16_t bucket)
{
	const __m128i *r = (const __m128i *)recent, b = _mm_set1_epi16(bucket);
	__m128i low = _mm_packs_epi16(_mm_cmpeq_epi16(r[0], b), _mm_cmpeq_epi16(r[1], b));
	__m128i high = _mm_packs_epi16(_mm_cmpeq_epi16(r[2], b), _mm_cmpeq_epi16(r[3], b));

	return _mm_movemask_epi8(low) | (uint32_t)_mm_movemask_epi8(high) << 16;
}

/* The compiler's own needs a library, or a younger processor. */
static inline uint32_t bits_in(uint32_t x)
{
	x -= x >> 1 & 0x55555555;
	x = (x & 0x33333333) + (x >> 2 & 0x33333333);
	return ((x + (x >> 4)) & 0x0f0f0f0f) * 0x01010101 >> 24;
}

/* All that stands in `recent` goes into the histogram. First the lines are asked for, so that one wait is enough. */
static void cell_empty(const struct frt_cell *c)
{
	uint64_t *at[FRT_RECENT];
	uint8_t calls[FRT_RECENT];
	uint32_t buckets = 0, rest = ~0u;

	while (rest) {
		uint16_t bucket = c->recent[__builtin_ctz(rest)];
		uint32_t places = places_of(c->recent, bucket);

		rest &= ~places;
		if (bucket == FRT_NO_BUCKET)
			continue;
		at[buckets] = bucket_at(c->sum.method, bucket);
		__builtin_prefetch(at[buckets], 1);
		calls[buckets++] = bits_in(places);
	}
	for (uint32_t i = 0; i < buckets; i++)
		add_relaxed(at[i], calls[i]);
}

/* The call that took the last place. */
static __attribute__((noinline)) void cell_count_and_empty(struct frt_cell *c)
{
	cell_empty(c);
	store_release(&c->sum.count, c->sum.count + 1);
}

/* Does the cell know that the histogram has this bucket? */
static inline bool cell_has_bucket(const struct frt_cell *c, uint32_t bucket)
{
	uint32_t g = bucket / FRT_GROUP_BUCKETS;

	return likely(g < KNOWN_GROUPS && c->sum.groups[g / 64] >> g % 64 & 1);
}

static inline void cell_add(struct frt_cell *c, uint64_t duration, bool thrown, uint16_t bucket)
{
	uint32_t place = c->sum.count % FRT_RECENT;

	c->recent[place] = bucket;
	c->sum.total += duration;
	if (unlikely(thrown))
		c->sum.thrown++;
	if (unlikely(duration < c->sum.minimum))
		c->sum.minimum = duration;
	if (unlikely(duration > c->sum.maximum))
		c->sum.maximum = duration;
	if (unlikely(place == FRT_RECENT - 1))
		cell_count_and_empty(c);
	else
		store_release(&c->sum.count, c->sum.count + 1);
}

/* The first call of a method, or the first in a group of buckets; or there is no memory. */
static __attribute__((noinline)) void add_otherwise(struct frt_slot *s, uint32_t method, uint64_t duration, bool thrown)
{
	uint32_t bucket = bucket_of(duration), g = bucket / FRT_GROUP_BUCKETS;
	struct frt_cell *c = cell_find(s, method);
	bool there = group_is_there(method, bucket);

	if (!c && !(c = cell_new(s, method))) {
		add_shared(method, duration, thrown);
		if (there)
			add_relaxed(bucket_at(method, bucket), 1);
		return;
	}
	if (there && g < KNOWN_GROUPS)
		c->sum.groups[g / 64] |= 1ULL << g % 64;
	cell_add(c, duration, thrown, there ? bucket : FRT_NO_BUCKET);
}

void timing_add(struct frt_slot *s, uint32_t method, uint64_t duration, bool thrown)
{
	struct frt_cell *c = cell_find(s, method);
	uint32_t bucket = bucket_of(duration);

	if (likely(c && cell_has_bucket(c, bucket)))
		cell_add(c, duration, thrown, bucket);
	else
		add_otherwise(s, method, duration, thrown);
}

void timing_slot_begin(struct frt_slot *s)
{
	if (s->cell_count)
		memset(cells_at(s->cells), 0, sizeof(struct frt_cell) << (s->cells & 0xff));
	s->cell_count = 0;
}

void timing_begin(const struct frt_config *config)
{
	uint64_t methods = control->methods + 1;

	for (uint32_t id = 1; id < methods; id++) /* a hook that an earlier recording has left does nothing */
		store_relaxed(control_rule(id), FRT_RULE_UNTRACED);
	control->cell_cap = config->cell_cap;
	control->unbucketed = 0;
	if (!control->groups)
		return; /* nothing was ever timed */
	memset(control_at(FRT_SHARED_AT), 0, methods * sizeof(struct frt_sum));
	memset(control_at(FRT_HISTOGRAMS_AT), 0, methods * sizeof(struct frt_histogram));
	memset(control_at(FRT_GROUPS_AT), 0, (control->groups + 1ULL) * sizeof(struct frt_group));
	control->groups = 0;
}
