// SPDX-License-Identifier: BSD-2-Clause
/*
 * The agent's timing counters compared with sums of the test's own, also with several threads and without memory.
 * The source is included, because its free lists must start empty in each test.
 */
#include "uprobes/agent/timing.c"
#include "uprobes/agent/slot.h"
#include "user/capture/timing.h"
#include "tests/lib/new_control.h"

#include <pthread.h>

#define THREADS 8
#define METHODS 3000
#define CALLS	200000

static struct frt_config config = {.cell_cap = FRT_CELLS_SIZE};

static struct timings sums;

static int setup(void **state)
{
	timings_release(&sums);
	if (!new_control())
		return -1;
	memset(free_cells, 0, sizeof(free_cells));
	control->epoch = 1;
	control->recording[0].founder = 1;
	control->methods = METHODS;
	control->slots = THREADS;
	for (uint32_t i = 0; i < THREADS; i++)
		control_slot(i)->epoch = 1;
	timing_begin(0, &config);
	return 0;
}

/* Does what a hook does. */
static void call(struct frt_slot *s, uint32_t method, uint64_t duration, bool thrown)
{
	timing_count(s, method, duration, thrown);
}

static const struct frt_sum *shared(uint32_t method)
{
	return (const struct frt_sum *)control_at(FRT_SHARED_AT) + method;
}

/* Does what the collector does. */
static void read_sums(void)
{
	struct segment segment = {.fd = -1, .base = (char *)control};

	timings_read(&sums, &segment);
}

static struct timing sum(uint32_t method)
{
	read_sums();
	return sums.of[method];
}

/* In the sums read last: calls with a bucket, including deferred ones. */
static uint64_t in_histogram(uint32_t method)
{
	const struct frt_histogram *h = (const struct frt_histogram *)control_at(FRT_HISTOGRAMS_AT) + method;
	const struct frt_group *groups = control_at(FRT_GROUPS_AT);
	uint64_t n = 0;

	for (uint32_t g = 0; g < FRT_GROUPS; g++)
		for (uint32_t b = 0; h->group[g] && b < FRT_GROUP_BUCKETS; b++)
			n += groups[h->group[g]].count[b];
	for (uint32_t i = sums.of[method].recent; i; i = sums.recent[i].next)
		n += sums.recent[i].buckets;
	return n;
}

CASE(calls_are_counted_and_summed, setup)
{
	struct frt_slot *s = control_slot(0);
	struct timing c;

	call(s, 7, 100, false);
	call(s, 7, 40, true);
	call(s, 7, 260, false);
	call(s, 8, 1, false);
	c = sum(7);
	assert_int_equal(c.count, 3);
	assert_int_equal(c.thrown, 1);
	assert_int_equal(c.total, 400);
	assert_int_equal(c.minimum, 40);
	assert_int_equal(c.maximum, 260);
	assert_int_equal(sum(8).count, 1);
	assert_int_equal(sum(9).count, 0);
	assert_int_equal(shared(7)->count, 0);
}

static uint64_t counted[THREADS][METHODS + 1], added[THREADS][METHODS + 1];

static void *count_away(void *number)
{
	uint64_t t = (uint64_t)number, random = t + 1;

	for (int i = 0; i < CALLS; i++) {
		uint32_t method;

		random = random * 6364136223846793005ULL + 1442695040888963407ULL;
		method = 1 + (random >> 33) % METHODS;
		call(control_slot(t), method, random >> 50, false);
		counted[t][method]++;
		added[t][method] += random >> 50;
	}
	return NULL;
}

static void count_with_threads(void)
{
	pthread_t thread[THREADS];

	memset(counted, 0, sizeof(counted));
	memset(added, 0, sizeof(added));
	for (uint64_t t = 0; t < THREADS; t++)
		pthread_create(&thread[t], NULL, count_away, (void *)t);
	for (int t = 0; t < THREADS; t++)
		pthread_join(thread[t], NULL);
}

static void assert_all_are_exact(void)
{
	read_sums();
	for (uint32_t m = 1; m <= METHODS; m++) {
		struct timing c = sums.of[m];
		uint64_t count = 0, total = 0;

		for (int t = 0; t < THREADS; t++) {
			count += counted[t][m];
			total += added[t][m];
		}
		assert_int_equal(c.count, count);
		assert_int_equal(c.total, total);
		assert_int_equal(in_histogram(m), count);
	}
	assert_int_equal(control->unbucketed, 0);
}

