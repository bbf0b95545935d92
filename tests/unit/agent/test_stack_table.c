// SPDX-License-Identifier: BSD-2-Clause
/*
 * The table of interned stacks: alone, and with many threads that intern while the collector's own reader
 * (user/stacks/agent_stacks.h) reads. The source is included, because its index must start empty in each test.
 */
#include "uprobes/agent/stack_table.c"
#include "user/stacks/agent_stacks.h"
#include "tests/lib/new_control.h"

#include <pthread.h>
#include <sched.h>

#define THREADS	 4u
#define STACKS	 20000u /* per thread and round: in total more than there are rows */
#define ROUNDS	 2u
#define RESERVED 500000u /* per thread */

static void set_capacity(uint32_t frames)
{
	stack_table_begin(frames);
	stack_table_join(0);
}

static int setup(void **state)
{
	if (!new_control())
		return -1;
	memset(known, 0, sizeof(known));
	set_capacity(FRT_STACK_FRAMES);
	return 0;
}

static uint64_t hash_of(uint64_t n)
{
	n = (n + 1) * 0x9e3779b97f4a7c15ULL;
	return (n ^ n >> 29) * 0xbf58476d1ce4e5b9ULL;
}

static uint32_t depth_of(uint32_t n)
{
	return n % 37;
}

static uint64_t frame_of(uint32_t n, uint32_t i)
{
	return hash_of((uint64_t)n << 32 | i);
}

static uint32_t intern(uint32_t n)
{
	struct frt_stack row = {.hash = hash_of(n), .count = depth_of(n), .end = n % FRT_WALK_ENDS};
	uint32_t id = stack_table_reserve(row.count, &row.first);

	if (id == FRT_STACK_LOST)
		return id;
	for (uint32_t i = 0; i < row.count; i++)
		*stack_table_frame(row.first, i) =
			(struct frt_frame){.code = n, .at = frame_of(n, i), .cookie = i, .kind = FRT_FRAME_COMPILED};
	stack_table_publish(id, &row);
	return id;
}

static uint32_t find_or_intern(uint32_t n)
{
	uint32_t id = stack_table_find(hash_of(n));

	return id ? id : intern(n);
}

/* Store what the collector stores after reading everything. */
static void read_all(void)
{
	control->recording[0].stack_done = control->stack_next;
}

CASE(stack_is_found_by_its_hash, setup)
{
	assert_int_equal(stack_table_find(hash_of(1)), 0);
	assert_int_equal(intern(1), 1);
	assert_int_equal(intern(2), 2);
	assert_int_equal(stack_table_find(hash_of(1)), 1);
	assert_int_equal(stack_table_find(hash_of(2)), 2);
	assert_int_equal(stack_table_find(hash_of(1) ^ 1ULL << 40), 0); /* the same half and the same set */
	assert_int_equal(stack_table_find(hash_of(1) ^ 1), 0);
	assert_int_equal(stack_table_find(0), 0);
}

CASE(unpublished_stack_is_not_found, setup)
{
	struct frt_stack row = {.hash = hash_of(1), .count = 3};
	uint32_t id = stack_table_reserve(3, &row.first);

	assert_int_equal(stack_table_find(row.hash), 0);
	stack_table_publish(id, &row);
	assert_int_equal(stack_table_find(row.hash), id);
}

CASE(stack_without_a_hash_takes_no_place_in_the_index, setup)
{
	struct frt_stack row = {.hash = 0};

	table_index_add(5, intern(5)); /* in the set that 0 is in */
	table_row_of(1)->hash = 5;
	for (uint32_t i = 0; i < 2 * WAYS; i++) {
		uint32_t id = stack_table_reserve(0, &row.first);

		stack_table_publish(id, &row);
	}
	assert_int_equal(stack_table_find(5), 1);
	assert_int_equal(stack_table_find(0), 0);
}

