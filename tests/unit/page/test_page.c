// SPDX-License-Identifier: BSD-2-Clause
/* The verdict and the sums behind it, from recordings whose content is known. */
#include "tests/lib/recording.h"
#include "tests/lib/test.h"
#include "user/page/diff_page.h"
#include "user/page/digest.h"
#include "user/page/page.h"
#include "user/page/stories.h"
#include "user/page/verdict.h"

#define US 1000ll
#define MS 1000000ll

#define LONGEST 20

static struct recording r;
static struct digest *digest;
static struct stories stories;
static struct task_runs handed;
static struct bytes text;
static uint64_t worker, other, holder;

static int setup(void **state)
{
	r = recording_new_with(JFR_KERNEL_WAITS);
	recording_begin(&r);
	digest = calloc(1, sizeof(*digest));
	stories = (struct stories){0};
	bytes_init(&text);
	worker = recording_thread(&r, 11);
	other = recording_thread(&r, 12);
	holder = recording_thread(&r, 13);
	return 0;
}

static int teardown(void **state)
{
	stories_release(&stories);
	task_runs_release(&handed);
	digest_release(digest);
	free(digest);
	recording_free(&r);
	bytes_release(&text);
	return 0;
}

static void call(uint64_t thread, const char *method, int64_t start, int64_t duration, int64_t cpu, int64_t run_queue)
{
	jfr_method_trace(r.w, &(struct jfr_method_trace){.start = T0 + start,
							 .duration = duration,
							 .thread = thread,
							 .method = recording_method(&r, method),
							 .cpu = cpu,
							 .run_queue = run_queue,
							 .blocked = duration - cpu - run_queue});
}

static void wait_for_lock(uint64_t thread, int64_t start, int64_t duration, uint64_t waker)
{
	jfr_thread_wait(r.w,
			&(struct jfr_thread_wait){.start = T0 + start,
						  .duration = duration,
						  .thread = thread,
						  .waker = waker,
						  .reason = "futex",
						  .stack = recording_stack(&r, recording_method(&r, "reserve"), 17)});
}

static int take_task(const struct task *task, void *context)
{
	task_runs_add(context, task);
	return 0;
}

/* With the stories of `wanted` of the longest calls. */
static void read_with_stories(size_t wanted)
{
	struct outermost_call longest[LONGEST];
	struct jfr_file file;

	recording_end(&r, true);
	jfr_file_init(&file, r.file.data, r.file.size);
	assert_int_equal(trace_read(&file, &digest_survey, digest), 0);
	digest_survey_end(digest, file.utc_offset);
	jfr_file_rewind(&file);
	assert_int_equal(trace_read(&file, &digest_fill, digest), 0);
	digest_fill_end(digest);
	stories_init(&stories, longest, digest_longest(digest, longest, wanted));
	stories.threads = &digest->threads;
	stories.names = &digest->names;
	stories.holders = &digest->holders;
	stories.runs = &handed;
	jfr_file_rewind(&file);
	assert_int_equal(trace_read(&file, &(struct trace_ops){.task = take_task}, &handed), 0);
	task_runs_settle(&handed);
	stories_add_tasks(&stories);
	jfr_file_rewind(&file);
	assert_int_equal(trace_read(&file, &stories_ops, &stories), 0);
	stories_end(&stories);
	assert_null(file.fault.what);
	jfr_file_release(&file);
	method_names_settle(&digest->names);
}

static void read_all(void)
{
	read_with_stories(0);
}

/* All sentences of the n-th verdict. */
static const char *verdict(size_t n)
{
	struct verdict found[VERDICTS];

	bytes_clear(&text);
	if (n < verdict_find(digest, found)) {
		bytes_printf(&text, "%s: ", method_names_text(&digest->names, found[n].method->name));
		verdict_put_what(&text, &found[n], digest);
		bytes_put(&text, " ", 1);
		verdict_put_why(&text, &found[n], digest);
		bytes_put(&text, " ", 1);
		verdict_put_who(&text, &found[n], digest);
		verdict_put_chain(&text, &found[n], digest);
		verdict_put_same(&text, &found[n], digest);
	}
	return memory_text(&text);
}