CASE(threads_count_thousands_of_methods_exactly, setup)
{
	count_with_threads();
	assert_all_are_exact();
	assert_int_equal(shared(1)->count, 0);
}

CASE(without_memory_for_cells_shared_sums_are_exact, setup)
{
	control->cell_used = FRT_CELLS_SIZE - (64u << 10);
	count_with_threads();
	assert_all_are_exact();
	assert_true(control->cell_used <= FRT_CELLS_SIZE);
	assert_int_not_equal(shared(1)->count + shared(2)->count + shared(3)->count, 0);
}

/* The bounds of the bucket of a duration, found through the position of the single call. */
static void bucket_bounds(uint64_t d, uint64_t *low, uint64_t *high)
{
	const struct frt_histogram *h = (const struct frt_histogram *)control_at(FRT_HISTOGRAMS_AT) + 1;
	struct frt_group *groups = control_at(FRT_GROUPS_AT);
	uint64_t bucket = UINT64_MAX, e;

	for (uint32_t g = 0; g < FRT_GROUPS; g++)
		if (h->group[g])
			memset(groups[h->group[g]].count, 0, sizeof(groups[0].count));
	for (uint32_t i = 0; i < FRT_RECENT; i++)
		call(control_slot(0), 1, d, false);
	for (uint32_t g = 0; g < FRT_GROUPS; g++)
		for (uint32_t b = 0; h->group[g] && b < FRT_GROUP_BUCKETS; b++)
			if (groups[h->group[g]].count[b])
				bucket = g * FRT_GROUP_BUCKETS + b;
	*low = *high = bucket;
	if (bucket >= 32) {
		e = bucket / 32 - 1;
		*low = (32 + bucket % 32) << e;
		*high = *low + (1ULL << e) - 1;
	}
}

CASE(buckets_are_narrow_and_contain_their_durations, setup)
{
	uint64_t random = 1, low, high;

	for (int i = 0; i < 3000; i++) {
		uint64_t d;

		random = random * 6364136223846793005ULL + 1442695040888963407ULL;
		d = random >> (14 + random % 50);
		bucket_bounds(d, &low, &high);
		assert_true(low <= d && d <= high);
		assert_true((high - low) * 32 <= low);
	}
}

