// SPDX-License-Identifier: BSD-2-Clause
/*
 * A row goes from free to held, waiting, running and back to free. Its state is one word with the handle, so whoever
 * changes it knows that the row is still that task's. The Java code of task_class.c asks for the rows with the object's hash,
 * oldest first, and compares the objects.
 *
 * Rows are found by buckets of one cache line. The first that a task tries is one of few, which stay in the cache while few
 * tasks wait. One that finds it full goes into one of many, or beside that, and is counted in those that were full, so that
 * usually only one or two are looked at.
 *
 * Hashes in doubt are bits of two sets. The younger one gets them; the older one is emptied when it takes its place.
 */
#include "uprobes/agent/tasks/task_rows.h"
#include "uprobes/agent/lock_free.h"
#include "uprobes/agent/sys.h"
#include "uprobes/agent/tasks/task_others.h"

#define FEW_LOG2     8
#define FEW	     (1u << FEW_LOG2)
#define MANY_LOG2    12
#define MANY	     (1u << MANY_LOG2)
#define BUCKET	     8u
#define BUCKETS_NEAR 8u	   /* in which a row may be */
#define ROWS_NEAR    2048u /* that are tried for a new task */

#define DOUBTS_LOG2 20

struct task_row task_rows[TASK_ROWS];

/* hash << 32 | row + 1; 0: free. The few buckets come first. */
static uint64_t words[(FEW + MANY) * BUCKET] __attribute__((aligned(64)));
static uint32_t beyond_few[FEW], beyond_many[MANY]; /* tasks that found that bucket full */

static uint64_t doubts[2][(1u << DOUBTS_LOG2) / 64];
static bool doubts_set[2];
static uint32_t young; /* number of the younger set */

static uint64_t row_state_of(uint64_t handle, enum row_state state)
{
	return handle << 2 | state;
}

/* 48 bits of the time, in 16 ticks, so that handles rise for 69 days. */
static uint64_t handle_of(uint64_t tsc, uint32_t row)
{
	return (tsc >> 4 & ((1ULL << 46) - 1)) << TASK_ROWS_LOG2 | row;
}

static uint32_t task_few_of(uint32_t hash)
{
	return hash * 2654435769u >> (32 - FEW_LOG2);
}

static uint32_t task_many_of(uint32_t hash)
{
	return hash * 2654435769u >> (32 - MANY_LOG2);
}

/* The bucket that is the n-th to try. */
static uint32_t task_bucket(uint32_t hash, uint32_t n)
{
	return n ? FEW + (task_many_of(hash) + n - 1) % MANY : task_few_of(hash);
}

/* The task is in the n-th bucket, or goes there: before it can be found there. */
static void task_count_beyond(uint32_t hash, uint32_t n, uint32_t change)
{
	if (n > 0)
		__atomic_fetch_add(&beyond_few[task_few_of(hash)], change, __ATOMIC_SEQ_CST);
	if (n > 1)
		__atomic_fetch_add(&beyond_many[task_many_of(hash)], change, __ATOMIC_SEQ_CST);
}

/* The buckets in which it may be, from the first on. */
static uint32_t task_buckets_near(uint32_t hash)
{
	if (!__atomic_load_n(&beyond_few[task_few_of(hash)], __ATOMIC_SEQ_CST))
		return 1;
	return __atomic_load_n(&beyond_many[task_many_of(hash)], __ATOMIC_SEQ_CST) ? BUCKETS_NEAR : 2;
}