CASE(slow_calls_are_explained_by_the_lock_and_who_held_it, setup, teardown)
{
	for (int i = 0; i < 100; i++) {
		int64_t at = i * 100 * MS;

		if (i % 20) {
			call(worker, "reserve", at, 100 * US, 100 * US, 0);
			continue;
		}
		call(holder, "report", at - MS, 41 * MS - 10 * US, MS, 0);
		wait_for_lock(worker, at, 40 * MS, holder);
		call(worker, "reserve", at - 50 * US, 40 * MS + 100 * US, 100 * US, 0);
	}
	read_all();
	assert_string_equal(
		verdict(0),
		"com.acme.Cart.reserve(): 5.0 % of its calls (5 of 100) took 2.0 ms or more: 40.1 ms on average, "
		"the others 100 us. 100 % of the difference is time blocked, 100 % of it in futex (a lock, a "
		"queue or a park) at com.acme.Cart.reserve():17. For 100 % of that time it was held by "
		"com.acme.Cart.report() on the thread \"worker-13\".");
}

/* What holder did in that time, of a slow call that began at `at`. */
static void path_of_slow(int64_t at, uint64_t thread, int64_t offset, int64_t duration, unsigned int depth,
			 const char *state)
{
	jfr_path_segment(r.w, &(struct jfr_path_segment){.start = T0 + at + offset,
							 .duration = duration,
							 .thread = thread,
							 .offset = offset,
							 .depth = depth,
							 .state = state,
							 .resource = depth ? "/srv/report" : NULL,
							 .waiter = depth ? worker : 0,
							 .waited = depth ? "futex" : NULL,
							 .method = recording_method(&r, "reserve"),
							 .call_thread = worker,
							 .call_start = T0 + at,
							 .call_duration = 40 * MS});
}

CASE(slow_calls_are_explained_by_the_end_of_their_paths, setup, teardown)
{
	for (int i = 0; i < 100; i++) {
		int64_t at = i * 100 * MS;

		if (i % 20 == 0) {
			path_of_slow(at, worker, 30 * MS, 10 * MS, 0, "cpu");
			path_of_slow(at, holder, 0, 30 * MS, 1, "disk");
		}
		call(worker, "reserve", at, i % 20 ? 100 * US : 40 * MS, 100 * US, 0);
	}
	read_all();
	assert_contains(verdict(0), "At the end of the chain, for 75 % of the time: \"worker-*\", disk /srv/report.");
}

/* worker waits for other, which had waited for holder nearly as long: other only passed the lock on. */
CASE(who_passed_a_lock_on_is_not_to_blame, setup, teardown)
{
	for (int i = 0; i < 40; i++) {
		int64_t at = i * 100 * MS;

		if (i % 4) {
			call(worker, "reserve", at, 100 * US, 100 * US, 0);
			continue;
		}
		call(holder, "report", at - MS, 41 * MS, MS, 0);
		wait_for_lock(other, at, 40 * MS, holder);
		wait_for_lock(worker, at + MS, 39 * MS + 20 * US, other);
		call(other, "reserve", at, 40 * MS + 10 * US, 10 * US, 0);
		call(worker, "reserve", at + MS, 39 * MS + 50 * US, 30 * US, 0);
	}
	read_all();
	assert_non_null(
		strstr(verdict(0),
		       "For 100 % of that time it was held by com.acme.Cart.report() on the thread \"worker-13\""));
}

CASE(a_holder_that_is_not_traced_is_named_by_its_thread, setup, teardown)
{
	for (int i = 0; i < 40; i++) {
		if (i % 4 == 0)
			wait_for_lock(worker, i * 100 * MS, 40 * MS, holder);
		call(worker, "reserve", i * 100 * MS, i % 4 ? 100 * US : 40 * MS, 100 * US, 0);
	}
	read_all();
	assert_contains(verdict(0), "held by the thread \"worker-13\", in code that is not traced.");
}

