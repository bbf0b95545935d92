// SPDX-License-Identifier: BSD-2-Clause
/* The segment of frtrace's own, seen through the reader of the agent's. */
#include "user/segment/segment_make.h"
#include "user/segment/segment_names.h"
#include "user/capture/timing.h"
#include "user/text/java_number.h"
#include "tests/lib/test.h"

static struct segment s;

static int setup(void **state)
{
	struct target t = {.ns_pid = 42};
	struct diag d = {0};

	return segment_make(&s, &t, &d);
}

static int teardown(void **state)
{
	segment_close(&s);
	return 0;
}

static uint32_t add_method(const char *class_name, const char *name, uint64_t rule)
{
	struct segment_new_method m = {.class_id = segment_add_class(&s, class_name, FRT_BOOT_LOADER),
				       .name = name,
				       .descriptor = "(I)V",
				       .rule = rule};

	return segment_add_method(&s, &m);
}

CASE(recording_runs_and_is_alone, setup, teardown)
{
	assert_true(segment_beat(&s));
	assert_false(segment_is_shared(&s));
	assert_int_equal(segment_header(&s)->pid, 42);
}

CASE(rows_are_found_by_their_numbers, setup, teardown)
{
	uint32_t id = add_method("a/b/C", "m", FRT_RULE_TIMED), classes;
	struct frt_thread thread = {.serial = 5, .tid = 77, .name_length = 4, .name = "main"}, read;
	struct bytes name = {.size = 0};

	segment_put_method(&name, &s, id);
	assert_string_equal(bytes_text(&name), "a.b.C.m(int)");
	bytes_release(&name);
	assert_int_equal(*segment_rule(&s, id), FRT_RULE_TIMED);
	assert_int_equal(segment_count_hooked(&s, &classes), 1);
	assert_int_equal(classes, 1);
	segment_put_thread(&s, &thread);
	assert_true(segment_thread(&s, 5, &read));
	assert_int_equal(read.tid, 77);
}

CASE(loaders_have_names, setup, teardown)
{
	uint32_t number = segment_add_loader(&s, "a/b/Loader", "app");
	struct bytes name = {.size = 0};

	segment_put_loader(&name, &s, number);
	put_text(&name, " ");
	segment_put_loader(&name, &s, segment_add_loader(&s, "a/b/Loader", NULL));
	assert_string_equal(bytes_text(&name), "app a.b.Loader");
	bytes_release(&name);
}

CASE(methods_that_are_not_traced_are_noted, setup, teardown)
{
	struct bytes name = {.size = 0};

	segment_add_skip(&s, "a/b/C", "m", "(I)V", FRT_SKIP_TABLE_FULL);
	assert_int_equal(segment_skips(&s), 1);
	assert_int_equal(segment_skip(&s, 0)->reason, FRT_SKIP_TABLE_FULL);
	segment_put_name(&name, &s, segment_skip(&s, 0)->class_name, segment_skip(&s, 0)->method,
			 segment_skip(&s, 0)->descriptor);
	assert_string_equal(bytes_text(&name), "a.b.C.m(int)");
	bytes_release(&name);
	for (uint32_t i = 1; i < FRT_MAX_SKIPS + 5; i++)
		segment_add_skip(&s, "a/b/C", NULL, NULL, FRT_SKIP_TABLE_FULL);
	assert_int_equal(segment_skips(&s), FRT_MAX_SKIPS);
}

CASE(full_tables_take_no_more, setup, teardown)
{
	char *long_name = malloc(0x10001);

	assert_non_null(long_name);
	memset(long_name, 'x', 0x10000);
	long_name[0x10000] = 0;
	assert_int_equal(segment_add_class(&s, long_name, 0), 0);
	free(long_name);
	assert_int_equal(add_method("a/b/C", "m", 0), 1);
	segment_header(&s)->methods = FRT_MAX_METHODS - 1;
	assert_int_equal(add_method("a/b/D", "m", 0), 0);
	segment_header(&s)->strings = FRT_STRINGS_SIZE - 5;
	assert_int_equal(segment_add_class(&s, "abc", 0), 0);
	assert_int_not_equal(segment_add_class(&s, "ab", 0), 0);
}

CASE(timed_calls_have_sums_and_percentiles, setup, teardown)
{
	uint32_t id = add_method("a/b/C", "m", FRT_RULE_TIMED);
	struct timings *t = calloc(1, sizeof(*t));
	uint64_t p[TIMING_PERCENTILES];

	assert_non_null(t);
	for (uint64_t ticks = 1; ticks <= 1000; ticks++)
		segment_add_call(&s, id, ticks, ticks % 10 == 0);
	segment_add_call(&s, id, UINT64_MAX, false);
	timings_read(t, &s);
	assert_int_equal(t->of[id].count, 1001);
	assert_int_equal(t->of[id].thrown, 100);
	assert_int_equal(t->of[id].minimum, 1);
	assert_int_equal(t->of[id].maximum, UINT64_MAX);
	assert_int_equal(t->of[id].total, 500500 + UINT64_MAX);
	assert_true(timing_percentiles(&s, t, id, p));
	assert_in_range(p[TIMING_P50], 490, 510);
	assert_in_range(p[TIMING_P90], 885, 915);
	timings_release(t);
	free(t);
}
