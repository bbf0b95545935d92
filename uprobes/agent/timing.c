// SPDX-License-Identifier: BSD-2-Clause
/*
 * Each thread counts in its own cells, so nothing is lost and nothing is shared. A thread's table doubles when it
 * is three quarters full. If there is no memory for that, calls of further methods go into shared sums,
 * atomically, and stay exact. All threads share the histograms. A cell adds FRT_RECENT calls to its histogram at a
 * time and defers all work that depends on the duration until then, because the JVM's memory fence after each
 * native call waits for everything that depends on the stamp.
 */
#include "uprobes/agent/timing.h"
#include "uprobes/agent/lock_free.h"
#include "uprobes/agent/machine/recent.h"

#define UNIT	128u /* of cells: divides the room of each table */
#define LARGEST 17u  /* log2 of the number of cells: twice the number of methods of one recording */
#define BUCKETS (FRT_GROUPS * FRT_GROUP_BUCKETS)
#define FAR	4u /* times the longest duration that a cell knows */

static struct free_list free_cells[LARGEST + 1];

static struct frt_cell *cells_at(uint64_t word)
{
	return control_at(word >> 8);
}

static struct frt_nested *nested_at(uint64_t word)
{
	return (struct frt_nested *)(cells_at(word) + (1ULL << (word & 0xff)));
}

struct frt_nested *timing_nested(const struct frt_slot *s, const struct frt_cell *c)
{
	return nested_at(s->cells) + (c - cells_at(s->cells));
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

/* Allocate a cleared table of 1 << log2 cells. Returns the word for the slot, or 0. */
static uint64_t cells_take(uint32_t log2)
{
	uint64_t size = FRT_CELL_ROOM << log2, used = load_relaxed(&control->cell_used);
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

/*
 * The method's cell in a table, or the free cell that it would get. A quarter of each table is free; but if the
 * table is damaged, the search must still end. Then NULL.
 */
static struct frt_cell *cell_in(uint64_t word, uint32_t method)
{
	uint64_t first = timing_place(word, method) - cells_at(word), last = (1ULL << (word & 0xff)) - 1;

	for (uint64_t i = 0; i <= last; i++) {
		struct frt_cell *c = &cells_at(word)[(first + i) & last];

		if (c->method == method || !c->method)
			return c;
	}
	return NULL;
}

static uint64_t cells_take_next(uint64_t old)
{
	uint32_t log2 = old ? (old & 0xff) + 1 : FRT_CELLS_FIRST_LOG2;

	return log2 > LARGEST ? 0 : cells_take(log2);
}

static void cells_give_back(uint64_t word)
{
	if (word)
		free_list_push(&free_cells[word & 0xff], ((word >> 8) - FRT_CELLS_AT) / UNIT, cells_next);
}

uint64_t timing_room(uint64_t old, uint64_t size)
{
	uint64_t new = cells_take_next(old);

	if (new && old)
		memcpy(control_at(new >> 8), control_at(old >> 8), size);
	if (new)
		cells_give_back(old);
	return new;
}

/* Everything is copied before the slot shows the new table, so a reader sees either the old or the new one. */
static bool cells_grow(struct frt_slot *s)
{
	uint64_t old = s->cells, new = cells_take_next(old);

	if (!new)
		return false;
	for (uint64_t i = 0; old && i < 1ULL << (old & 0xff); i++) {
		const struct frt_cell *c = &cells_at(old)[i];
		struct frt_cell *to = c->method ? cell_in(new, c->method) : NULL;

		if (!to)
			continue;
		*to = *c;
		nested_at(new)[to - cells_at(new)] = nested_at(old)[i];
	}
	store_release(&s->cells, new);
	cells_give_back(old);
	return true;
}

/* A cell for the slot's first call of the method, or NULL. */
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
	c->minimum = UINT64_MAX;
	store_release(&c->method, method);
	return c;
}

struct frt_cell *timing_cell(struct frt_slot *s, uint32_t method)
{
	struct frt_cell *c = s->cells ? cell_in(s->cells, method) : NULL;

