// SPDX-License-Identifier: BSD-2-Clause
#include "format/hash.h"
#include "tests/lib/fail_nth.h"
#include "tests/lib/test.h"

#define ROWS 5000u

static uint64_t rows[ROWS + 1]; /* row 0 is none */

static bool row_is(const void *context, uint32_t row)
{
	return rows[row] == *(const uint64_t *)context;
}

/* Hashes, many of them equal. */
static uint64_t hash_of(uint64_t value)
{
	return hash_mix(0, value % 700);
}

static uint32_t find(const struct hash_index *t, uint64_t value)
{
	return hash_find(t, hash_of(value), row_is, &value);
}

CASE(each_row_is_found_also_among_equal_hashes)
{
	struct hash_index t = {0};

	assert_int_equal(find(&t, 3), 0);
	for (uint32_t row = 1; row <= ROWS; row++) {
		rows[row] = row * 3ull;
		assert_int_equal(find(&t, rows[row]), 0);
		assert_int_equal(hash_add(&t, hash_of(rows[row]), row), 0);
	}
	for (uint32_t row = 1; row <= ROWS; row++) {
		assert_int_equal(find(&t, rows[row]), row);
		assert_int_equal(find(&t, rows[row] + 1), 0);
	}
	hash_clear(&t);
	assert_int_equal(find(&t, 3), 0);
	assert_int_equal(hash_add(&t, hash_of(3), 1), 0);
	assert_int_equal(find(&t, 3), 1);
	hash_release(&t);
	assert_int_equal(find(&t, 3), 0);
}

CASE(table_without_memory_keeps_its_rows)
{
	struct hash_index t = {0};
	unsigned int refused = 0;

	fail_nth_or_skip();
	for (uint32_t row = 1; row <= ROWS; row++) {
		rows[row] = row;
		fail_nth(1);
		if (hash_add(&t, hash_of(row), row)) {
			fail_nth(0);
			refused++;
			assert_int_equal(find(&t, row), 0);
			assert_int_equal(hash_add(&t, hash_of(row), row), 0);
		}
		fail_nth(0);
	}
	assert_in_range(refused, 2, 10);
	for (uint32_t row = 1; row <= ROWS; row++)
		assert_int_equal(find(&t, row), row);
	hash_release(&t);
}

#define KEYS 1000u

/* The largest number of keys that share the low 12 bits of their hashes, as in a table of 4,096 slots. */
static unsigned int most_in_a_slot(const uint64_t *keys, uint64_t seed)
{
	unsigned int in_slot[4096] = {0}, most = 0;

	for (unsigned int i = 0; i < KEYS; i++) {
		unsigned int n = ++in_slot[hash_number(seed, keys[i]) & 4095];

		most = n > most ? n : most;
	}
	return most;
}

CASE(keys_chosen_for_one_seed_do_not_degrade_another)
{
	static const uint64_t known = 0x8c3b5d2e91f6a047;
	uint64_t keys[KEYS], seed = hash_seed();
	unsigned int found = 0;

	for (uint64_t key = 1; found < KEYS; key++) {
		if ((hash_number(known, key) & 4095) == 5)
			keys[found++] = key;
	}
	assert_int_equal(most_in_a_slot(keys, known), KEYS);
	assert_int_equal(seed & 1, 1);
	assert_int_equal(hash_seed(), seed);
	assert_in_range(most_in_a_slot(keys, 0x2545f4914f6cdd1d), 1, 20);
	assert_in_range(most_in_a_slot(keys, seed), 1, 100); /* some seeds are less good than others */
}

/* The product of the seed and such keys has no bit set below `shift`. */
CASE(keys_that_differ_only_in_high_bits_are_spread)
{
	static const uint64_t seeds[] = {0x8c3b5d2e91f6a047, 0x2545f4914f6cdd1d, 0xd1342543de82ef95};
	uint64_t keys[KEYS];

	for (unsigned int shift = 0; shift <= 54; shift++) {
		for (unsigned int i = 0; i < KEYS; i++)
			keys[i] = (uint64_t)i << shift;
		for (unsigned int s = 0; s < sizeof(seeds) / sizeof(seeds[0]); s++)
			assert_in_range(most_in_a_slot(keys, seeds[s]), 1, 20);
	}
}
