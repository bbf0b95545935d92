// SPDX-License-Identifier: BSD-2-Clause
/*
 * Self time and time without recursion of calls that go through the hooks, against sums of the test's own over the spans
 * that the same hooks write. The sources with free lists are included, because these must start empty in each test.
 */
#include "tests/lib/machine/machine.h"
#include "uprobes/agent/ring.c"
#include "uprobes/agent/slot.c"
#include "uprobes/agent/timing.c"
#include "uprobes/agent/hook.h"
#include "uprobes/agent/nesting.h"
#include "uprobes/agent/recordings.h"
#include "user/capture/timing.h"
#include "tests/unit/agent/hooked.h"

#include <pthread.h>

#define METHODS 40
#define THREADS 64

static struct frt_config config = {.cell_cap = FRT_CELLS_SIZE};

static struct timings sums;

static void time_methods(uint32_t first, uint32_t last)
{
	for (uint32_t method = first; method <= last; method++)
		*control_rule(0, method) = FRT_RULE_TIMED;
}

static int setup(void **state)
{
	timings_release(&sums);
	if (!new_control())
		return -1;
	control->epoch = 1;
	control->recording[0].founder = 1;
	control->methods = METHODS;
	control->slots_missing = 0;
	recordings_shared = false;
	memset(recordings_since, 0xff, sizeof(recordings_since));
	memset(slot_table, 0, sizeof(slot_table));
	memset(free_rings, 0, sizeof(free_rings));
	memset(free_cells, 0, sizeof(free_cells));
	memset(nestings, 0, sizeof(nestings));
	free_slots.top = 0;
	frtrace_drain_semaphore = 1;
	ring_grow_ticks = 0;
	running.java_id = new_flags = 0;
	mount_unseen = true;
	over = false;
	timing_begin(0, &config);
	time_methods(1, METHODS);
	control_since = 1;
	return 0;
}

/* What the calls of a thread of the test have taken; the oracle. */
struct model {
	uint64_t random, calls;
	JNIEnv *env;
	uint32_t open[METHODS + 1]; /* calls of each method */
	uint64_t total[METHODS + 1], self[METHODS + 1], outermost[METHODS + 1];
	uint32_t lose; /* one of so many calls loses its exit; 0: none */
};

static uint32_t model_random(struct model *m, uint32_t below)
{
	m->random = m->random * 6364136223846793005ULL + 1442695040888963407ULL;
	return (m->random >> 33) % below;
}

static struct model model_begin(uint64_t thread)
{
	return (struct model){.random = thread * 7919 + 1, .env = (JNIEnv *)(0x7f1200000000 + 64 * thread)};
}

/* The duration of the call that has just ended, as its span has it. */
static uint64_t model_duration(const struct model *m, uint64_t start)
{
	const struct frt_slot *s = slot_find(m->env);
	struct frt_span r;

	memcpy(&r, ring_at(s) + ((s->head - FRT_RECORD_SIZE) & (ring_size(s) - 1)), sizeof(r));
	assert_int_equal(r.start, start);
	return r.duration;
}

static uint64_t model_call(struct model *m, uint32_t method, uint32_t depth, uint32_t most);

/* Returns the time of the calls that are made. */
static uint64_t model_calls(struct model *m, uint32_t depth, uint32_t most)
{
	uint64_t sum = 0;

	for (uint32_t n = model_random(m, 4); n && depth < most && m->calls < 20000; n--)
		sum += model_call(m, 1 + model_random(m, METHODS), depth, most);
	return sum;
}

static uint64_t model_call(struct model *m, uint32_t method, uint32_t depth, uint32_t most)
{
	uint64_t start, children, duration;
	bool lost = m->lose && depth && !model_random(m, m->lose);

	start = hook_enter(m->env, NULL, method);
	m->calls++;
	m->open[method] += !lost;
	children = model_calls(m, depth + 1, most);
	m->open[method] -= !lost;
	if (lost)
		return children;
	if (model_random(m, 8))
		hook_leave(m->env, NULL, start, method);
	else
		hook_thrown(m->env, NULL, start, method);
	duration = model_duration(m, start);
	m->total[method] += duration;
	m->self[method] += duration - children;
	m->outermost[method] += m->open[method] ? 0 : duration;
	return duration;
}

static void read_sums(void)
{
	struct segment segment = {.fd = -1, .base = (char *)control};

	timings_read(&sums, &segment);
}

static void assert_sums_are(const struct model *model, int models)
{
	uint64_t ticks;

	read_sums();
	for (uint32_t method = 1; method <= METHODS; method++) {
		const struct timing *t = &sums.of[method];
		uint64_t total = 0, self = 0, outermost = 0;

		for (int i = 0; i < models; i++) {
			total += model[i].total[method];
			self += model[i].self[method];
			outermost += model[i].outermost[method];
		}
		assert_int_equal(t->total, total);
		assert_true(timing_self(t, &ticks));
		assert_int_equal(ticks, self);
		assert_true(timing_without_recursion(t, &ticks));
		assert_int_equal(ticks, outermost);
	}
}

CASE(self_time_and_recursion_are_those_of_the_spans, setup)
{
	struct model m = model_begin(1);

	while (m.calls < 20000)
		model_call(&m, 1 + model_random(&m, METHODS), 0, 14);
	assert_sums_are(&m, 1);
}

