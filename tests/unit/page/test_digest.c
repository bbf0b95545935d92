// SPDX-License-Identifier: BSD-2-Clause
/* The sums behind the page, from recordings whose content is known. */
#include "tests/lib/digested.h"
#include "tests/lib/test.h"

/* The ranks of 1,000 calls of 1 to 1,000 us. */
CASE(bands_have_their_share_of_the_calls, digested_begin, digested_end)
{
	static const uint64_t calls[DIGEST_BANDS] = {500, 400, 90, 9, 1};
	const struct digest_method *m;
	int64_t time = 0;

	for (int i = 0; i < 1000; i++)
		digested_call(it.worker, "spread", i * MS, (1 + i * 7919 % 1000) * US, US, 0);
	digested_read();
	m = digest_ranked(it.digest, 0);
	for (int band = 0; band < DIGEST_BANDS; band++) {
		assert_int_equal(m->band[band].calls, calls[band]);
		time += m->band[band].time;
	}
	assert_int_equal(time, m->all.time);
	assert_int_equal(m->band[4].most, 1000 * US);
	assert_in_range(m->band[0].most, 490 * US, 520 * US);
	assert_in_range(digest_quantile(m, 0.5), 480 * US, 520 * US);
}

CASE(the_time_of_a_thread_does_not_count_twice, digested_begin, digested_end)
{
	int64_t all = 0;

	for (int i = 0; i < 50; i++) {
		digested_call(it.worker, "inner", i * 100 * MS + MS, 40 * MS, 40 * MS, 0);
		digested_call(it.worker, "outer", i * 100 * MS, 50 * MS, 50 * MS, 0);
	}
	digested_read();
	assert_int_equal(it.digest->activity.count, 1);
	for (int c = 0; c < ACTIVITY_COLUMNS; c++)
		all += it.digest->activity.thread[0].column[c][ACTIVITY_ALL];
	assert_in_range(all, 50 * 50 * MS - MS, 50 * 50 * MS + MS);
}

/* 100 calls of 1 to 100 ms, which are blocked for the tenth part of it. */
CASE(the_sums_of_a_method_are_those_of_its_calls, digested_begin, digested_end)
{
	const struct digest_method *m;
	int64_t waits = 0;
	uint64_t calls = 0;

	for (int i = 1; i <= 100; i++) {
		digested_wait(it.worker, i * 1000 * MS, i * MS / 10, it.holder);
		digested_call(it.worker, "reserve", i * 1000 * MS, i * MS, i * MS / 2, i * MS / 10 * 4);
	}
	digested_read();
	m = digest_ranked(it.digest, 0);
	assert_int_equal(m->all.calls, 100);
	assert_int_equal(m->all.time, 5050 * MS);
	assert_int_equal(m->all.known, 5050 * MS);
	assert_int_equal(m->all.cpu, 2525 * MS);
	assert_int_equal(m->all.run_queue, 2020 * MS);
	assert_int_equal(digest_blocked(&m->all), 505 * MS);
	assert_int_equal(m->all.least, MS);
	assert_int_equal(m->all.most, 100 * MS);
	assert_int_equal(it.digest->kinds.count, 1);
	for (size_t i = 0; i < it.digest->band_waits.count; i++)
		waits += it.digest->band_waits.group[i].total;
	assert_int_equal(waits, 505 * MS);
	for (size_t i = 0; i < it.digest->heat.count; i++)
		calls += it.digest->heat.cell[i].count;
	assert_int_equal(calls, 100);
	calls = waits = 0;
	for (size_t i = 0; i < it.digest->calls.count; i++) {
		calls += it.digest->calls.cell[i].count;
		waits += it.digest->calls.cell[i].sum[0];
	}
	assert_int_equal(calls, 100);
	assert_int_equal(waits, 5050 * MS);
	assert_true(it.digest->has_waits);
	assert_false(it.digest->has_pauses);
}

