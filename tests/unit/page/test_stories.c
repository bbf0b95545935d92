// SPDX-License-Identifier: BSD-2-Clause
/* What the page has of single calls. */
#include "tests/lib/digested.h"
#include "tests/lib/test.h"

/* outer has 20 calls inside; the longest 16 are shown. The clock has put a wait at its beginning before it. */
CASE(a_story_has_the_longest_parts_and_the_sums_of_all, digested_begin, digested_end)
{
	const struct story *s;

	digested_wait(it.worker, 1000 * MS - 10, 5 * MS, it.holder);
	digested_wait(it.worker, 990 * MS, 5 * MS, it.holder); /* before it */
	digested_wait(it.other, 1001 * MS, 5 * MS, it.holder); /* another thread's */
	for (int i = 1; i <= 20; i++)
		digested_call(it.worker, "inner", 1000 * MS + i * 50 * MS, i * MS, MS, 0);
	digested_call(it.worker, "outer", 1000 * MS, 2000 * MS, MS, 0);
	digested_call(it.other, "outer", 1000 * MS, 1000 * MS, MS, 0);
	digested_read_stories(LONGEST);
	s = &it.stories.story[0];
	assert_true(s->found);
	assert_string_equal(method_names_text(&it.digest->names, s->method), "com.acme.Cart.outer()");
	assert_string_equal(it.digest->threads.thread[s->place.thread - 1].name, "worker-11");
	assert_int_equal(s->place.span.duration, 2000 * MS);
	assert_int_equal(s->cpu, MS);
	assert_int_equal(s->kind[STORY_CALL].all, 20);
	assert_int_equal(s->kind[STORY_CALL].total, 210 * MS);
	assert_int_equal(s->kind[STORY_CALL].count, STORY_PARTS);
	assert_int_equal(s->kind[STORY_CALL].part[0].span.duration, 20 * MS);
	assert_int_equal(s->kind[STORY_CALL].part[STORY_PARTS - 1].span.duration, 5 * MS);
	assert_int_equal(s->kind[STORY_WAIT].all, 1);
	assert_int_equal(s->kind[STORY_WAIT].part[0].span.start - s->place.span.start, -10);
	assert_string_equal(it.stories.text.text[s->kind[STORY_WAIT].part[0].what], "futex");
	assert_int_equal(s->kind[STORY_WAIT].part[0].stack, 1);
	assert_int_equal(it.stories.stack[0].count, 1);
	assert_string_equal(it.stories.text.text[it.stories.stack[0].frame[0]], "com.acme.Cart.reserve():17");
	assert_int_equal(s->kind[STORY_RUN_QUEUE].all, 0);
}

static void task(uint64_t by, uint64_t on, int64_t submitted, int64_t from, int64_t to)
{
	jfr_task(it.r.w, &(struct jfr_task){.start = T0 + submitted * MS,
					    .duration = (from - submitted) * MS,
					    .thread = on,
					    .submitter = by,
					    .task_class = recording_class(&it.r, "com/acme/Order"),
					    .outcome = "ran",
					    .run_time = (to - from) * MS});
}

/* outer [0, 100] hands over a task, and that another one; in it, its thread runs one of somebody else, which does so, too. */
CASE(a_story_has_the_tasks_that_its_call_handed_over, digested_begin, digested_end)
{
	const struct story_parts *tasks;

	digested_call(it.worker, "outer", 0, 100 * MS, MS, 0);
	task(it.worker, it.other, 10, 30, 70);
	digested_call(it.other, "inner", 35 * MS, 20 * MS, MS, 0);
	digested_call(it.other, "tell", 60 * MS, 2 * MS, MS, 0);
	task(it.other, it.holder, 40, 41, 45);
	task(it.holder, it.worker, 75, 80, 90);
	task(it.worker, it.holder, 85, 91, 92);
	digested_read_stories(LONGEST);
	tasks = &it.stories.story[0].kind[STORY_TASK];
	assert_int_equal(it.stories.story[0].place.span.duration, 100 * MS);
	assert_int_equal(tasks->all, 2);
	assert_int_equal(tasks->part[0].span.start - it.stories.story[0].place.span.start, 10 * MS);
	assert_int_equal(tasks->part[0].span.duration, 60 * MS);
	assert_int_equal(tasks->part[0].queued, 20 * MS);
	assert_string_equal(it.stories.text.text[tasks->part[0].what], "com.acme.Order");
	assert_string_equal(it.stories.text.text[tasks->part[0].thread], "worker-12");
	assert_string_equal(method_names_text(&it.digest->names, tasks->part[0].call.method), "com.acme.Cart.inner()");
	assert_int_equal(tasks->part[0].call.duration, 20 * MS);
	assert_int_equal(tasks->part[1].queued, MS);
	assert_int_equal(tasks->part[1].call.method, 0);
}

CASE(the_outer_one_of_equal_calls_has_the_other_inside, digested_begin, digested_end)
{
	digested_call(it.worker, "inner", 0, 10 * MS, MS, 0);
	digested_call(it.worker, "outer", 0, 10 * MS, MS, 0);
	digested_read_stories(LONGEST);
	assert_int_equal(it.stories.count, 2);
	for (int i = 0; i < 2; i++)
		assert_int_equal(it.stories.story[i].place.span.duration, 10 * MS);
	assert_string_equal(method_names_text(&it.digest->names, it.stories.story[1].method), "com.acme.Cart.outer()");
	assert_int_equal(it.stories.story[1].kind[STORY_CALL].all, 1);
}
