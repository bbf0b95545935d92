// SPDX-License-Identifier: BSD-2-Clause
/* The cache of words by address, alone and with racing threads. */
#include "uprobes/agent/lock_free.h"
#include "tests/lib/test.h"

#include <pthread.h>

#define SETS_LOG2 3
#define ADDRESSES 256u
#define ROUNDS	  200000u
#define THREADS	  4

static struct cache sets[1u << SETS_LOG2][CACHE_WAYS];
static struct cache_table table = {sets, SETS_LOG2, {0}};

static int setup(void **state)
{
	memset(sets, 0, sizeof(sets));
	table.lock.state = 0;
	return 0;
}

static uint64_t address_of(uint64_t n)
{
	return 0x7f1000000000 + n * 48;
}

CASE(empty_cache_finds_no_address, setup)
{
	uint64_t what;

	assert_false(cache_get(&table, 0, &what));
	assert_false(cache_get(&table, 8, &what));
	assert_false(cache_get(&table, UINT64_MAX, &what));
	assert_false(cache_get(&table, address_of(3), &what));
}

CASE(cached_word_is_found, setup)
{
	uint64_t what;

	cache_put(&table, address_of(1), 11);
	cache_put(&table, address_of(2), 12);
	assert_true(cache_get(&table, address_of(1), &what));
	assert_int_equal(what, 11);
	cache_put(&table, address_of(1), UINT64_MAX);
	assert_true(cache_get(&table, address_of(1), &what));
	assert_int_equal(what, UINT64_MAX);
	assert_true(cache_get(&table, address_of(2), &what));
	assert_int_equal(what, 12);
	assert_false(cache_get(&table, address_of(3), &what));
	assert_false(cache_get(&table, 0, &what));
}

CASE(invalid_address_is_not_cached, setup)
{
	static const uint64_t bad[] = {0, CACHE_BUSY, 1ULL << 48, UINT64_MAX, 1ULL << 48 | 0x7f1000000000};
	uint64_t what;

	for (uint32_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		cache_put(&table, bad[i], 7);
		assert_false(cache_get(&table, bad[i], &what));
	}
	assert_false(cache_get(&table, 0x7f1000000000, &what));
}

/* A set keeps as many words as it has ways; then one is evicted. */
CASE(full_set_evicts_one, setup)
{
	uint64_t same[CACHE_WAYS + 1], what;
	uint32_t n = 0, known = 0;

	for (uint64_t i = 1; n < CACHE_WAYS + 1; i++)
		if (cache_set(address_of(i), SETS_LOG2) == 5)
			same[n++] = address_of(i);
	for (uint32_t i = 0; i < CACHE_WAYS; i++)
		cache_put(&table, same[i], i);
	for (uint32_t i = 0; i < CACHE_WAYS; i++) {
		assert_true(cache_get(&table, same[i], &what));
		assert_int_equal(what, i);
	}
	cache_put(&table, same[CACHE_WAYS], 99);
	assert_true(cache_get(&table, same[CACHE_WAYS], &what));
	assert_int_equal(what, 99);
	for (uint32_t i = 0; i < CACHE_WAYS; i++)
		known += cache_get(&table, same[i], &what);
	assert_int_equal(known, CACHE_WAYS - 1);
}

CASE(versions_wrap_around, setup)
{
	uint64_t what;

	for (uint32_t i = 0; i < 70000; i++) {
		cache_put(&table, address_of(1), i);
		assert_true(cache_get(&table, address_of(1), &what));
		assert_int_equal(what, i);
		assert_false(cache_get(&table, 0, &what));
	}
}

CASE(writer_that_meets_another_gives_up, setup)
{
	uint64_t what;

	assert_true(lock_try(&table.lock));
	cache_put(&table, address_of(1), 1);
	assert_false(cache_get(&table, address_of(1), &what));
	lock_drop(&table.lock);
	cache_put(&table, address_of(1), 1);
	assert_true(cache_get(&table, address_of(1), &what));
}

/* The word contains its address; 0 belongs to nobody and is also looked up. */
static void *race(void *seed)
{
	uint64_t random = (uint64_t)seed, wrong = 0, hits = 0, what;

	for (uint32_t i = 0; i < ROUNDS; i++) {
		uint64_t n = (random = random * 6364136223846793005ULL + 1442695040888963407ULL) >> 33;
		uint64_t address = address_of(n % ADDRESSES);

		if (cache_get(&table, address, &what)) {
			hits++;
			wrong += what >> 8 != address;
		}
		wrong += cache_get(&table, 0, &what);
		if (n % 8 == 0)
			cache_put(&table, address, address << 8 | (n >> 8 & 0xff));
	}
	return (void *)(hits ? wrong : UINT64_MAX);
}

CASE(readers_never_get_the_word_of_another_address, setup)
{
	pthread_t threads[THREADS];
	void *wrong;

	for (uint64_t i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, race, (void *)(i + 1)), 0);
	for (uint64_t i = 0; i < THREADS; i++) {
		assert_int_equal(pthread_join(threads[i], &wrong), 0);
		assert_null(wrong);
	}
}
