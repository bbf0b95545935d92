// SPDX-License-Identifier: BSD-2-Clause
#include "user/print/context.h"
#include "tests/lib/test.h"

#define THREADS 5000u

static struct jfr_chunk chunk = {.references = 1};

static struct jfr_event event_at(uint64_t at)
{
	return (struct jfr_event){.at = at};
}

static void enter(struct contexts *c, uint64_t thread, uint64_t at)
{
	struct jfr_event e = event_at(at);

	contexts_enter(c, thread, &chunk, &e);
}

static void leave(struct contexts *c, uint64_t thread, uint64_t at)
{
	struct jfr_event e = event_at(at);

	contexts_leave(c, thread, &chunk, &e);
}

static size_t open_in(const struct contexts *c, uint64_t thread)
{
	const struct thread_contexts *t = contexts_of(c, thread);

	return t ? t->count : 0;
}

CASE(events_of_a_thread_end_in_any_order)
{
	struct contexts c = {0};

	assert_null(contexts_of(&c, 7));
	leave(&c, 7, 100);
	enter(&c, 7, 100);
	enter(&c, 7, 200);
	enter(&c, 7, 300);
	enter(&c, 8, 250);
	leave(&c, 7, 200);
	leave(&c, 7, 250);
	assert_int_equal(open_in(&c, 7), 2);
	assert_int_equal(contexts_of(&c, 7)->context[0].event.at, 100);
	assert_int_equal(contexts_of(&c, 7)->context[1].event.at, 300);
	assert_int_equal(open_in(&c, 8), 1);
	assert_int_equal(chunk.references, 4);
	contexts_release(&c);
	assert_int_equal(chunk.references, 1);
}

/* Every tenth thread keeps an event open. */
CASE(threads_without_open_events_are_forgotten)
{
	struct contexts c = {0};

	for (uint64_t thread = 1; thread <= THREADS; thread++) {
		enter(&c, thread << 44, thread);
		if (thread % 10)
			leave(&c, thread << 44, thread);
	}
	assert_in_range(c.capacity, THREADS / 10, THREADS / 2);
	for (uint64_t thread = 1; thread <= THREADS; thread++)
		assert_int_equal(open_in(&c, thread << 44), thread % 10 == 0);
	contexts_release(&c);
	assert_int_equal(chunk.references, 1);
}