static void wait_for_future(uint64_t thread, int64_t start, int64_t duration, uint64_t waker)
{
	uint64_t class = recording_class(&r, "java/util/concurrent/CompletableFuture");
	uint64_t get = jfr_method(r.w, &(struct jfr_method_constant){class, "get", "()V", 1, false});
	struct jfr_frame frames[] = {{get, 9, 5, JFR_FRAME_JIT},
				     {recording_method(&r, "reserve"), 17, 5, JFR_FRAME_JIT}};

	jfr_thread_wait(r.w, &(struct jfr_thread_wait){.start = T0 + start,
						       .duration = duration,
						       .woken_after = duration,
						       .thread = thread,
						       .waker = waker,
						       .reason = "futex",
						       .stack = jfr_stack(r.w, frames, 2, false)});
}

/* The thread "other" takes 80 ms; then `holder` does the rest in 1 ms, and completes the future. */
CASE(who_only_completes_a_future_has_not_held_anything_up, setup, teardown)
{
	const char *said;

	for (int i = 0; i < 40; i++) {
		int64_t at = i * 100 * MS, slow = i % 4 ? 100 * US : 80 * MS;

		call(other, "report", at, slow, MS, 0);
		call(holder, "close", at + slow, MS, 100 * US, 0);
		wait_for_future(worker, at, slow + MS + 20 * US, holder);
		wait_for_lock(worker, at + slow + MS + 20 * US, 400 * US, other); /* of the JVM's own */
		call(worker, "reserve", at, slow + MS + 450 * US, 30 * US, 0);
	}
	read_all();
	for (size_t i = 0; !strstr(said = verdict(i), "Cart.reserve()"); i++)
		assert_true(*said);
	assert_contains(said, "100 % of that was ended by the thread \"worker-13\", after "
			      "com.acme.Cart.close(), which took 1.2 % of the time.");
	assert_lacks(said, "held by");
}

CASE(a_short_call_of_the_holder_is_not_to_blame_for_a_long_wait, setup, teardown)
{
	for (int i = 0; i < 40; i++) {
		int64_t at = i * 100 * MS;

		if (i % 4 == 0) {
			call(holder, "close", at + 39 * MS, MS - 10 * US, 100 * US, 0);
			wait_for_lock(worker, at, 40 * MS, holder);
		}
		call(worker, "reserve", at, i % 4 ? 100 * US : 40 * MS, 100 * US, 0);
	}
	read_all();
	assert_contains(verdict(0), "held by the thread \"worker-13\", in code that is not traced.");
}

CASE(run_queue_and_cpu_are_causes_too, setup, teardown)
{
	for (int i = 0; i < 40; i++) {
		bool slow = i % 4 == 0;

		call(worker, "ready", i * 100 * MS, slow ? 40 * MS : 100 * US, 50 * US, slow ? 39 * MS : 50 * US);
		call(other, "busy", i * 100 * MS, slow ? 20 * MS : 100 * US, slow ? 20 * MS : 100 * US, 0);
	}
	read_all();
	assert_contains(verdict(0), "com.acme.Cart.ready(): 25 % of its calls (10 of 40)");
	assert_contains(verdict(0), "98 % of the difference is time in the run queue");
	assert_contains(verdict(1), "com.acme.Cart.busy()");
	assert_contains(verdict(1), "100 % of the difference is time on a CPU.");
}

CASE(calls_that_are_all_alike_are_told_as_such, setup, teardown)
{
	for (int i = 0; i < 40; i++)
		call(worker, "even", i * 100 * MS, 20 * MS, 15 * MS, 0);
	read_all();
	assert_string_equal(
		verdict(0),
		"com.acme.Cart.even(): 40 calls took 20.0 ms on average, the longest 20.0 ms. 75 % of that is "
		"time on a CPU. ");
}

CASE(a_call_around_the_slow_one_is_the_same_verdict, setup, teardown)
{
	for (int i = 0; i < 40; i++) {
		int64_t duration = i % 4 ? 100 * US : 40 * MS;

		call(worker, "inner", i * 100 * MS, duration, duration, 0);
		call(worker, "outer", i * 100 * MS - US, duration + 2 * US, duration + 2 * US, 0);
	}
	read_all();
	assert_contains(verdict(0), "com.acme.Cart.outer()");
	assert_contains(verdict(0), "The same time shows in com.acme.Cart.inner().");
	assert_string_equal(verdict(1), "");
}

