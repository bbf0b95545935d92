// SPDX-License-Identifier: BSD-2-Clause
/*
 * Hand-made files: calls with contextual fields in one, the JVM's events in the other. tests/live/file/context.sh merges
 * recordings of JVMs.
 */
#include "tests/unit/jfr/merged.h"

enum { LOAD = 100, COPY, READ, WRITE, SAMPLE, THREAD };

#define US 1000
#define MS 1000000

static void put_string(const char *text)
{
	bytes_put_text(&b.body, text, 100);
}

/* The types and threads of a file; key i is thread i of the JVM. */
static void declare_thread(void)
{
	chunk_class(&b, "java.lang.Thread", THREAD, NULL);
	chunk_field(&b, "osName", B_STRING, 0);
	chunk_field(&b, "javaThreadId", B_LONG, 0);
}

static void put_threads(void)
{
	chunk_begin_pool(&b, THREAD, 2);
	for (int i = 1; i <= 2; i++) {
		char name[16];

		snprintf(name, sizeof(name), "worker-%d", i);
		bytes_put_leb(&b.body, i);
		put_string(name);
		bytes_put_leb(&b.body, 20 + i);
	}
	chunk_end_pool(&b);
}

static void declare_event(const char *name, int type)
{
	chunk_event(&b, name, type);
	chunk_span(&b, "duration");
	chunk_field(&b, "eventThread", THREAD, B_CONSTANT);
}

static void declare_ours(void)
{
	declare_thread();
	declare_event("srv.Load", LOAD);
	chunk_field(&b, "user", B_STRING, 0);
	chunk_annotate_field(&b, B_CONTEXTUAL, NULL);
	chunk_field(&b, "size", B_INT, 0);
	chunk_annotate_field(&b, B_CONTEXTUAL, NULL);
	chunk_field(&b, "other", B_INT, 0); /* no context */
	declare_event("srv.Copy", COPY);
	chunk_field(&b, "ratio", B_DOUBLE, 0);
	chunk_annotate_field(&b, B_CONTEXTUAL, NULL);
}

static void declare_jvms(void)
{
	declare_event("jdk.FileRead", READ);
	declare_event("jdk.FileWrite", WRITE);
	chunk_event(&b, "jdk.ExecutionSample", SAMPLE);
	chunk_field(&b, "sampledThread", THREAD, B_CONSTANT);
}

static void begin(int type, int64_t after, int64_t duration, int thread)
{
	chunk_begin_event(&b, type, after);
	if (type != SAMPLE)
		bytes_put_leb(&b.body, duration);
	bytes_put_leb(&b.body, thread);
}

static void load(int64_t after, int64_t duration, int thread, const char *user, int size)
{
	begin(LOAD, after, duration, thread);
	put_string(user);
	bytes_put_leb(&b.body, size);
	bytes_put_leb(&b.body, 9);
	chunk_end_event(&b);
}

static void copy(int64_t after, int64_t duration, int thread)
{
	begin(COPY, after, duration, thread);
	bytes_put_be64(&b.body, 0x3fe0000000000000); /* 0.5 */
	chunk_end_event(&b);
}

static void happen(int type, int64_t after, int64_t duration, int thread)
{
	begin(type, after, duration, thread);
	chunk_end_event(&b);
}

enum { OURS, JVMS };

static void finish(int n)
{
	put_threads();
	finish_file(n);
}

/* On thread 1: ann's load, in it a copy, and in that bob's load; on thread 2 eve's load at the same time. */
static void make_ours(void)
{
	declare_ours();
	load(10 * MS, 100 * MS, 1, "ann", 7);
	copy(20 * MS, 60 * MS, 1);
	load(40 * MS, 20 * MS, 1, "bob", 8);
	load(10 * MS, 100 * MS, 2, "eve", 6);
	finish(OURS);
}

/* Of the JVM's events on thread 1 the first is before all calls, the last behind them. */
static void make_jvms(int type)
{
	declare_thread();
	declare_jvms();
	happen(type, 5 * MS, MS, 1);
	happen(type, 12 * MS, MS, 1);
	happen(type, 30 * MS, MS, 1);
	happen(type, 50 * MS, MS, 1);
	happen(type, 50 * MS, MS, 2);
	happen(type, 70 * MS, MS, 1);
	happen(type, 120 * MS, MS, 1);
	finish(JVMS);
}

static bool writes_wanted;

static bool is_wanted(void *context, const char *event)
{
	return !strcmp(event, "jdk.FileRead") || !strcmp(event, "jdk.ExecutionSample") || !strncmp(event, "srv.", 4) ||
	       (writes_wanted && !strcmp(event, "jdk.FileWrite"));
}