CASE(full_set_evicts_the_oldest, setup)
{
	for (uint64_t i = 0; i < WAYS + 1; i++) {
		struct frt_stack row = {.hash = 7ULL << 52 | (i + 1)};
		uint32_t id = stack_table_reserve(0, &row.first);

		stack_table_publish(id, &row);
	}
	assert_int_equal(stack_table_find(7ULL << 52 | 1), 0);
	for (uint64_t i = 1; i < WAYS + 1; i++)
		assert_int_equal(stack_table_find(7ULL << 52 | (i + 1)), i + 1);
}

CASE(old_stack_gets_a_new_id, setup)
{
	uint32_t first = intern(0), last;

	for (uint32_t n = 1; n < FRT_STACK_LIVE; n++) {
		intern(n);
		read_all();
	}
	assert_int_equal(stack_table_find(hash_of(0)), first);
	intern(FRT_STACK_LIVE);
	assert_int_equal(stack_table_find(hash_of(0)), 0);
	last = intern(0);
	assert_int_equal(last, FRT_STACK_LIVE + 2);
	assert_int_equal(stack_table_find(hash_of(0)), last);
}

CASE(capacity_is_what_the_collector_has_read, setup)
{
	uint32_t first;

	set_capacity(128);
	assert_int_equal(stack_table_reserve(60, &first), 1);
	assert_int_equal(first, 0);
	assert_int_equal(stack_table_reserve(69, &first), FRT_STACK_LOST);
	assert_int_equal(stack_table_reserve(68, &first), 2);
	assert_int_equal(first, 60);
	assert_int_equal(stack_table_reserve(1, &first), FRT_STACK_LOST);
	assert_int_equal(stack_table_reserve(0, &first), 3);
	assert_int_equal(control->stacks_lost, 2);
	control->recording[0].stack_done = 2ULL << 32 | 60;
	assert_int_equal(stack_table_reserve(60, &first), 4);
	assert_int_equal(first, 128);
	assert_ptr_equal(stack_table_frame(first, 3), stack_table_frame(0, 3));
	assert_int_equal(stack_table_reserve(1, &first), FRT_STACK_LOST);
}

CASE(capacity_never_exceeds_the_table, setup)
{
	uint32_t first;

	set_capacity(UINT32_MAX);
	assert_int_equal(stack_table_reserve(FRT_STACK_FRAMES, &first), 1);
	assert_int_equal(stack_table_reserve(1, &first), FRT_STACK_LOST);
	for (uint32_t i = 2; i < FRT_STACKS - 1; i++)
		assert_int_equal(stack_table_reserve(0, &first), i);
	assert_int_equal(stack_table_reserve(0, &first), FRT_STACK_LOST);
}

CASE(ids_wrap_around_and_skip_reserved_values, setup)
{
	uint64_t just_before = 0xfffffffbULL << 32 | 0xfffffff0;
	uint32_t id, ids[] = {0xfffffffb, 0xfffffffc, 0xfffffffd, 1, 2};

	control->stack_next = control->recording[0].stack_done = just_before;
	for (uint32_t i = 0; i < 5; i++) {
		id = intern(10 + i);
		assert_int_equal(id, ids[i]);
		for (uint32_t k = 0; k <= i; k++)
			assert_int_equal(stack_table_find(hash_of(10 + k)), ids[k]);
	}
	assert_int_equal((uint32_t)control->stack_next, 0xfffffff0 + 10 + 11 + 12 + 13 + 14);
}

/* The collector's side of the race. Each frame identifies its stack. */
static uint32_t content[THREADS * STACKS * (ROUNDS + 1)]; /* by id: n + 1 */
static uint32_t writers, torn;
static uint64_t complete;

static void on_stack(void *context, const struct stack *s)
{
	uint32_t n = s->count ? s->frame[0].code : 0;

	complete++;
	for (uint32_t i = 0; i < s->count; i++)
		if (s->count != depth_of(n) || s->frame[i].code != n || s->frame[i].at != frame_of(n, i) ||
		    s->frame[i].cookie != i || s->end != n % FRT_WALK_ENDS)
			torn++;
	content[s->id] = s->count ? n + 1 : 0;
}