/* The ranks of 1,000 calls of 1 to 1,000 us. */
CASE(bands_have_their_share_of_the_calls, setup, teardown)
{
	static const uint64_t calls[DIGEST_BANDS] = {500, 400, 90, 9, 1};
	const struct digest_method *m;
	int64_t time = 0;

	for (int i = 0; i < 1000; i++)
		call(worker, "spread", i * MS, (1 + i * 7919 % 1000) * US, US, 0);
	read_all();
	m = digest_ranked(digest, 0);
	for (int band = 0; band < DIGEST_BANDS; band++) {
		assert_int_equal(m->band[band].calls, calls[band]);
		time += m->band[band].time;
	}
	assert_int_equal(time, m->all.time);
	assert_int_equal(m->band[4].most, 1000 * US);
	assert_in_range(m->band[0].most, 490 * US, 520 * US);
	assert_in_range(digest_quantile(m, 0.5), 480 * US, 520 * US);
}

CASE(the_time_of_a_thread_does_not_count_twice, setup, teardown)
{
	int64_t all = 0;

	for (int i = 0; i < 50; i++) {
		call(worker, "inner", i * 100 * MS + MS, 40 * MS, 40 * MS, 0);
		call(worker, "outer", i * 100 * MS, 50 * MS, 50 * MS, 0);
	}
	read_all();
	assert_int_equal(digest->activity.count, 1);
	for (int c = 0; c < ACTIVITY_COLUMNS; c++)
		all += digest->activity.thread[0].column[c][ACTIVITY_ALL];
	assert_in_range(all, 50 * 50 * MS - MS, 50 * 50 * MS + MS);
}

/* 100 calls of 1 to 100 ms, which are blocked for the tenth part of it. */
CASE(the_sums_of_a_method_are_those_of_its_calls, setup, teardown)
{
	const struct digest_method *m;
	int64_t waits = 0;
	uint64_t calls = 0;

	for (int i = 1; i <= 100; i++) {
		wait_for_lock(worker, i * 1000 * MS, i * MS / 10, holder);
		call(worker, "reserve", i * 1000 * MS, i * MS, i * MS / 2, i * MS / 10 * 4);
	}
	read_all();
	m = digest_ranked(digest, 0);
	assert_int_equal(m->all.calls, 100);
	assert_int_equal(m->all.time, 5050 * MS);
	assert_int_equal(m->all.known, 5050 * MS);
	assert_int_equal(m->all.cpu, 2525 * MS);
	assert_int_equal(m->all.run_queue, 2020 * MS);
	assert_int_equal(digest_blocked(&m->all), 505 * MS);
	assert_int_equal(m->all.least, MS);
	assert_int_equal(m->all.most, 100 * MS);
	assert_int_equal(digest->kinds.count, 1);
	for (size_t i = 0; i < digest->band_waits.count; i++)
		waits += digest->band_waits.group[i].total;
	assert_int_equal(waits, 505 * MS);
	for (size_t i = 0; i < digest->heat.count; i++)
		calls += digest->heat.cell[i].count;
	assert_int_equal(calls, 100);
	calls = waits = 0;
	for (size_t i = 0; i < digest->calls.count; i++) {
		calls += digest->calls.cell[i].count;
		waits += digest->calls.cell[i].sum[0];
	}
	assert_int_equal(calls, 100);
	assert_int_equal(waits, 5050 * MS);
	assert_true(digest->has_waits);
	assert_false(digest->has_pauses);
}

CASE(the_longest_calls_of_each_part_of_the_time_are_kept, setup, teardown)
{
	struct outermost_call longest[LONGEST];

	for (int i = 0; i < 240; i++)
		call(worker, "reserve", i * 100 * MS, (1 + i % 10) * MS, MS, 0);
	read_all();
	assert_int_equal(digest_longest(digest, longest, LONGEST), LONGEST);
	for (int i = 0; i < LONGEST; i++) {
		assert_int_equal(longest[i].span.duration, 10 * MS);
		assert_true(!i || longest[i].span.start > longest[i - 1].span.start);
	}
	assert_int_equal(longest[0].span.number, 9);
	assert_int_equal(longest[0].thread, 1);
}