static int merge_both(const char **fault)
{
	return merge_files((struct jfr_merge_sink){.with_context = is_wanted}, 2, fault);
}

static const char *find_event(const char *text, const char *type, int n)
{
	char head[64];

	snprintf(head, sizeof(head), "\"type\": \"%s\"", type);
	for (int i = 0; i <= n; i++) {
		text = strstr(text + 1, head);
		if (!text)
			fail_msg("only %d of %s", i, type);
	}
	return text;
}

/* A field of the n-th event of a type, as JSON; "": it has none. */
static void assert_field(const char *text, const char *type, int n, const char *field, const char *want)
{
	const char *at = find_event(text, type, n), *end = strstr(at + 1, "\"type\": "), *found;
	char name[64], got[32] = "";

	snprintf(name, sizeof(name), "\"%s\": ", field);
	found = strstr(at, name);
	if (found && (!end || found < end))
		snprintf(got, sizeof(got), "%.*s", (int)strcspn(found + strlen(name), ",\n}"), found + strlen(name));
	if (strcmp(got, want) != 0)
		fail_msg("%s %d: %s is '%s', not '%s'", type, n, field, got, want);
}

static void check_merged(const char *type)
{
	static const struct {
		const char *user, *size, *ratio;
	} want[] = {
		{"null", "-2147483648", "null"}, /* outside */
		{"\"ann\"", "7", "null"},	 {"\"ann\"", "7", "0.5"},
		{"\"bob\"", "8", "0.5"},  /* the innermost of each name */
		{"\"eve\"", "6", "null"}, /* of its own thread */
		{"\"ann\"", "7", "0.5"},	 {"null", "-2147483648", "null"},
	};
	const char *fault, *text;

	assert_int_equal(merge_both(&fault), 0);
	assert_null(fault);
	text = jfr_printed(&merged, true, NULL, NULL);
	for (int i = 0; i < 7; i++) {
		assert_field(text, type, i, "Load_user", want[i].user);
		assert_field(text, type, i, "Load_size", want[i].size);
		assert_field(text, type, i, "Load_other", "");
		if (strcmp(want[i].ratio, "null") != 0)
			assert_field(text, type, i, "Copy_ratio", want[i].ratio);
	}
	assert_field(text, "srv.Load", 0, "Load_user", ""); /* the user's own are context, and get none */
}

CASE(events_carry_the_innermost_context_of_each_name, setup, teardown)
{
	make_ours();
	make_jvms(READ);
	check_merged("jdk.FileRead");
}

/* Their thread is in another field, and they have no duration. */
CASE(sampled_events_carry_the_context_of_the_sampled_thread, setup, teardown)
{
	make_ours();
	make_jvms(SAMPLE);
	check_merged("jdk.ExecutionSample");
}

CASE(events_that_are_not_named_stay_as_they_are, setup, teardown)
{
	const char *fault, *text;

	make_ours();
	make_jvms(WRITE);
	assert_int_equal(merge_both(&fault), 0);
	text = jfr_printed(&merged, true, NULL, NULL);
	assert_field(text, "jdk.FileWrite", 2, "Load_user", "");
}

/* Reads of the JVM begin 10 us into calls of 100 us; its clock is 700 us ahead. */
CASE(clocks_that_differ_are_laid_over_each_other, setup, teardown)
{
	const char *fault, *text;

	declare_ours();
	for (int i = 0; i < 50; i++)
		load(2000 * US * i + i * i * US, 100 * US, 1, "ann", i);
	finish(OURS);
	declare_thread();
	declare_jvms();
	for (int i = 0; i < 50; i++)
		happen(READ, 2000 * US * i + i * i * US + 10 * US + 700 * US, 5 * US, 1);
	finish(JVMS);
	assert_int_equal(merge_both(&fault), 0);
	text = jfr_printed(&merged, true, NULL, NULL);
	for (int i = 0; i < 50; i++) {
		char size[16];

		snprintf(size, sizeof(size), "%d", i);
		assert_field(text, "jdk.FileRead", i, "Load_user", "\"ann\"");
		assert_field(text, "jdk.FileRead", i, "Load_size", size);
	}
}

/*
 * Reads begin 6 us into copies, and copies lie in loads. Most writes begin 20 us behind a load: laid into it, they would cost
 * more reads their copy.
 */
