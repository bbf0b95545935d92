// SPDX-License-Identifier: BSD-2-Clause
#include "format/vec.h"
#include "tests/lib/fail_nth.h"
#include "tests/lib/test.h"

struct numbers {
	uint64_t *item;
	size_t count, capacity;
};

static int numbers_add(struct numbers *n, uint64_t item)
{
	if (vec_reserve(&n->item, &n->capacity, n->count + 1))
		return -ENOMEM;
	n->item[n->count++] = item;
	return 0;
}

CASE(array_keeps_its_elements_while_it_grows)
{
	struct numbers n = {0};

	for (uint64_t i = 0; i < 100000; i++) {
		assert_int_equal(numbers_add(&n, i * i), 0);
		assert_true(n.count <= n.capacity);
	}
	for (uint64_t i = 0; i < 100000; i++)
		assert_true(n.item[i] == i * i);
	free(n.item);
}

CASE(capacity_doubles_and_memory_moves_rarely)
{
	struct numbers n = {0};
	unsigned int times = 0;

	for (uint64_t i = 0; i < 100000; i++) {
		size_t before = n.capacity;

		assert_int_equal(numbers_add(&n, i), 0);
		times += n.capacity != before;
		assert_true(n.capacity == before || n.capacity >= 2 * before);
	}
	assert_in_range(times, 1, 17);
	free(n.item);
}

CASE(request_within_the_capacity_changes_nothing)
{
	uint32_t *item = NULL;
	size_t capacity = 0, before;
	uint32_t *where;

	assert_int_equal(vec_reserve(&item, &capacity, 0), 0);
	assert_null(item);
	assert_int_equal(vec_reserve(&item, &capacity, 1), 0);
	where = item;
	before = capacity;
	for (size_t count = 0; count <= before; count++)
		assert_int_equal(vec_reserve(&item, &capacity, count), 0);
	assert_ptr_equal(item, where);
	assert_int_equal(capacity, before);
	free(item);
}

CASE(one_request_may_ask_for_many_elements)
{
	struct {
		char bytes[100];
	} *item = NULL;
	size_t capacity = 0;

	assert_int_equal(vec_reserve(&item, &capacity, 12345), 0);
	assert_in_range(capacity, 12345, 2 * 12345);
	item[12344].bytes[99] = 1; /* the sanitizer looks */
	free(item);
}

CASE(elements_of_any_size_have_room)
{
	for (size_t size = 1; size < 300; size++) {
		size_t capacity = 0;
		char *item = NULL;

		assert_int_equal(vec_reserve_size(&item, &capacity, 1, size), 0);
		assert_true(capacity >= 1);
		item[capacity * size - 1] = 1;
		assert_int_equal(vec_reserve_size(&item, &capacity, 1000, size), 0);
		item[1000 * size - 1] = 1;
		free(item);
	}
}

CASE(impossible_counts_are_refused)
{
	static const size_t counts[] = {SIZE_MAX, SIZE_MAX / 2 + 2, SIZE_MAX / sizeof(uint64_t) + 1, SIZE_MAX / 16,
					1ULL << 40};
	struct numbers n = {0};

	assert_int_equal(numbers_add(&n, 7), 0);
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		struct numbers before = n;

		assert_int_equal(vec_reserve(&n.item, &n.capacity, counts[i]), -ENOMEM);
		assert_memory_equal(&n, &before, sizeof(n));
	}
	assert_int_equal(n.item[0], 7);
	free(n.item);
}

CASE(array_without_memory_stays_as_it_was)
{
	struct numbers n = {0};
	unsigned int refused = 0;

	fail_nth_or_skip();
	for (uint64_t i = 0; i < 1000; i++) {
		struct numbers before = n;

		fail_nth(1);
		if (numbers_add(&n, i)) {
			refused++;
			assert_memory_equal(&n, &before, sizeof(n));
			fail_nth(0);
			assert_int_equal(numbers_add(&n, i), 0);
		}
		fail_nth(0);
	}
	assert_in_range(refused, 2, 10);
	for (uint64_t i = 0; i < 1000; i++)
		assert_int_equal(n.item[i], i);
	free(n.item);
}