	return c && c->method == method ? c : cell_new(s, method);
}

struct frt_sum *timing_shared(uint32_t method)
{
	return (struct frt_sum *)control_at(FRT_SHARED_AT) + method % FRT_TIMED_METHODS;
}

static void atomic_extreme(uint64_t *to, uint64_t value, bool greater)
{
	uint64_t is = load_relaxed(to);

	while ((greater ? value > is : value < is || !is) &&
	       !__atomic_compare_exchange_n(to, &is, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

static void timing_add_shared(uint32_t method, uint64_t duration, bool thrown)
{
	struct frt_sum *sum = timing_shared(method);

	atomic_extreme(&sum->minimum, duration, false);
	atomic_extreme(&sum->maximum, duration, true);
	add_relaxed(&sum->total, duration);
	add_relaxed(&sum->thrown, thrown);
	add_relaxed(&sum->count, 1);
	store_relaxed(&sum->method, method);
}

static uint32_t timing_bucket_of(uint64_t d)
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
	struct frt_histogram *h = (struct frt_histogram *)control_at(FRT_HISTOGRAMS_AT) + method % FRT_TIMED_METHODS;

	return &h->group[bucket / FRT_GROUP_BUCKETS];
}

/* Allocate a missing group of a histogram. Returns false if none is left. */
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
	/* if two threads race, one number stays unused */
	__atomic_compare_exchange_n(group, &none, number + 1, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
	return true;
}

/* True if the histogram now has a group for this bucket. */
static bool group_is_there(uint32_t method, uint32_t bucket)
{
	uint32_t *group = group_number(method, bucket);

	return load_acquire(group) || group_new(group);
}

static uint64_t *bucket_at(uint32_t method, uint32_t bucket)
{
	struct frt_group *g =
		(struct frt_group *)control_at(FRT_GROUPS_AT) + load_acquire(group_number(method, bucket));

	return &g->count[bucket % FRT_GROUP_BUCKETS];
}

/* Add a call that is not deferred. */
static void histogram_add(uint32_t method, uint64_t duration)
{
	uint32_t bucket = timing_bucket_of(duration);

	if (group_is_there(method, bucket))
		add_relaxed(bucket_at(method, bucket), 1);
	else
		add_relaxed(&control->unbucketed, 1);
}

/* Population count; the compiler's own needs a library or a newer processor. */
static inline uint32_t bits_in(uint32_t x)
{
	x -= x >> 1 & 0x55555555;
	x = (x & 0x33333333) + (x >> 2 & 0x33333333);
	return ((x + (x >> 4)) & 0x0f0f0f0f) * 0x01010101 >> 24;
}

/*
 * Add all durations in `recent` to the histogram. Their cache lines are prefetched first, so that the thread waits
 * only once.
 */
static void cell_empty(const struct frt_cell *c)
{
	bucket_vector bucket[BUCKET_VECTORS];
	uint64_t *at[FRT_RECENT];
	uint8_t calls[FRT_RECENT];
	uint32_t buckets = 0, rest;

	buckets_of_recent(c->recent, bucket);
	rest = ~places_of(bucket, 0);
	while (rest) {
		uint16_t next = ((const uint16_t *)bucket)[__builtin_ctz(rest)];
		uint32_t places = places_of(bucket, next);

		rest &= ~places;
		at[buckets] = bucket_at(c->method, next);
		__builtin_prefetch(at[buckets], 1);
		calls[buckets++] = bits_in(places);
	}
	for (uint32_t i = 0; i < buckets; i++)
		add_relaxed(at[i], calls[i]);
}

static uint64_t *cell_total(struct frt_cell *c, uint64_t count)
{
	return &c->total[count / FRT_RECENT % 2];
}

/* The call that takes the last place of `recent`. */
static void cell_count_and_empty(struct frt_cell *c)
{
	cell_empty(c);
	*cell_total(c, c->count + 1) = *cell_total(c, c->count) + sum_of_recent(c->recent);
	/* Pairs with copy_cell(): whoever sees a word of the next FRT_RECENT calls sees this count. */
	store_release(&c->count, c->count + 1);
	order_stores();
}

static void cell_extremes(struct frt_cell *c, uint64_t duration)
{
	if (duration < c->minimum)
		c->minimum = duration;
	if (duration > c->maximum)
		c->maximum = duration;
}

static void cell_add(struct frt_cell *c, bool thrown, uint16_t waiting)
{
	c->recent[c->count % FRT_RECENT] = waiting;
	c->thrown += thrown;
	if (c->count % FRT_RECENT == FRT_RECENT - 1)
		cell_count_and_empty(c);
	else
		store_release(&c->count, c->count + 1);
}

/* The number of durations in the group of this one. The first duration of the group is a multiple of it. */
static uint64_t group_width(uint64_t d)
{
	if (d < 1u << FRT_OCTAVE_LOG2)
		return FRT_GROUP_BUCKETS;
	return (uint64_t)FRT_GROUP_BUCKETS << (63 - __builtin_clzll(d) - FRT_OCTAVE_LOG2);
}

/* True if the histogram has all groups of this range. */
static bool groups_are_there(uint32_t method, uint64_t from, uint64_t end)
{
	for (uint64_t d = from; d < end; d += group_width(d))
		if (!group_is_there(method, timing_bucket_of(d)))
			return false;
	return true;
}

/* Extend the range of durations that the cell knows, up to its extremes. */
static void cell_know(struct frt_cell *c, uint64_t from, uint64_t end)
{
	if (from < c->minimum)
		from = c->minimum;
	if (end > c->maximum + 1)
		end = c->maximum + 1;
	if (!from)
		from = 1; /* 0 is never deferred */
	c->known_from = from;
	c->known = end - from;
}

/*
 * Extend the known range to this duration, which has already been counted as an extreme. Returns false if the
 * duration is far above the range or cannot be deferred. If the known range is far above the duration, it begins
 * anew: short calls are the ones that must be cheap.
 */
static bool cell_learn(struct frt_cell *c, uint64_t duration)
{
	uint64_t from = duration & -group_width(duration), end = from + group_width(duration);
	uint64_t known_from = c->known_from, known_end = known_from + c->known;

	if (duration - known_from < c->known)
		return true;
	if (!duration || duration >= FRT_RECENT_END || !group_is_there(c->method, timing_bucket_of(duration)))
		return false;
	if (c->known && duration >= known_end) {
		if (duration / FAR >= known_end || !groups_are_there(c->method, known_end, end))
			return false;
		from = known_from;
	} else if (c->known && known_from / FAR < end && groups_are_there(c->method, end, known_from)) {
		end = known_end;
	}
	cell_know(c, from, end);
	return true;
}

void timing_add(struct frt_slot *s, uint32_t method, uint64_t duration, bool thrown)
{
	struct frt_cell *c = timing_cell(s, method);

	if (!c) {
		timing_add_shared(method, duration, thrown);
		histogram_add(method, duration);
		return;
	}
	cell_extremes(c, duration);
	if (cell_learn(c, duration)) {
		cell_add(c, thrown, duration);
	} else {
		histogram_add(method, duration);
		*cell_total(c, c->count) += duration;
		cell_add(c, thrown, 0);
	}
}

void timing_slot_begin(struct frt_slot *s)
{
	if (s->cell_count)
		memset(cells_at(s->cells), 0, FRT_CELL_ROOM << (s->cells & 0xff));
	s->cell_count = 0;
}

/* The table does not grow, and a cell's place depends on its method, so the cell stays. */
void timing_slot_forget(struct frt_slot *s, uint32_t recording)
{
	for (uint64_t i = 0; s->cell_count && i < 1ULL << (s->cells & 0xff); i++) {
		struct frt_cell *c = &cells_at(s->cells)[i];
		uint32_t method = c->method;

		if (!method || method / FRT_MAX_METHODS != recording)
			continue;
		memset(c, 0, sizeof(*c));
		*timing_nested(s, c) = (struct frt_nested){0};
		c->minimum = UINT64_MAX;
		store_release(&c->method, method);
	}
}

static void rules_begin(uint32_t recording)
{
	for (uint32_t id = 1; id <= control->methods; id++) /* a hook left by an earlier recording does nothing */
		store_relaxed(control_rule(recording, id), FRT_RULE_UNTRACED);
}

static struct frt_sum *sums_of(uint32_t recording)
{
	return (struct frt_sum *)control_at(FRT_SHARED_AT) + FRT_TIMED_METHOD(recording, 0);
}

static struct frt_histogram *histograms_of(uint32_t recording)
{
	return (struct frt_histogram *)control_at(FRT_HISTOGRAMS_AT) + FRT_TIMED_METHOD(recording, 0);
}

/* The groups stay with their histogram, or a recording that lasts would see later ones use up all of them. */
static void histogram_clear(const struct frt_histogram *h)
{
	struct frt_group *groups = control_at(FRT_GROUPS_AT);

	for (uint32_t i = 0; i < FRT_GROUPS; i++)
		if (h->group[i])
			memset(&groups[h->group[i]], 0, sizeof(struct frt_group));
}

void timing_join(uint32_t recording, const struct frt_config *config)
{
	rules_begin(recording);
	if (config->cell_cap > control->cell_cap)
		control->cell_cap = config->cell_cap;
	if (!control->groups)
		return;
	memset(sums_of(recording), 0, (control->methods + 1ULL) * sizeof(struct frt_sum));
	for (uint32_t id = 1; id <= control->methods; id++)
		histogram_clear(histograms_of(recording) + id);
}

void timing_begin(uint32_t recording, const struct frt_config *config)
{
	uint64_t methods = control->methods + 1;

	rules_begin(recording);
	control->cell_cap = config->cell_cap;
	control->unbucketed = 0;
	if (!control->groups)
		return; /* nothing was ever timed */
	for (uint32_t r = 0; r < FRT_RECORDINGS; r++) {
		memset(sums_of(r), 0, methods * sizeof(struct frt_sum));
		memset(histograms_of(r), 0, methods * sizeof(struct frt_histogram));
	}
	memset(control_at(FRT_GROUPS_AT), 0, (control->groups + 1ULL) * sizeof(struct frt_group));
	control->groups = 0;
}