CASE(events_beside_calls_do_not_move_those_in_them, setup, teardown)
{
	const char *fault, *text;

	declare_ours();
	for (int i = 0; i < 60; i++) {
		load(2000 * US * i, 1000 * US, 1, "ann", i);
		copy(2000 * US * i + 100 * US, 200 * US, 1);
	}
	finish(OURS);
	declare_thread();
	declare_jvms();
	for (int i = 0; i < 60; i++) {
		happen(READ, 2000 * US * i + 106 * US, 50 * US, 1);
		if (i % 3)
			happen(WRITE, 2000 * US * i + 1020 * US, 50 * US, 1);
	}
	finish(JVMS);
	writes_wanted = true;
	assert_int_equal(merge_both(&fault), 0);
	writes_wanted = false;
	text = jfr_printed(&merged, true, NULL, NULL);
	for (int i = 0; i < 60; i++)
		assert_field(text, "jdk.FileRead", i, "Copy_ratio", "0.5");
	assert_field(text, "jdk.FileWrite", 0, "Load_user", "null");
}

/*
 * Ten reads of a load follow each other, each in a copy, and behind the load the thread parks. The JVM's clock is 2 us behind.
 * With the clocks as they are most reads lie in the copy before theirs, the first one still in the load, and the park, too:
 * as many events in calls as where they belong. But the park does not end there.
 */
CASE(events_that_reach_over_the_end_of_a_call_are_not_in_it, setup, teardown)
{
	const char *fault, *text;

	declare_ours();
	for (int i = 0; i < 60; i++) {
		load(1000 * US * i, 121 * US, 1, "ann", i);
		for (int n = 0; n < 10; n++)
			copy(1000 * US * i + 100 * US + n * 2 * US, US + 800, 1);
	}
	finish(OURS);
	declare_thread();
	declare_jvms();
	for (int i = 0; i < 60; i++) {
		for (int n = 0; n < 10; n++)
			happen(READ, 1000 * US * i + 98 * US + n * 2 * US + 300, 1000, 1);
		happen(WRITE, 1000 * US * i + 119 * US + 700, 400 * US, 1);
	}
	finish(JVMS);
	writes_wanted = true;
	assert_int_equal(merge_both(&fault), 0);
	writes_wanted = false;
	assert_true(result.laid);
	assert_in_range(result.shift, 1700, 2499);
	assert_in_range(result.shift_error, 1, 800);
	text = jfr_printed(&merged, true, NULL, NULL);
	for (int i = 0; i < 600; i++)
		assert_field(text, "jdk.FileRead", i, "Copy_ratio", "0.5");
	for (int i = 0; i < 60; i++)
		assert_field(text, "jdk.FileWrite", i, "Load_user", "null");
}

/* It is reported, or changes nothing: qsort() has a way without. */
CASE(missing_memory_is_reported, setup, teardown)
{
	struct bytes whole = {0};
	unsigned int n = 0;
	const char *fault;
	bool happened;
	int err;

	fail_nth_or_skip();
	make_ours();
	make_jvms(READ);
	assert_int_equal(merge_both(&fault), 0);
	bytes_init(&whole);
	bytes_put(&whole, merged.data, merged.size);
	do {
		fail_nth(++n);
		err = merge_both(&fault);
		happened = fail_nth_end();
		if (err) {
			assert_true(happened && (err == -ENOMEM || fault));
		} else {
			assert_int_equal(merged.size, whole.size);
			assert_memory_equal(merged.data, whole.data, whole.size);
		}
		bytes_release(&merged);
		bytes_init(&merged);
	} while (happened);
	bytes_release(&whole);
	assert_true(n > 30);
}

CASE(context_lines_stand_on_sampled_events, setup, teardown)
{
	const char *sample;
	const char *text;

	declare_ours();
	declare_jvms();
	happen(SAMPLE, 5 * MS, 0, 1);
	load(10 * MS, 100 * MS, 1, "ann", 7);
	happen(SAMPLE, 50 * MS, 0, 1);
	happen(SAMPLE, 51 * MS, 0, 2);
	finish(OURS);
	text = jfr_printed(&file[OURS], false, NULL, NULL);
	sample = strstr(text, "jdk.ExecutionSample {\n  startTime"); /* before the call */
	assert_ptr_equal(sample, strstr(text, "jdk.ExecutionSample"));
	sample = strstr(text,
			"jdk.ExecutionSample {\n  Context: Load.user = \"ann\"\n  Context: Load.size = 7\n  startTime");
	if (!sample)
		fail_msg("no context in %s", text);
	sample = strstr(sample + 1, "jdk.ExecutionSample");
	assert_ptr_equal(sample, strstr(sample, "jdk.ExecutionSample {\n  startTime")); /* of another thread */
}
