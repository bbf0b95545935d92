// SPDX-License-Identifier: BSD-2-Clause
/* What recordings say of their JVM and of its clock. */
#include "user/trace/merge_check.h"
#include "user/trace/origin.h"
#include "tests/lib/jfr_builder.h"
#include "tests/lib/recording.h"
#include "tests/lib/test.h"
#include "user/text/log.h"

#define SECOND 1000000000ll

enum { INFORMATION = 100 };

static struct bytes file[2];
static struct diag d;

static int teardown(void **state)
{
	for (int i = 0; i < 2; i++)
		bytes_release(&file[i]);
	return 0;
}

/* Our recording: chunks of a minute. In each the wall clock has been set by `step` more. */
static void write_ours(int n, int64_t pid, int64_t start_ms, int64_t step)
{
	struct recording r = recording_new();

	for (int i = 0; i < 3; i++) {
		struct jfr_jvm_information jvm = {.start = r.now, .jvm_start_ms = start_ms, .pid = pid};
		struct jfr_clock clock = {
			.start = r.now, .monotonic = r.now, .realtime = NANOS + (r.now - T0) + i * step};

		recording_begin(&r);
		jfr_jvm_information(r.w, &jvm);
		jfr_clock(r.w, &clock);
		recording_end(&r, i == 2);
		r.now += 60 * SECOND;
	}
	bytes_init(&file[n]);
	bytes_put(&file[n], r.file.data, r.file.size);
	recording_free(&r);
}

static void put_be64(unsigned char *at, uint64_t v)
{
	for (int i = 7; i >= 0; i--, v >>= 8)
		at[i] = v;
}

static void put_jvm(struct chunk_builder *b, int64_t pid, int64_t start_ms)
{
	chunk_begin_event(b, INFORMATION, 0);
	bytes_put_leb(&b->body, start_ms);
	bytes_put_leb(&b->body, pid);
	chunk_end_event(b);
}

/* Of a JVM: two chunks, an hour apart; what it is stands in the second one. */
static void write_jvm(int n, int64_t pid, int64_t start_ms, int64_t step)
{
	struct chunk_builder b;
	size_t second;

	bytes_init(&file[n]);
	chunk_init(&b);
	chunk_event(&b, "jdk.JVMInformation", INFORMATION);
	chunk_field(&b, "jvmStartTime", B_LONG, 0);
	chunk_field(&b, "pid", B_LONG, 0);
	chunk_finish(&b, &file[n]);
	second = file[n].size;
	put_jvm(&b, pid, start_ms);
	chunk_finish(&b, &file[n]);
	put_be64(file[n].data + second + 32, BUILDER_NANOS + 3600 * SECOND + step);
	put_be64(file[n].data + second + 48, BUILDER_T0 + 3600 * SECOND);
	chunk_release(&b);
}

static const char *path_of(int n)
{
	return n ? "b.jfr" : "a.jfr";
}

static struct origin origin_of(int n)
{
	struct origin o;
	struct jfr_file f;

	jfr_file_init(&f, file[n].data, file[n].size);
	origin_read(&f, &o);
	jfr_file_release(&f);
	return o;
}

static struct merge_clock clock_of(int n)
{
	struct merge_clock clock;
	struct jfr_file f;

	jfr_file_init(&f, file[n].data, file[n].size);
	merge_clock_read(&f, &clock);
	jfr_file_release(&f);
	return clock;
}

/* As merge does. */
static int check(void)
{
	struct origin a = origin_of(0), b = origin_of(1);
	struct jfr_file f;

	for (int n = 0; n < 2; n++) {
		jfr_file_init(&f, file[n].data, file[n].size);
		merge_check(path_of(n), &f);
		jfr_file_release(&f);
	}
	d = (struct diag){0};
	return origin_check_jvm(path_of(0), &a, path_of(1), &b, "cannot merge", &d);
}

CASE(recordings_of_one_jvm_go_together, .teardown = teardown)
{
	write_ours(0, 42, 1699999999123, 0);
	write_jvm(1, 42, 1699999999123, 0);
	assert_int_equal(check(), 0);
	assert_int_equal(origin_of(0).pid, 42);
	assert_int_equal(origin_of(1).pid, 42);
	assert_int_equal(origin_of(1).start_ms, 1699999999123);
}

CASE(recordings_of_two_jvms_are_refused, .teardown = teardown)
{
	write_ours(0, 42, 1699999999123, 0);
	write_jvm(1, 43, 1699999999123, 0);
	assert_true(check() < 0);
	assert_string_equal(
		d.text, "cannot merge: 'a.jfr' is of process 42, 'b.jfr' of process 43: they have to be of one JVM");
}

/* In a container each JVM is process 1. */
CASE(so_are_two_that_had_one_pid, .teardown = teardown)
{
	write_ours(0, 1, 1699999999123, 0);
	write_jvm(1, 1, 1699999999123 + 3600000, 0);
	assert_true(check() < 0);
	assert_string_equal(
		d.text,
		"cannot merge: 'a.jfr' and 'b.jfr' are of two JVMs that were process 1 one after the other: they have to be of one");
}

