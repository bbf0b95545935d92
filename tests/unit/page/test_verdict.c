// SPDX-License-Identifier: BSD-2-Clause
/* What a verdict says, of recordings whose content is known. */
#include "tests/lib/digested.h"
#include "tests/lib/test.h"
#include "user/page/verdict.h"

/* All sentences of the n-th verdict. */
static const char *verdict(size_t n)
{
	struct verdict found[VERDICTS];

	bytes_clear(&it.text);
	if (n < verdict_find(it.digest, found)) {
		bytes_printf(&it.text, "%s: ", method_names_text(&it.digest->names, found[n].method->name));
		verdict_put_what(&it.text, &found[n], it.digest);
		bytes_put(&it.text, " ", 1);
		verdict_put_why(&it.text, &found[n], it.digest);
		bytes_put(&it.text, " ", 1);
		verdict_put_who(&it.text, &found[n], it.digest);
		verdict_put_chain(&it.text, &found[n], it.digest);
		verdict_put_same(&it.text, &found[n], it.digest);
	}
	return memory_text(&it.text);
}

CASE(slow_calls_are_explained_by_the_lock_and_who_held_it, digested_begin, digested_end)
{
	for (int i = 0; i < 100; i++) {
		int64_t at = i * 100 * MS;

		if (i % 20) {
			digested_call(it.worker, "reserve", at, 100 * US, 100 * US, 0);
			continue;
		}
		digested_call(it.holder, "report", at - MS, 41 * MS - 10 * US, MS, 0);
		digested_wait(it.worker, at, 40 * MS, it.holder);
		digested_call(it.worker, "reserve", at - 50 * US, 40 * MS + 100 * US, 100 * US, 0);
	}
	digested_read();
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
	jfr_path_segment(it.r.w, &(struct jfr_path_segment){.start = T0 + at + offset,
							    .duration = duration,
							    .thread = thread,
							    .offset = offset,
							    .depth = depth,
							    .state = state,
							    .resource = depth ? "/srv/report" : NULL,
							    .waiter = depth ? it.worker : 0,
							    .waited = depth ? "futex" : NULL,
							    .method = recording_method(&it.r, "reserve"),
							    .call_thread = it.worker,
							    .call_start = T0 + at,
							    .call_duration = 40 * MS});
}

CASE(slow_calls_are_explained_by_the_end_of_their_paths, digested_begin, digested_end)
{
	for (int i = 0; i < 100; i++) {
		int64_t at = i * 100 * MS;

		if (i % 20 == 0) {
			path_of_slow(at, it.worker, 30 * MS, 10 * MS, 0, "cpu");
			path_of_slow(at, it.holder, 0, 30 * MS, 1, "disk");
		}
		digested_call(it.worker, "reserve", at, i % 20 ? 100 * US : 40 * MS, 100 * US, 0);
	}
	digested_read();
	assert_contains(verdict(0), "At the end of the chain, for 75 % of the time: \"worker-*\", disk /srv/report.");
}

/* worker waits for it.other, which had waited for holder nearly as long: other only passed the lock on. */
CASE(who_passed_a_lock_on_is_not_to_blame, digested_begin, digested_end)
{
	for (int i = 0; i < 40; i++) {
		int64_t at = i * 100 * MS;

		if (i % 4) {
			digested_call(it.worker, "reserve", at, 100 * US, 100 * US, 0);
			continue;
		}
		digested_call(it.holder, "report", at - MS, 41 * MS, MS, 0);
		digested_wait(it.other, at, 40 * MS, it.holder);
		digested_wait(it.worker, at + MS, 39 * MS + 20 * US, it.other);
		digested_call(it.other, "reserve", at, 40 * MS + 10 * US, 10 * US, 0);
		digested_call(it.worker, "reserve", at + MS, 39 * MS + 50 * US, 30 * US, 0);
	}
	digested_read();
	assert_non_null(
		strstr(verdict(0),
		       "For 100 % of that time it was held by com.acme.Cart.report() on the thread \"worker-13\""));
}