CASE(kinds_of_waits_are_told_apart_by_place_and_waker, setup, teardown)
{
	call(holder, "ready", 0, MS, MS, 0);
	call(other, "ready", 0, MS, MS, 0);
	for (int i = 0; i < 6; i++) {
		wait_for_lock(worker, i * 100 * MS, 40 * MS, i % 2 ? holder : 0);
		call(worker, "reserve", i * 100 * MS, 40 * MS, 0, 0);
	}
	wait_for_future(worker, 600 * MS, 40 * MS, holder); /* in the JDK's code: the place is its caller */
	call(worker, "reserve", 600 * MS, 40 * MS, 0, 0);
	read_all();
	assert_int_equal(digest->kinds.count, 2);
	assert_int_equal(digest->blocked.count, 7); /* columns */
	for (size_t i = 0; i < digest->kinds.count; i++) {
		const struct wait_kind *kind = &digest->kinds.kind[i];

		assert_string_equal(digest->kinds.text.text[kind->reason], "futex");
		assert_string_equal(digest->kinds.text.text[kind->place], "com.acme.Cart.reserve():17");
		assert_string_equal(digest->kinds.text.text[kind->waker], i ? "worker-*" : "");
		assert_true(kind->lock);
	}
}

/* outer has 20 calls inside; the longest 16 are shown. The clock has put a wait at its beginning before it. */
CASE(a_story_has_the_longest_parts_and_the_sums_of_all, setup, teardown)
{
	const struct story *s;

	wait_for_lock(worker, 1000 * MS - 10, 5 * MS, holder);
	wait_for_lock(worker, 990 * MS, 5 * MS, holder); /* before it */
	wait_for_lock(other, 1001 * MS, 5 * MS, holder); /* another thread's */
	for (int i = 1; i <= 20; i++)
		call(worker, "inner", 1000 * MS + i * 50 * MS, i * MS, MS, 0);
	call(worker, "outer", 1000 * MS, 2000 * MS, MS, 0);
	call(other, "outer", 1000 * MS, 1000 * MS, MS, 0);
	read_with_stories(LONGEST);
	s = &stories.story[0];
	assert_true(s->found);
	assert_string_equal(method_names_text(&digest->names, s->method), "com.acme.Cart.outer()");
	assert_string_equal(digest->threads.thread[s->place.thread - 1].name, "worker-11");
	assert_int_equal(s->place.span.duration, 2000 * MS);
	assert_int_equal(s->cpu, MS);
	assert_int_equal(s->kind[STORY_CALL].all, 20);
	assert_int_equal(s->kind[STORY_CALL].total, 210 * MS);
	assert_int_equal(s->kind[STORY_CALL].count, STORY_PARTS);
	assert_int_equal(s->kind[STORY_CALL].part[0].span.duration, 20 * MS);
	assert_int_equal(s->kind[STORY_CALL].part[STORY_PARTS - 1].span.duration, 5 * MS);
	assert_int_equal(s->kind[STORY_WAIT].all, 1);
	assert_int_equal(s->kind[STORY_WAIT].part[0].span.start - s->place.span.start, -10);
	assert_string_equal(stories.text.text[s->kind[STORY_WAIT].part[0].what], "futex");
	assert_int_equal(s->kind[STORY_WAIT].part[0].stack, 1);
	assert_int_equal(stories.stack[0].count, 1);
	assert_string_equal(stories.text.text[stories.stack[0].frame[0]], "com.acme.Cart.reserve():17");
	assert_int_equal(s->kind[STORY_RUN_QUEUE].all, 0);
}

static void task(uint64_t by, uint64_t on, int64_t submitted, int64_t from, int64_t to)
{
	jfr_task(r.w, &(struct jfr_task){.start = T0 + submitted * MS,
					 .duration = (from - submitted) * MS,
					 .thread = on,
					 .submitter = by,
					 .task_class = recording_class(&r, "com/acme/Order"),
					 .outcome = "ran",
					 .run_time = (to - from) * MS});
}