CASE(what_is_not_known_is_not_compared, .teardown = teardown)
{
	write_ours(0, 42, JFR_MISSING, 0);
	write_jvm(1, 42, 1699999999123, 0);
	assert_int_equal(check(), 0);
	bytes_release(&file[1]);
	write_ours(1, 42, JFR_MISSING, 0);
	assert_int_equal(check(), 0);
}

CASE(a_recording_that_tells_no_jvm_goes_with_any, .teardown = teardown)
{
	struct chunk_builder b;

	write_ours(0, 42, 1699999999123, 0);
	bytes_init(&file[1]);
	chunk_init(&b);
	chunk_event(&b, "T", INFORMATION);
	chunk_finish(&b, &file[1]);
	chunk_release(&b);
	assert_int_equal(check(), 0);
	assert_true(origin_of(1).pid == INT64_MIN);
}

CASE(a_clock_that_was_set_is_said, .teardown = teardown)
{
	uint64_t said = log_lines();

	write_ours(0, 42, 1699999999123, 0);
	write_jvm(1, 42, 1699999999123, 0);
	assert_int_equal(clock_of(0).step, 0);
	assert_int_equal(clock_of(1).step, 0);
	assert_int_equal(check(), 0);
	assert_int_equal(log_lines(), said);
	teardown(NULL);
	write_ours(0, 42, 1699999999123, -10 * SECOND);
	write_jvm(1, 42, 1699999999123, 7200 * SECOND);
	assert_int_equal(clock_of(0).step, -20 * SECOND);
	assert_int_equal(clock_of(1).step, 7200 * SECOND);
	assert_int_equal(check(), 0);
	assert_int_equal(log_lines(), said + 2);
}

/* Ticks of a JVM that are wrong by 100 parts in a million. */
CASE(a_clock_that_drifts_is_not, .teardown = teardown)
{
	uint64_t said = log_lines();

	write_ours(0, 42, 1699999999123, 0);
	write_jvm(1, 42, 1699999999123, 3600 * SECOND / 10000);
	assert_int_equal(clock_of(1).step, 3600 * SECOND / 10000);
	assert_int_equal(check(), 0);
	assert_int_equal(log_lines(), said);
}

/* A recording of a minute. */
static void write_minute(int n, int64_t start, int64_t duration)
{
	struct chunk_builder b;

	bytes_release(&file[n]);
	bytes_init(&file[n]);
	chunk_init(&b);
	chunk_event(&b, "T", INFORMATION);
	chunk_finish(&b, &file[n]);
	put_be64(file[n].data + 32, start);
	put_be64(file[n].data + 40, duration);
	chunk_release(&b);
}

static int64_t ahead(int64_t start, int64_t duration)
{
	struct jfr_file around, own;
	int64_t ns;

	write_minute(0, BUILDER_NANOS, 60 * SECOND);
	write_minute(1, BUILDER_NANOS + start, duration);
	jfr_file_init(&own, file[0].data, file[0].size);
	jfr_file_init(&around, file[1].data, file[1].size);
	ns = merge_clock_ahead(&around, &own);
	jfr_file_release(&around);
	jfr_file_release(&own);
	return ns;
}

CASE(another_clock_is_told_by_both_ends, .teardown = teardown)
{
	const int64_t days = 15 * 86400 * SECOND;

	assert_int_equal(ahead(-SECOND, 62 * SECOND), 0);
	assert_int_equal(ahead(-3600 * SECOND, 3700 * SECOND), 0); /* it began long before */
	assert_int_equal(ahead(30 * SECOND, 31 * SECOND), 0);	   /* it has lost its beginning */
	assert_int_equal(ahead(-SECOND, 30 * SECOND), 0);	   /* it has ended early */
	assert_int_equal(ahead(days - SECOND, 62 * SECOND), days - SECOND);
	assert_int_equal(ahead(-days - SECOND, 62 * SECOND), -days + SECOND);
	assert_int_equal(ahead(5 * SECOND, 61 * SECOND), 5 * SECOND);
	assert_int_equal(ahead(-5 * SECOND, 61 * SECOND), -4 * SECOND);
}

CASE(no_damage_is_fatal, .teardown = teardown)
{
	static const unsigned char values[] = {0, 1, 0x7f, 0x80, 0xff};

	write_ours(0, 42, 1699999999123, 0);
	write_jvm(1, 42, 1699999999123, 0);
	log_set(true, false);
	for (size_t at = 0; at < file[1].size; at++) {
		unsigned char before = file[1].data[at];

		for (size_t v = 0; v < sizeof(values); v++) {
			file[1].data[at] = values[v];
			assert_true(check() <= 0);
		}
		file[1].data[at] = before;
	}
	log_set(false, false);
}
