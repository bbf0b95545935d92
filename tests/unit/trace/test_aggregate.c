// SPDX-License-Identifier: BSD-2-Clause
#include "user/trace/aggregate.h"
#include "tests/lib/test.h"

#define GROUPS 3000u

static void add(struct aggregate *g, uint64_t first, uint64_t second, int64_t duration)
{
	struct group *group = aggregate_of(g, first, second);

	assert_non_null(group);
	aggregate_add(group, duration, duration < 10);
}

static int compare_totals(const void *a, const void *b)
{
	const struct group *x = a, *y = b;

	return (x->total < y->total) - (x->total > y->total);
}

CASE(groups_are_in_order_of_first_appearance)
{
	struct aggregate g = {0};

	for (unsigned int round = 1; round <= 3; round++) {
		for (uint64_t i = 0; i < GROUPS; i++)
			add(&g, i % 50 << 50, i / 50, round * 5);
	}
	assert_int_equal(g.count, GROUPS);
	for (uint64_t i = 0; i < GROUPS; i++) {
		assert_true(g.group[i].first == i % 50 << 50);
		assert_int_equal(g.group[i].second, i / 50);
		assert_int_equal(g.group[i].count, 3);
		assert_int_equal(g.group[i].thrown, 1);
		assert_int_equal(g.group[i].total, 30);
		assert_int_equal(g.group[i].least, 5);
		assert_int_equal(g.group[i].most, 15);
	}
	aggregate_release(&g);
	assert_int_equal(g.count, 0);
}

CASE(sorting_keeps_names_and_leaves_out_what_was_not_counted)
{
	struct aggregate g = {0};

	add(&g, 1, 0, 100);
	add(&g, 2, 0, 300);
	add(&g, 3, 0, 200);
	aggregate_of(&g, 2, 0)->name = strdup("two");
	aggregate_of(&g, 4, 0)->name = strdup("not counted");
	assert_int_equal(g.count, 4);
	aggregate_sort(&g, compare_totals);
	assert_int_equal(g.count, 3);
	assert_int_equal(g.group[0].first, 2);
	assert_string_equal(g.group[0].name, "two");
	assert_int_equal(g.group[1].first, 3);
	assert_int_equal(g.group[2].first, 1);
	aggregate_release(&g);
	aggregate_sort(&g, compare_totals);
	assert_int_equal(g.count, 0);
}

CASE(a_sum_without_room_stays_at_the_end)
{
	struct aggregate g = {0};

	for (int i = 0; i < 3; i++)
		add(&g, 1, 0, INT64_MAX / 2);
	assert_true(g.group[0].total == INT64_MAX);
	aggregate_release(&g);
}