/* outer [0, 100] hands over a task, and that another one; in it, its thread runs one of somebody else, which does so, too. */
CASE(a_story_has_the_tasks_that_its_call_handed_over, setup, teardown)
{
	const struct story_parts *tasks;

	call(worker, "outer", 0, 100 * MS, MS, 0);
	task(worker, other, 10, 30, 70);
	call(other, "inner", 35 * MS, 20 * MS, MS, 0);
	call(other, "tell", 60 * MS, 2 * MS, MS, 0);
	task(other, holder, 40, 41, 45);
	task(holder, worker, 75, 80, 90);
	task(worker, holder, 85, 91, 92);
	read_with_stories(LONGEST);
	tasks = &stories.story[0].kind[STORY_TASK];
	assert_int_equal(stories.story[0].place.span.duration, 100 * MS);
	assert_int_equal(tasks->all, 2);
	assert_int_equal(tasks->part[0].span.start - stories.story[0].place.span.start, 10 * MS);
	assert_int_equal(tasks->part[0].span.duration, 60 * MS);
	assert_int_equal(tasks->part[0].queued, 20 * MS);
	assert_string_equal(stories.text.text[tasks->part[0].what], "com.acme.Order");
	assert_string_equal(stories.text.text[tasks->part[0].thread], "worker-12");
	assert_string_equal(method_names_text(&digest->names, tasks->part[0].call.method), "com.acme.Cart.inner()");
	assert_int_equal(tasks->part[0].call.duration, 20 * MS);
	assert_int_equal(tasks->part[1].queued, MS);
	assert_int_equal(tasks->part[1].call.method, 0);
}

CASE(the_outer_one_of_equal_calls_has_the_other_inside, setup, teardown)
{
	call(worker, "inner", 0, 10 * MS, MS, 0);
	call(worker, "outer", 0, 10 * MS, MS, 0);
	read_with_stories(LONGEST);
	assert_int_equal(stories.count, 2);
	for (int i = 0; i < 2; i++)
		assert_int_equal(stories.story[i].place.span.duration, 10 * MS);
	assert_string_equal(method_names_text(&digest->names, stories.story[1].method), "com.acme.Cart.outer()");
	assert_int_equal(stories.story[1].kind[STORY_CALL].all, 1);
}

static const char *page(void)
{
	struct jfr_file file;

	recording_end(&r, true);
	jfr_file_init(&file, r.file.data, r.file.size);
	bytes_clear(&text);
	page_write(&file, "x.jfr", &text);
	assert_null(file.fault.what);
	jfr_file_release(&file);
	return memory_text(&text);
}

/* A single call says who held the lock that it waited for, which is not who ended the wait. */
CASE(a_call_names_the_holder_of_its_lock, setup, teardown)
{
	const char *html;

	for (int i = 0; i < 40; i++)
		call(worker, "reserve", i * 100 * MS, 100 * US, 100 * US, 0);
	for (int i = 40; i < 43; i++) {
		int64_t at = i * 100 * MS;

		call(holder, "report", at - MS, 41 * MS - 10 * US, MS, 0);
		wait_for_lock(other, at, 39 * MS, holder);
		call(other, "reserve", at - 50 * US, 39 * MS + 100 * US, 100 * US, 0);
		wait_for_lock(worker, at, 40 * MS, other);
		call(worker, "reserve", at - 50 * US, 40 * MS + 100 * US, 100 * US, 0);
	}
	html = page();
	for (int i = 0; i < 2; i++) {
		unsigned int reason, waker, stack, kernel, held_by, held_in;
		char key[32];
		const char *wait = strstr(html, i ? "[50000,39000000," : "[50000,40000000,");

		assert_non_null(wait);
		assert_int_equal(
			sscanf(wait + 16, "%u,%u,%u,%u,%u,%u", &reason, &waker, &stack, &kernel, &held_by, &held_in),
			6);
		snprintf(key, sizeof(key), "\"%u\":\"worker-13\"", held_by);
		assert_contains(html, key);
		snprintf(key, sizeof(key), "\"%u\":\"com.acme.Cart.report()\"", held_in);
		assert_contains(html, key);
		assert_int_equal(waker == held_by, i);
	}
}

CASE(page_faults_have_a_column_if_they_are_known, setup, teardown)
{
	call(worker, "reserve", 0, MS, MS, 0);
	assert_lacks(page(), "Page Faults");
	recording_free(&r);
	r = recording_new_with(JFR_KERNEL_FULL);
	recording_begin(&r);
	worker = recording_thread(&r, 11);
	jfr_method_trace(r.w, &(struct jfr_method_trace){.start = T0,
							 .duration = MS,
							 .thread = worker,
							 .method = recording_method(&r, "reserve"),
							 .cpu = MS,
							 .system_calls = 12,
							 .system_call_time = 3000,
							 .major_faults = 2,
							 .minor_faults = 5});
	page();
	assert_contains((char *)text.data, "<th class=\"n\">Page Faults</th>");
	assert_contains((char *)text.data, "<td class=\"n\">7</td></tr>");
	assert_contains((char *)text.data, "\"usage\":[12,3000,7]");
	assert_contains((char *)text.data, "\"hasFaults\":true");
}