static void *collect(void *context)
{
	struct segment segment = {.base = (char *)control};
	static struct stacks stacks;
	bool last;

	stacks.segment = &segment;
	stacks.id = 1;
	do {
		last = !load_acquire(&writers);
		stacks_read(&stacks, last, on_stack, NULL);
		sched_yield();
	} while (!last);
	return (void *)stacks.given_up;
}

struct writer {
	uint32_t number, lost;
	uint32_t ids[ROUNDS][STACKS];
};

static void *write_stacks(void *context)
{
	struct writer *w = context;

	for (uint32_t round = 0; round < ROUNDS; round++) {
		for (uint32_t i = 0; i < STACKS; i++) {
			uint32_t n = w->number * STACKS + i, id;

			while ((id = find_or_intern(n)) == FRT_STACK_LOST) {
				w->lost++;
				sched_yield();
			}
			w->ids[round][i] = id;
		}
	}
	__atomic_sub_fetch(&writers, 1, __ATOMIC_RELEASE);
	return NULL;
}

CASE(threads_and_the_collector_never_tear_a_stack, setup)
{
	static struct writer w[THREADS];
	pthread_t threads[THREADS], collector;
	uint32_t lost = 0;
	void *given_up;

	writers = THREADS;
	for (uint32_t i = 0; i < THREADS; i++) {
		w[i].number = i;
		assert_int_equal(pthread_create(&threads[i], NULL, write_stacks, &w[i]), 0);
	}
	assert_int_equal(pthread_create(&collector, NULL, collect, NULL), 0);
	for (uint32_t i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	pthread_join(collector, &given_up);
	assert_null(given_up);
	assert_int_equal(torn, 0);
	assert_true(complete > FRT_STACKS); /* the rows were used twice */
	assert_int_equal(complete, (control->stack_next >> 32) - 1);
	for (uint32_t t = 0; t < THREADS; t++) {
		lost += w[t].lost;
		for (uint32_t round = 0; round < ROUNDS; round++)
			for (uint32_t i = 0; i < STACKS; i++) {
				uint32_t id = w[t].ids[round][i], n = t * STACKS + i;

				assert_int_equal(content[id], depth_of(n) ? n + 1 : 0);
			}
	}
	assert_int_equal(lost, control->stacks_lost);
}

static void *read_at_once(void *context)
{
	while (load_acquire(&writers))
		store_release(&control->recording[0].stack_done, load_acquire(&control->stack_next));
	return NULL;
}

/* Other threads add fewer than the other half before this one reserves. */
static bool is_half_full(void)
{
	uint32_t done = load_acquire(&control->recording[0].stack_done) >> 32;

	return (uint32_t)(load_acquire(&control->stack_next) >> 32) - done > FRT_STACKS / 2;
}

static void *reserve_stacks(void *lost)
{
	uint32_t first;

	for (uint32_t i = 0; i < RESERVED; i++) {
		while (is_half_full())
			sched_yield();
		if (stack_table_reserve(1, &first) == FRT_STACK_LOST)
			++*(uint32_t *)lost;
	}
	__atomic_sub_fetch(&writers, 1, __ATOMIC_RELEASE);
	return NULL;
}

/* The collector may get past what a thread has read of stack_next: the table is not full then. */
CASE(table_that_is_read_at_once_is_never_full, setup)
{
	pthread_t threads[THREADS], collector;
	uint32_t lost[THREADS] = {0};

	writers = THREADS;
	assert_int_equal(pthread_create(&collector, NULL, read_at_once, NULL), 0);
	for (uint32_t i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, reserve_stacks, &lost[i]), 0);
	for (uint32_t i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	pthread_join(collector, NULL);
	for (uint32_t i = 0; i < THREADS; i++)
		assert_int_equal(lost[i], 0);
	assert_int_equal(control->stacks_lost, 0);
}

CASE(stacks_of_an_earlier_recording_are_unknown, setup)
{
	uint32_t id = intern(5);

	assert_int_equal(stack_table_find(hash_of(5)), id);
	stack_table_begin(FRT_STACK_FRAMES);
	stack_table_join(0);
	assert_int_equal(stack_table_find(hash_of(5)), 0);
	assert_int_equal(intern(5), id + 1);
}