static int compare(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

CASE(percentiles_are_those_of_a_sorted_list, setup)
{
	static const double part[TIMING_PERCENTILES] = {.5, .9, .99};
	struct segment segment = {.fd = -1, .base = (char *)control};
	static uint64_t list[10000];
	uint64_t random = 7, got[TIMING_PERCENTILES];
	struct timing t;

	for (int i = 0; i < 10000; i++) {
		random = random * 6364136223846793005ULL + 1442695040888963407ULL;
		list[i] = 50 + (random >> (30 + random % 20));
		call(control_slot(i % THREADS), 5, list[i], false);
	}
	qsort(list, 10000, sizeof(list[0]), compare);
	t = sum(5);
	assert_int_equal(t.minimum, list[0]);
	assert_int_equal(t.maximum, list[9999]);
	assert_true(timing_percentiles(&segment, &sums, 5, got));
	for (int i = 0; i < TIMING_PERCENTILES; i++) {
		double right = list[(int)(part[i] * 10000) - 1];

		assert_true(got[i] > right * .97 && got[i] < right * 1.03);
	}
	assert_false(timing_percentiles(&segment, &sums, 6, got));
}

/* Any number of calls; the last ones are still in the cell. */
CASE(deferred_calls_count, setup)
{
	struct segment segment = {.fd = -1, .base = (char *)control};
	uint64_t got[TIMING_PERCENTILES];

	for (uint32_t n = 1; n < 4 * FRT_RECENT; n++) {
		call(control_slot(0), 5, n <= 60 ? 1000 : 1ULL << 40, false);
		assert_int_equal(sum(5).count, n);
		assert_int_equal(in_histogram(5), n);
		assert_true(timing_percentiles(&segment, &sums, 5, got));
		assert_in_range(got[TIMING_P50], 1000, n <= 120 ? 1015 : 1ULL << 40);
		assert_true(n <= 60 || got[TIMING_P99] == 1ULL << 40);
	}
}

CASE(short_calls_are_deferred_even_after_long_ones, setup)
{
	struct frt_slot *s = control_slot(0);

	call(s, 5, 30000, false);
	call(s, 5, 100, false);
	for (uint32_t n = 3; n < 10 * FRT_RECENT; n++)
		if (n % FRT_RECENT)
			assert_true(timing_wait(s, 5, 100));
		else
			timing_add(s, 5, 100, false);
	call(s, 5, 300, false);
	call(s, 5, 30000, false);
	assert_true(timing_wait(s, 5, 290));
	assert_false(timing_wait(s, 5, 99));
	assert_false(timing_wait(s, 5, 320));
	assert_int_equal(sum(5).minimum, 100);
	assert_int_equal(sum(5).maximum, 30000);
}

CASE(calls_of_all_lengths_count, setup)
{
	uint64_t random = 3, total = 0, minimum = UINT64_MAX, maximum = 0;

	for (uint32_t n = 1; n < 600; n++) {
		struct timing t;
		uint64_t d;

		random = random * 6364136223846793005ULL + 1442695040888963407ULL;
		d = random >> (24 + (random >> 8) % 40);
		total += d;
		minimum = d < minimum ? d : minimum;
		maximum = d > maximum ? d : maximum;
		call(control_slot(0), 5, d, false);
		t = sum(5);
		assert_int_equal(t.count, n);
		assert_int_equal(t.total, total);
		assert_int_equal(t.minimum, minimum);
		assert_int_equal(t.maximum, maximum);
		assert_int_equal(in_histogram(5), n);
	}
	assert_int_equal(minimum, 0);
}

/* A thread may end between any two stores; the total that is not selected does not matter. */
CASE(total_and_count_change_together, setup)
{
	struct frt_slot *s = control_slot(0);

	for (uint32_t n = 1; n < 3 * FRT_RECENT; n++) {
		struct frt_cell *c;

		call(s, 1, 1000 + n, false);
		c = timing_place(s->cells, 1);
		c->total[(n / FRT_RECENT + 1) % 2] = 77;
		assert_int_equal(sum(1).total, 1000 * n + n * (n + 1) / 2);
	}
}

CASE(bucket_without_a_group_adds_no_call_to_another, setup)
{
	struct segment segment = {.fd = -1, .base = (char *)control};
	uint64_t got[TIMING_PERCENTILES];

	call(control_slot(0), 1, 100, false);
	control->groups = FRT_MAX_GROUPS - 1;
	for (uint32_t i = 1; i < 2 * FRT_RECENT - 2; i++)
		call(control_slot(0), 1, i % 2 ? 1000000 : 100, false);
	assert_int_equal(sum(1).count, 2 * FRT_RECENT - 2);
	assert_int_equal(control->unbucketed, FRT_RECENT - 1);
	assert_true(timing_percentiles(&segment, &sums, 1, got));
	assert_in_range(got[TIMING_P99], 100, 103);
}

static struct frt_group seen[FRT_MAX_GROUPS];

CASE(percentiles_since_the_last_read_cover_only_new_calls, setup)
{
	struct segment segment = {.fd = -1, .base = (char *)control};
	uint64_t got[TIMING_PERCENTILES], longest = 0;

	memset(seen, 0, sizeof(seen));
	for (int i = 0; i < 1000; i++)
		call(control_slot(0), 5, 1000000, false);
	read_sums();
	assert_true(timing_percentiles_since(&segment, &sums, 5, seen, got, &longest));
	assert_int_equal(longest, 1000000);
	assert_false(timing_percentiles_since(&segment, &sums, 5, seen, got, &longest));
	for (int i = 0; i < 100; i++)
		call(control_slot(0), 5, i < 60 ? 2000 : 7000, false);
	call(control_slot(0), 6, 1 << 20, false);
	read_sums();
	assert_true(timing_percentiles_since(&segment, &sums, 5, seen, got, &longest));
	assert_in_range(got[TIMING_P50], 2000 * .97, 2000 * 1.03);
	assert_in_range(got[TIMING_P99], 7000 * .97, 7000 * 1.03);
	assert_in_range(longest, 7000, 7000 * 1.032);
	assert_true(timing_percentiles(&segment, &sums, 5, got));
	assert_in_range(got[TIMING_P50], 1000000 * .97, 1000000);
}

/* No duration exceeds the value reported as the longest, which is at most 3.1 % too large. */
CASE(longest_is_never_underestimated, setup)
{
	struct segment segment = {.fd = -1, .base = (char *)control};
	uint64_t got[TIMING_PERCENTILES], longest = 0, random = 1;

	memset(seen, 0, sizeof(seen));
	for (int i = 0; i < 2000; i++) {
		uint64_t d;

		random = random * 6364136223846793005ULL + 1442695040888963407ULL;
		d = random >> (14 + random % 50);
		call(control_slot(0), 1, d, false);
		read_sums();
		assert_true(timing_percentiles_since(&segment, &sums, 1, seen, got, &longest));
		assert_true(longest >= d && longest - d <= d / 32);
	}
}

CASE(without_groups_calls_are_still_counted, setup)
{
	control->groups = FRT_MAX_GROUPS - 1;
	call(control_slot(0), 1, 100, false);
	call(control_slot(0), 1, 100000, false);
	assert_int_equal(control->unbucketed, 2);
	assert_int_equal(sum(1).count, 2);
}

CASE(next_recording_begins_empty, setup)
{
	count_with_threads();
	timing_begin(0, &config);
	for (uint32_t i = 0; i < THREADS; i++)
		timing_slot_begin(control_slot(i));
	read_sums();
	for (uint32_t m = 1; m <= METHODS; m++)
		assert_int_equal(sums.of[m].count + in_histogram(m), 0);
	count_with_threads();
	assert_all_are_exact();
}

CASE(search_of_a_full_table_ends, setup)
{
	struct frt_slot *s = control_slot(0);
	struct frt_cell *cell;

	call(s, 1, 10, false);
	cell = control_at(s->cells >> 8);
	for (uint32_t i = 0; i < 1u << FRT_CELLS_FIRST_LOG2; i++)
		cell[i].method = 100 + i;
	call(s, 7, 10, false);
	assert_int_equal(shared(7)->count, 1);
}

CASE(rules_last_for_one_recording, setup)
{
	struct segment segment = {.fd = -1, .base = (char *)control};

	*control_rule(0, 3) = FRT_RULE_UNTRACED | FRT_RULE_TIMED;
	*control_rule(0, 4) = FRT_RULE_UNTRACED;
	*control_rule(0, 5) = FRT_RULE_TIMED | FRT_RULE_SILENT;
	assert_false(timing_is_wanted(&segment, 5));
	assert_true(timing_is_silent(&segment, 5));
	assert_false(timing_is_silent(&segment, 3));
	assert_true(timing_is_wanted(&segment, 3));
	assert_false(timing_is_wanted(&segment, 4));
	assert_false(timing_is_wanted(&segment, FRT_MAX_METHODS));
	timing_begin(0, &config);
	assert_false(timing_is_wanted(&segment, 3));
	assert_int_equal(*control_rule(0, 3), FRT_RULE_UNTRACED);
}

/* Give slots cells for a power of two, all at the same place. */
static void forge_slots(uint32_t slots, uint32_t log2)
{
	control->slots = slots;
	for (uint32_t i = 0; i < slots; i++) {
		control_slot(i)->epoch = 1;
		control_slot(i)->cells = (uint64_t)FRT_CELLS_AT << 8 | log2;
	}
}

CASE(cells_shared_by_many_slots_are_rejected_as_forged, setup)
{
	struct frt_cell *cell = control_at(FRT_CELLS_AT);

	*cell = (struct frt_cell){.method = 7, .count = FRT_RECENT, .total = {0, 100}};
	forge_slots(FRT_MAX_SLOTS, 16);
	assert_int_equal(sum(7).count, 3 * FRT_RECENT); /* three tables of this size fit into the address space */
	assert_true(sums.forged);
	forge_slots(2, 16);
	assert_int_equal(sum(7).count, 2 * FRT_RECENT);
	assert_false(sums.forged);
}