/* Two runs of one method, whose calls take 1 ms and 2 ms. */
CASE(a_comparison_is_a_page, setup, teardown)
{
	const char *hostile = "a.B.</style><script>m()";
	struct run runs[2] = {0};
	struct diff d;

	for (int i = 0; i < 2000; i++)
		for (int n = 0; n < 2; n++)
			run_add(&runs[n], 1, 1, (n + 1) * MS + i * 7919ll % 2003 * 10, false);
	for (int n = 0; n < 2; n++) {
		run_settle(&runs[n]);
		runs[n].method[0].name = strdup(hostile);
		runs[n].method[0].tail[RUN_P99] = (struct run_split){10, 10 * MS, 0, n * 10 * MS};
		runs[n].lost = n;
	}
	diff_make(&d, &runs[0], &runs[1]);
	diff_page_put(&text, &d, "old.jfr", "<new>.jfr", 20);
	bytes_put_u8(&text, 0);
	assert_lacks((char *)text.data, "<script");
	assert_contains((char *)text.data, "<h1>old.jfr → &lt;new&gt;.jfr</h1>");
	assert_contains((char *)text.data, "<h3>a.B.&lt;/style&gt;&lt;script&gt;m()</h3>");
	assert_contains((char *)text.data, "the new recording is incomplete: calls were lost");
	assert_contains((char *)text.data, "<tr class=\"differs\"><td>p99</td><td class=\"n\">1.0 ms");
	assert_contains((char *)text.data, "<span class=\"cpu\" style=\"width:");
	diff_release(&d);
	for (int n = 0; n < 2; n++) {
		free((char *)runs[n].method[0].name);
		run_release(&runs[n]);
	}
}

CASE(names_are_text_and_never_markup, setup, teardown)
{
	const char *html;

	call(worker, "</script><img src=x>", 0, MS, MS, 0);
	call(worker,
	     "\xe2\x80\xae"
	     "a\xc0\x80"
	     "b",
	     2 * MS, MS, MS, 0);
	html = page();
	assert_lacks(html, "<img");
	assert_contains(html, "&lt;/script&gt;&lt;img src=x&gt;()");
	assert_contains(html, "\\u003c/script\\u003e");
	assert_contains(html, "\\u202ea");
	assert_int_equal(strlen(html), text.size);
}

static void sample(uint64_t thread, const char *top, int64_t at)
{
	uint64_t stack = recording_stack(&r, recording_method(&r, top), 17);

	jfr_execution_sample(r.w,
			     &(struct jfr_execution_sample){
				     .start = T0 + at, .thread = thread, .stack = stack, .state = JFR_STATE_RUNNABLE});
}

CASE(a_call_says_what_ran_on_its_cpu, setup, teardown)
{
	static const struct jfr_origin origin = {
		.start_ticks = T0, .start_nanos = NANOS, .kernel = JFR_KERNEL_WAITS, .samples = true};
	struct diag diag;

	jfr_writer_free(r.w);
	assert_int_equal(jfr_writer_new(&r.w, &origin, &diag), 0);
	recording_begin(&r);
	worker = recording_thread(&r, 11);
	for (int i = 0; i < 4; i++)
		sample(worker, i ? "hash" : "copy", 1001 * MS + i);
	sample(recording_thread(&r, 12), "other", 1001 * MS);
	sample(worker, "later", 1011 * MS);
	call(worker, "outer", 1000 * MS, 10 * MS, MS, 0);
	assert_contains(page(), "\"samples\":\"4 samples: 75 % com.acme.Cart.hash(), 25 % com.acme.Cart.copy()\"");
}

CASE(a_recording_without_calls_has_a_page, setup, teardown)
{
	assert_contains(page(), "No call was recorded.");
}