/* All levels behind those that the slot keeps. */
CASE(deep_recursion_is_exact, setup)
{
	struct model m = model_begin(1);
	uint64_t start[3000], children = 0;

	for (uint32_t i = 0; i < 3000; i++)
		start[i] = hook_enter(m.env, NULL, 1 + i % 3);
	for (uint32_t i = 3000; i--;) {
		uint64_t leaf = model_call(&m, 4 + i % 2, 0, 1), duration;

		hook_leave(m.env, NULL, start[i], 1 + i % 3);
		duration = model_duration(&m, start[i]);
		m.total[1 + i % 3] += duration;
		m.self[1 + i % 3] += duration - children - leaf;
		m.outermost[1 + i % 3] += i < 3 ? duration : 0;
		children = duration;
	}
	assert_sums_are(&m, 1);
}

CASE(random_trees_of_any_depth_are_exact, setup)
{
	struct model m = model_begin(3);

	while (m.calls < 20000)
		model_call(&m, 1 + model_random(&m, METHODS), 0, 200);
	assert_sums_are(&m, 1);
}

static struct model models[THREADS];

static void *call_away(void *number)
{
	struct model *m = &models[(uint64_t)number];

	*m = model_begin((uint64_t)number + 1);
	while (m->calls < 3000)
		model_call(m, 1 + model_random(m, METHODS), 0, 40);
	return NULL;
}

CASE(threads_do_not_mix, setup)
{
	pthread_t thread[THREADS];

	for (uint64_t t = 0; t < THREADS; t++)
		pthread_create(&thread[t], NULL, call_away, (void *)t);
	for (int t = 0; t < THREADS; t++)
		pthread_join(thread[t], NULL);
	assert_sums_are(models, THREADS);
}

/* The calls that a lost one has made are no part of the one around it. */
CASE(self_time_is_exact_around_lost_exits, setup)
{
	struct model m = model_begin(5);
	uint64_t ticks;

	m.lose = 20;
	while (m.calls < 20000)
		model_call(&m, 1 + model_random(&m, METHODS), 0, 12);
	read_sums();
	for (uint32_t method = 1; method <= METHODS; method++) {
		assert_int_equal(sums.of[method].total, m.total[method]);
		assert_true(timing_self(&sums.of[method], &ticks));
		assert_int_equal(ticks, m.self[method]);
	}
}

CASE(calls_of_methods_that_are_not_timed_are_part_of_the_caller, setup)
{
	struct model m = model_begin(1);
	uint64_t outer, other, inner, ticks, of_inner;

	*control_rule(0, 2) = 0;
	outer = hook_enter(m.env, NULL, 1);
	other = hook_enter(m.env, NULL, 2);
	inner = hook_enter(m.env, NULL, 3);
	hook_leave(m.env, NULL, inner, 3);
	of_inner = model_duration(&m, inner);
	hook_leave(m.env, NULL, other, 2);
	hook_leave(m.env, NULL, outer, 1);
	read_sums();
	assert_true(timing_self(&sums.of[1], &ticks));
	assert_int_equal(ticks, model_duration(&m, outer) - of_inner);
	assert_int_equal(sums.of[2].count, 0);
}

/* Calls that are open when the recording ends count for nobody, and those that they have made for themselves. */
CASE(calls_in_an_open_one_are_known, setup)
{
	struct model m = model_begin(1);

	hook_enter(m.env, NULL, 9);
	model_call(&m, 1, 0, 1);
	model_call(&m, 2, 0, 1);
	assert_sums_are(&m, 1);
}

CASE(without_memory_for_cells_shared_sums_are_exact, setup)
{
	struct model m = model_begin(1);

	control->cell_used = FRT_CELLS_SIZE;
	while (m.calls < 2000)
		model_call(&m, 1 + model_random(&m, METHODS), 0, 14);
	assert_sums_are(&m, 1);
}

CASE(without_memory_for_deep_levels_what_is_wrong_is_unknown, setup)
{
	struct model m = model_begin(1);
	uint64_t start[40], ticks;

	model_call(&m, 1, 0, 1); /* the thread has cells */
	for (uint32_t method = 2; method <= 5; method++)
		model_call(&m, method, 0, 1);
	control->cell_used = FRT_CELLS_SIZE;
	for (uint32_t i = 0; i < FRT_OPEN_CALLS + 2; i++)
		start[i] = hook_enter(m.env, NULL, i < FRT_OPEN_CALLS - 1 ? 1 : i < FRT_OPEN_CALLS ? 2 : 3);
	for (uint32_t i = FRT_OPEN_CALLS + 2; i--;)
		hook_leave(m.env, NULL, start[i], i < FRT_OPEN_CALLS - 1 ? 1 : i < FRT_OPEN_CALLS ? 2 : 3);
	read_sums();
	assert_true(timing_self(&sums.of[1], &ticks));
	assert_true(timing_without_recursion(&sums.of[1], &ticks));
	assert_false(timing_self(&sums.of[2], &ticks));
	assert_true(timing_without_recursion(&sums.of[2], &ticks));
	assert_false(timing_self(&sums.of[3], &ticks));
	assert_false(timing_without_recursion(&sums.of[3], &ticks));
	assert_true(timing_self(&sums.of[4], &ticks));
}

CASE(several_recordings_know_nothing, setup)
{
	struct model m = model_begin(1);
	uint64_t ticks;

	control->recording[0].number = 1;
	control->recording[0].state = FRT_ACTIVE;
	recordings_since[0] = 1;
	recordings_epoch = 1;
	control->joined = 1;
	recordings_shared = true;
	control_since = UINT64_MAX;
	hook_leave(m.env, NULL, hook_enter(m.env, NULL, 1), 1);
	hook_leave(m.env, NULL, hook_enter(m.env, NULL, 1), 1);
	read_sums();
	assert_int_equal(sums.of[1].count, 2);
	assert_false(timing_self(&sums.of[1], &ticks));
	assert_false(timing_without_recursion(&sums.of[1], &ticks));
}