CASE(a_holder_that_is_not_traced_is_named_by_its_thread, digested_begin, digested_end)
{
	for (int i = 0; i < 40; i++) {
		if (i % 4 == 0)
			digested_wait(it.worker, i * 100 * MS, 40 * MS, it.holder);
		digested_call(it.worker, "reserve", i * 100 * MS, i % 4 ? 100 * US : 40 * MS, 100 * US, 0);
	}
	digested_read();
	assert_contains(verdict(0), "held by the thread \"worker-13\", in code that is not traced.");
}

/* The thread "other" takes 80 ms; then `holder` does the rest in 1 ms, and completes the future. */
CASE(who_only_completes_a_future_has_not_held_anything_up, digested_begin, digested_end)
{
	const char *said;

	for (int i = 0; i < 40; i++) {
		int64_t at = i * 100 * MS, slow = i % 4 ? 100 * US : 80 * MS;

		digested_call(it.other, "report", at, slow, MS, 0);
		digested_call(it.holder, "close", at + slow, MS, 100 * US, 0);
		digested_wait_for_future(it.worker, at, slow + MS + 20 * US, it.holder);
		digested_wait(it.worker, at + slow + MS + 20 * US, 400 * US, it.other); /* of the JVM's own */
		digested_call(it.worker, "reserve", at, slow + MS + 450 * US, 30 * US, 0);
	}
	digested_read();
	for (size_t i = 0; !strstr(said = verdict(i), "Cart.reserve()"); i++)
		assert_true(*said);
	assert_contains(said, "100 % of that was ended by the thread \"worker-13\", after "
			      "com.acme.Cart.close(), which took 1.2 % of the time.");
	assert_lacks(said, "held by");
}

CASE(a_short_call_of_the_holder_is_not_to_blame_for_a_long_wait, digested_begin, digested_end)
{
	for (int i = 0; i < 40; i++) {
		int64_t at = i * 100 * MS;

		if (i % 4 == 0) {
			digested_call(it.holder, "close", at + 39 * MS, MS - 10 * US, 100 * US, 0);
			digested_wait(it.worker, at, 40 * MS, it.holder);
		}
		digested_call(it.worker, "reserve", at, i % 4 ? 100 * US : 40 * MS, 100 * US, 0);
	}
	digested_read();
	assert_contains(verdict(0), "held by the thread \"worker-13\", in code that is not traced.");
}

CASE(run_queue_and_cpu_are_causes_too, digested_begin, digested_end)
{
	for (int i = 0; i < 40; i++) {
		bool slow = i % 4 == 0;

		digested_call(it.worker, "ready", i * 100 * MS, slow ? 40 * MS : 100 * US, 50 * US,
			      slow ? 39 * MS : 50 * US);
		digested_call(it.other, "busy", i * 100 * MS, slow ? 20 * MS : 100 * US, slow ? 20 * MS : 100 * US, 0);
	}
	digested_read();
	assert_contains(verdict(0), "com.acme.Cart.ready(): 25 % of its calls (10 of 40)");
	assert_contains(verdict(0), "98 % of the difference is time in the run queue");
	assert_contains(verdict(1), "com.acme.Cart.busy()");
	assert_contains(verdict(1), "100 % of the difference is time on a CPU.");
}

CASE(calls_that_are_all_alike_are_told_as_such, digested_begin, digested_end)
{
	for (int i = 0; i < 40; i++)
		digested_call(it.worker, "even", i * 100 * MS, 20 * MS, 15 * MS, 0);
	digested_read();
	assert_string_equal(
		verdict(0),
		"com.acme.Cart.even(): 40 calls took 20.0 ms on average, the longest 20.0 ms. 75 % of that is "
		"time on a CPU. ");
}

CASE(a_call_around_the_slow_one_is_the_same_verdict, digested_begin, digested_end)
{
	for (int i = 0; i < 40; i++) {
		int64_t duration = i % 4 ? 100 * US : 40 * MS;

		digested_call(it.worker, "inner", i * 100 * MS, duration, duration, 0);
		digested_call(it.worker, "outer", i * 100 * MS - US, duration + 2 * US, duration + 2 * US, 0);
	}
	digested_read();
	assert_contains(verdict(0), "com.acme.Cart.outer()");
	assert_contains(verdict(0), "The same time shows in com.acme.Cart.inner().");
	assert_string_equal(verdict(1), "");
}