CASE(the_longest_calls_of_each_part_of_the_time_are_kept, digested_begin, digested_end)
{
	struct outermost_call longest[LONGEST];

	for (int i = 0; i < 240; i++)
		digested_call(it.worker, "reserve", i * 100 * MS, (1 + i % 10) * MS, MS, 0);
	digested_read();
	assert_int_equal(digest_longest(it.digest, longest, LONGEST), LONGEST);
	for (int i = 0; i < LONGEST; i++) {
		assert_int_equal(longest[i].span.duration, 10 * MS);
		assert_true(!i || longest[i].span.start > longest[i - 1].span.start);
	}
	assert_int_equal(longest[0].span.number, 9);
	assert_int_equal(longest[0].thread, 1);
}

CASE(kinds_of_waits_are_told_apart_by_place_and_waker, digested_begin, digested_end)
{
	digested_call(it.holder, "ready", 0, MS, MS, 0);
	digested_call(it.other, "ready", 0, MS, MS, 0);
	for (int i = 0; i < 6; i++) {
		digested_wait(it.worker, i * 100 * MS, 40 * MS, i % 2 ? it.holder : 0);
		digested_call(it.worker, "reserve", i * 100 * MS, 40 * MS, 0, 0);
	}
	digested_wait_for_future(it.worker, 600 * MS, 40 * MS,
				 it.holder); /* in the JDK's code: the place is its caller */
	digested_call(it.worker, "reserve", 600 * MS, 40 * MS, 0, 0);
	digested_read();
	assert_int_equal(it.digest->kinds.count, 2);
	assert_int_equal(it.digest->blocked.count, 7); /* columns */
	for (size_t i = 0; i < it.digest->kinds.count; i++) {
		const struct wait_kind *kind = &it.digest->kinds.kind[i];

		assert_string_equal(it.digest->kinds.text.text[kind->reason], "futex");
		assert_string_equal(it.digest->kinds.text.text[kind->place], "com.acme.Cart.reserve():17");
		assert_string_equal(it.digest->kinds.text.text[kind->waker], i ? "worker-*" : "");
		assert_true(kind->lock);
	}
}

static uint64_t samples_of(const char *method, uint32_t rank, int64_t *in_no_other)
{
	uint64_t count = 0;

	*in_no_other = 0;
	for (size_t i = 0; i < it.digest->sampled.count; i++) {
		const struct cell *c = &it.digest->sampled.cell[i];
		uint32_t name = it.digest->tree.node[c->item].name;

		if (c->method != rank || strcmp(name ? method_names_text(&it.digest->names, name) : "", method))
			continue;
		count += c->count;
		*in_no_other += c->sum[0];
	}
	return count;
}

/* outer [10, 50] has inner [20, 30] inside. */
CASE(samples_count_in_the_calls_around_them_and_once_in_all, digested_begin, digested_end)
{
	int64_t once;

	for (int ms = 0; ms < 60; ms++)
		digested_sample(it.worker, ms < 25 ? "hash" : ms < 45 ? "copy" : NULL, ms * MS);
	digested_sample(it.other, "hash", 22 * MS);
	digested_call(it.worker, "inner", 20 * MS, 10 * MS, 10 * MS, 0);
	digested_call(it.worker, "outer", 10 * MS, 40 * MS, 40 * MS, 0);
	digested_read();
	assert_int_equal(samples_of("com.acme.Cart.hash()", 0, &once), 15);
	assert_int_equal(once, 10);
	assert_int_equal(samples_of("com.acme.Cart.hash()", 1, &once), 5);
	assert_int_equal(once, 5);
	assert_int_equal(samples_of("com.acme.Cart.copy()", 0, &once), 20);
	assert_int_equal(once, 15);
	assert_int_equal(samples_of("com.acme.Cart.copy()", 1, &once), 5);
	assert_int_equal(samples_of("", 0, &once), 5);
	assert_int_equal(once, 5);
	assert_int_equal(samples_of("", 1, &once), 0);
}