static bool task_words_put(uint32_t row, uint32_t hash)
{
	for (uint32_t n = 0; n < BUCKETS_NEAR; n++) {
		uint32_t first = task_bucket(hash, n) * BUCKET;

		task_count_beyond(hash, n, 1);
		for (uint32_t i = first; i < first + BUCKET; i++) {
			uint64_t vacant = 0;

			task_rows[row].word = i;
			if (!load_relaxed(&words[i]) &&
			    __atomic_compare_exchange_n(&words[i], &vacant, (uint64_t)hash << 32 | (row + 1), false,
							__ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
				return true;
		}
		task_count_beyond(hash, n, -1);
	}
	return false;
}

static void task_words_remove(const struct task_row *row)
{
	uint32_t bucket = row->word / BUCKET;

	store_release(&words[row->word], 0);
	task_count_beyond(row->hash, bucket < FEW ? 0 : bucket == task_bucket(row->hash, 1) ? 1 : 2, -1);
}

int64_t task_row_hold(uint32_t first, uint32_t *next)
{
	for (uint32_t i = 0; i < ROWS_NEAR; i++, ++*next) {
		uint32_t row = (first + *next) % TASK_ROWS;
		uint64_t vacant = 0;

		if (!load_relaxed(&task_rows[row].state) &&
		    __atomic_compare_exchange_n(&task_rows[row].state, &vacant, ROW_HELD, false, __ATOMIC_ACQUIRE,
						__ATOMIC_RELAXED)) {
			store_relaxed(&task_rows[row].doubt, false);
			return row;
		}
	}
	return -1;
}

void task_row_release(struct task_row *row)
{
	store_release(&row->state, 0);
}

uint64_t task_row_put(struct task_row *row, uint32_t hash)
{
	uint32_t at = row - task_rows;
	uint64_t handle = handle_of(row->submitted, at);
	bool again = row->again;

	row->hash = hash;
	if (!task_words_put(at, hash)) {
		task_hash_doubt(hash);
		return 0;
	}
	__atomic_fetch_add(&inside_busy, 1, __ATOMIC_SEQ_CST);
	if (!again) {
		store_release(&row->state, row_state_of(handle, ROW_WAITS));
		return handle;
	}
	__atomic_store_n(&row->state, row_state_of(handle, ROW_WAITS), __ATOMIC_SEQ_CST);
	/*
	 * Code outside of calls looks for rows after it has told of its object, so one of both sees the other. By now another
	 * task may have the row: it gets a wrong handle at most, and is lost.
	 */
	if (!task_other_waits(hash))
		store_release(&row->alone, handle);
	return handle;
}

uint64_t task_row_run(struct task_row *row)
{
	uint64_t handle = handle_of(row->submitted, row - task_rows);

	store_release(&row->state, row_state_of(handle, ROW_RUNS));
	return handle;
}

bool task_row_change(uint64_t handle, enum row_state from, enum row_state to)
{
	struct task_row *row = task_row_of(handle);
	uint64_t state = row_state_of(handle, from);

	if (!__atomic_compare_exchange_n(&row->state, &state, to == ROW_FREE ? 0 : row_state_of(handle, to), false,
					 __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
		return false;
	if (from == ROW_WAITS) {
		task_words_remove(row);
		__atomic_fetch_sub(&inside_busy, 1, __ATOMIC_SEQ_CST);
	}
	return true;
}

/* ---- by hash */

uint64_t task_row_find(uint32_t hash, uint64_t after)
{
	uint32_t near = task_buckets_near(hash);
	uint64_t best = 0;

	for (uint32_t n = 0; n < near; n++) {
		const uint64_t *word = &words[task_bucket(hash, n) * BUCKET];

		for (uint32_t i = 0; i < BUCKET; i++) {
			uint64_t w = load_acquire(&word[i]), state;

			if (!w || w >> 32 != hash)
				continue;
			state = load_acquire(&task_rows[TASK_ROW(w - 1)].state);
			if ((state & 3) == ROW_WAITS && state >> 2 > after && (!best || state >> 2 < best))
				best = state >> 2;
		}
	}
	return best;
}

bool task_row_has_twins(const struct task_row *row)
{
	uint32_t near = task_buckets_near(row->hash);

	for (uint32_t n = 0; n < near; n++) {
		uint32_t first = task_bucket(row->hash, n) * BUCKET;

		for (uint32_t i = first; i < first + BUCKET; i++)
			if (i != row->word && __atomic_load_n(&words[i], __ATOMIC_SEQ_CST) >> 32 == row->hash &&
			    load_relaxed(&words[i]))
				return true;
	}
	return false;
}

/* ---- doubt */

void task_row_doubt(struct task_row *row, uint64_t other)
{
	struct task_row *twin = task_row_of(other);

	if (twin == row || (twin->from == row->from && twin->submitter == row->submitter &&
			    !load_relaxed(&twin->doubt) && !load_relaxed(&row->doubt)))
		return;
	store_relaxed(&row->doubt, true);
	store_relaxed(&twin->doubt, true); /* if that has got another task meanwhile, it is lost, and counted */
}

static uint32_t doubt_of(uint32_t hash)
{
	return hash * 2654435769u >> (32 - DOUBTS_LOG2);
}

void task_hash_doubt(uint32_t hash)
{
	uint32_t set = load_relaxed(&young), bit = doubt_of(hash);

	__atomic_fetch_or(&doubts[set][bit / 64], 1ull << bit % 64, __ATOMIC_SEQ_CST);
	__atomic_store_n(&doubts_set[set], true, __ATOMIC_SEQ_CST);
}

bool task_row_is_in_doubt(uint64_t handle)
{
	const struct task_row *row = task_row_of(handle);
	uint32_t bit = doubt_of(row->hash);

	if (load_acquire(&row->doubt))
		return true;
	if (!row->again) /* whichever queue it is in, this is its run */
		return false;
	if (load_acquire(&row->alone) != handle)
		return true;
	for (int i = 0; i < 2; i++)
		if (unlikely(load_acquire(&doubts_set[i])) && load_acquire(&doubts[i][bit / 64]) >> bit % 64 & 1)
			return true;
	return false;
}

static void doubts_forget(uint32_t set)
{
	if (doubts_set[set])
		memset(doubts[set], 0, sizeof(doubts[set]));
	store_release(&doubts_set[set], false);
}

void task_rows_age(void)
{
	doubts_forget(!young);
	store_release(&young, !young);
	task_others_age();
}

void task_rows_begin(void)
{
	doubts_forget(0);
	doubts_forget(1);
	task_others_begin();
}
