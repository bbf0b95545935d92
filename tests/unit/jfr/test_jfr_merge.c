// SPDX-License-Identifier: BSD-2-Clause
/*
 * Hand-made files, each with a single point on which two recordings may disagree. tests/live/file/merge.sh merges
 * recordings of JVMs.
 */
#include "tests/unit/jfr/merged.h"

enum { EVENT = 100, THING, OTHER, THREAD, INNER };

/* Merge the files, which are empty then. */
static void merge_as(struct jfr_merge_sink how, size_t count)
{
	const char *fault;

	assert_int_equal(merge_files(how, count, &fault), 0);
	assert_null(fault);
	for (int i = 0; i < 2; i++)
		bytes_clear(&file[i]);
}

static void merge(void)
{
	merge_as((struct jfr_merge_sink){0}, 2);
}

static const char *print(bool json)
{
	return jfr_printed(&merged, json, NULL, NULL);
}

static void assert_printed(const char *want)
{
	assert_string_equal(print(false), want);
}

static void put_be64(unsigned char *at, uint64_t v)
{
	for (int i = 7; i >= 0; i--, v >>= 8)
		at[i] = v;
}

static void event(int type, int64_t after, int64_t number)
{
	chunk_put_event(&b, type, after, number);
}

static void add_numbers(const char *name)
{
	chunk_event(&b, name, EVENT);
	chunk_field(&b, "number", B_LONG, 0);
}

/* Check the order in the file itself, not that of a reader. */
static void assert_in_order(void)
{
	int64_t last = INT64_MIN;
	struct jfr_chunk *chunk;
	struct jfr_event e;
	struct jfr_file f;

	jfr_file_init(&f, merged.data, merged.size);
	while ((chunk = jfr_file_next(&f))) {
		for (uint64_t at = JFR_HEADER_SIZE; jfr_chunk_next(chunk, &at, &e);) {
			if (!e.type)
				continue;
			assert_true(jfr_event_times(chunk, &e).start >= last);
			last = jfr_event_times(chunk, &e).start;
		}
		jfr_chunk_put(chunk);
	}
	assert_true(last > INT64_MIN);
	jfr_file_release(&f);
}

CASE(events_are_ordered_by_time, setup, teardown)
{
	const char *at;

	add_numbers("A");
	event(EVENT, 3000000, 3);
	event(EVENT, 1000000, 1);
	finish_file(0);
	add_numbers("B");
	event(EVENT, 4000000, 4);
	event(EVENT, 2000000, 2);
	finish_file(1);
	merge();
	assert_int_equal(result.events, 4);
	assert_in_order();
	at = print(false);
	for (int i = 1; i <= 4; i++) {
		char want[64];

		snprintf(want, sizeof(want), "%s {\n  startTime = 23:13:20.00%d (2023-11-14)\n  number = %d\n}",
			 i % 2 ? "A" : "B", i, i);
		at = strstr(at, want);
		assert_non_null(at);
	}
}

/* The second file counts in units of half a nanosecond, and began a second later. */
CASE(ticks_are_converted_to_the_first_clock, setup, teardown)
{
	for (int i = 0; i < 2; i++) {
		chunk_event(&b, "T", EVENT);
		chunk_span(&b, "span");
		chunk_field(&b, "moment", B_LONG, 0);
		chunk_annotate_field(&b, B_TIMESTAMP, "TICKS");
		chunk_span(&b, "never");
		chunk_put_event(&b, EVENT, 2000000, 500000, BUILDER_T0 + 4000000, INT64_MIN);
		finish_file(i);
	}
	put_be64(file[1].data + 32, BUILDER_NANOS + 1000000000);
	put_be64(file[1].data + 56, 2000000000);
	merge();
	assert_printed(
		"T {\n  startTime = 23:13:20.002 (2023-11-14)\n  span = 0.500 ms\n  moment = 23:13:20.004 (2023-11-14)\n"
		"  never = N/A\n}\n\n"
		"T {\n  startTime = 23:13:21.001 (2023-11-14)\n  span = 0.250 ms\n  moment = 23:13:21.002 (2023-11-14)\n"
		"  never = N/A\n}\n\n");
}

static void put_thing(int64_t key, int64_t number)
{
	chunk_begin_pool(&b, THING, 1);
	bytes_put_leb(&b.body, key);
	bytes_put_leb(&b.body, number);
	chunk_end_pool(&b);
}

static void add_thing(const char *event_name)
{
	chunk_class(&b, "Thing", THING, NULL);
	chunk_field(&b, "number", B_LONG, 0);
	chunk_event(&b, event_name, EVENT);
	chunk_field(&b, "thing", THING, B_CONSTANT);
}

CASE(equal_keys_in_two_files_are_different_constants, setup, teardown)
{
	static const int64_t keys[] = {0, 1, 7, -1, -5};
	const char *text;

	for (int i = 0; i < 2; i++) {
		add_thing(i ? "B" : "A");
		for (int k = 0; k < 5; k++) {
			put_thing(keys[k], 10 * i + k);
			event(EVENT, 1000000 * k + 1000 * i, keys[k]);
		}
		event(EVENT, 9000000, 6); /* leads nowhere */
		finish_file(i);
	}
	merge();
	text = print(true);
	for (int i = 0; i < 20; i++) {
		char want[32];

		snprintf(want, sizeof(want), "\"number\": %d\n", i);
		if (i % 10 < 5)
			assert_contains(text, want);
	}
	assert_contains(text, "\"thing\": null");
}

/* In the second file the fields of T have another order, one is missing, and one is new. */
CASE(types_of_one_name_become_one, setup, teardown)
{
	chunk_event(&b, "T", EVENT);
	chunk_span(&b, "duration");
	chunk_field(&b, "only", B_STRING, 0);
	chunk_span(&b, "wait");
	chunk_field(&b, "count", B_INT, 0);
	chunk_begin_event(&b, EVENT, 0);
	bytes_put_leb(&b.body, 1000000);
	bytes_put_text(&b.body, "first", 100);
	bytes_put_leb(&b.body, 2000000);
	bytes_put_leb(&b.body, 3);
	chunk_end_event(&b);
	finish_file(0);
	chunk_event(&b, "T", OTHER);
	chunk_span(&b, "duration");
	chunk_field(&b, "count", B_INT, 0);
	chunk_field(&b, "fresh", B_BOOLEAN, 0);
	chunk_put_event(&b, OTHER, 5000000, 1000000, 4, 1);
	finish_file(1);
	merge();
	assert_printed(
		"T {\n  startTime = 23:13:20.000 (2023-11-14)\n  duration = 1.00 ms\n  only = \"first\"\n  wait = 2.00 ms\n"
		"  count = 3\n  fresh = false\n}\n\n"
		"T {\n  startTime = 23:13:20.005 (2023-11-14)\n  duration = 1.00 ms\n  only = N/A\n  wait = N/A\n"
		"  count = 4\n  fresh = true\n}\n\n");
}

/* Thing is a number in one file and a text in the other; so the types that contain it differ, and the event. */
CASE(contradicting_types_stay_separate, setup, teardown)
{
	for (int i = 0; i < 2; i++) {
		chunk_class(&b, "Thing", THING, NULL);
		chunk_field(&b, "value", i ? B_STRING : B_LONG, 0);
		chunk_class(&b, "Inner", INNER, NULL);
		chunk_field(&b, "thing", THING, B_CONSTANT);
		chunk_event(&b, "T", EVENT);
		chunk_field(&b, "inner", INNER, 0);
		chunk_begin_pool(&b, THING, 1);
		bytes_put_leb(&b.body, 1);
		if (i)
			bytes_put_text(&b.body, "a text", 100);
		else
			bytes_put_leb(&b.body, 42);
		chunk_end_pool(&b);
		event(EVENT, 0, 1);
		finish_file(i);
	}
	merge();
	assert_contains(print(true), "\"value\": 42\n");
	assert_contains(print(true), "\"value\": \"a text\"\n");
}

static uint32_t types_named(const char *name)
{
	struct jfr_file f;
	struct jfr_chunk *chunk;
	uint32_t n = 0;

	jfr_file_init(&f, merged.data, merged.size);
	chunk = jfr_file_next(&f);
	assert_non_null(chunk);
	for (uint32_t i = 0; i < chunk->metadata->count; i++)
		n += strcmp(chunk->metadata->types[i].name, name) == 0;
	jfr_chunk_put(chunk);
	jfr_file_release(&f);
	return n;
}

/* A duration must be the second field. It is 0 in events that have none, and readers do not print that. */
CASE(an_event_with_and_without_duration_is_one_type, setup, teardown)
{
	for (int first = 0; first < 2; first++) {
		for (int i = 0; i < 2; i++) {
			chunk_event(&b, "T", EVENT);
			if (i != first)
				chunk_field(&b, "duration", B_LONG, 0);
			chunk_field(&b, "number", B_LONG, 0);
			chunk_begin_event(&b, EVENT, i * 9000000);
			if (i != first)
				bytes_put_leb(&b.body, 5000000);
			bytes_put_leb(&b.body, i);
			chunk_end_event(&b);
			finish_file(i);
		}
		merge();
		assert_printed(
			first ? "T {\n  startTime = 23:13:20.000 (2023-11-14)\n  duration = 5000000\n  number = 0\n}\n\n"
				"T {\n  startTime = 23:13:20.009 (2023-11-14)\n  number = 1\n}\n\n"
			      : "T {\n  startTime = 23:13:20.000 (2023-11-14)\n  number = 0\n}\n\n"
				"T {\n  startTime = 23:13:20.009 (2023-11-14)\n  duration = 5000000\n  number = 1\n}\n\n");
		assert_int_equal(types_named("T"), 1);
	}
}

/* A field of that name elsewhere is no duration of the event. */
CASE(a_duration_that_is_not_the_second_field_stays_separate, setup, teardown)
{
	for (int i = 0; i < 2; i++) {
		chunk_event(&b, "T", EVENT);
		chunk_field(&b, i ? "duration" : "number", B_LONG, 0);
		chunk_field(&b, i ? "number" : "duration", B_LONG, 0);
		chunk_put_event(&b, EVENT, i * 1000000, 5, 6);
		finish_file(i);
	}
	merge();
	assert_int_equal(types_named("T"), 2);
}

/* The keys of jdk.types.FrameType in the order of the events. */
static void read_frame_keys(uint64_t *keys, size_t count)
{
	struct jfr_chunk *chunk;
	struct jfr_event e;
	struct jfr_file f;
	size_t n = 0;

	jfr_file_init(&f, merged.data, merged.size);
	chunk = jfr_file_next(&f);
	for (uint64_t at = JFR_HEADER_SIZE; jfr_chunk_next(chunk, &at, &e);) {
		struct jfr_value v = {0}, event;
		struct cursor c;

		if (!e.type)
			continue;
		event = jfr_event_value(&e);
		c = jfr_enter(chunk, &event);
		for (uint32_t i = 0; i < e.type->count; i++)
			jfr_take(&c, &e.type->fields[i], &v);
		assert_int_equal(v.kind, VALUE_KEY);
		assert_true(n < count);
		keys[n++] = v.key;
	}
	assert_int_equal(n, count);
	jfr_chunk_put(chunk);
	jfr_file_release(&f);
}

/* An event for each type, in the given order, from `after` on. */
static void make_frame_types(int n, const char *const *texts, int64_t first, size_t count, int64_t after)
{
	chunk_simple(&b, "jdk.types.FrameType", THING);
	chunk_field(&b, "description", B_STRING, 0);
	chunk_event(&b, "Frame", EVENT);
	chunk_field(&b, "type", THING, B_CONSTANT);
	chunk_begin_pool(&b, THING, count);
	for (size_t i = 0; i < count; i++) {
		bytes_put_leb(&b.body, first + i);
		bytes_put_text(&b.body, texts[i], 100);
	}
	chunk_end_pool(&b);
	for (size_t i = 0; i < count; i++)
		event(EVENT, after + i, first + i);
	finish_file(n);
}

static const char *const frame_types[] = {"Interpreted", "JIT compiled", "Inlined", "Native", "Unknown", "Kernel"};

/* jfrconv of async-profiler has names for the keys 0 to 6, and fails on others. */
CASE(frame_types_keep_their_keys, setup, teardown)
{
	uint64_t keys[10];

	make_frame_types(0, frame_types, 0, 4, 0); /* the JVM's */
	make_frame_types(1, frame_types, 0, 6, 100);
	merge();
	read_frame_keys(keys, 10);
	for (int i = 0; i < 10; i++)
		assert_int_equal(keys[i], i < 4 ? i : i - 4);
}

/* frtrace 0.1.0 counted from 1, and async-profiler has another meaning for 4. */
CASE(frame_types_with_other_meanings_are_moved, setup, teardown)
{
	static const char *const other[] = {"Interpreted", "JIT compiled", "Inlined", "Native", "C++"};
	uint64_t keys[10];

	make_frame_types(0, frame_types, 0, 5, 0);
	make_frame_types(1, other, 0, 5, 100);
	merge();
	read_frame_keys(keys, 10);
	for (int i = 0; i < 10; i++)
		assert_int_equal(keys[i], i);
	assert_contains(print(false), "type = \"Unknown\"");
	assert_contains(print(false), "type = \"C++\"");
	make_frame_types(0, frame_types, 1, 4, 0);
	make_frame_types(1, frame_types, 0, 4, 100);
	merge();
	read_frame_keys(keys, 8);
	for (int i = 0; i < 4; i++) {
		assert_int_equal(keys[i], i + 1);
		assert_true(keys[4 + i] > 4);
	}
}

/* JMC fails on an id that no type has. */
CASE(settings_of_undeclared_types_are_left_out, setup, teardown)
{
	add_numbers("A");
	event(EVENT, 0, 1);
	finish_file(0);
	chunk_event(&b, "jdk.ActiveSetting", THING);
	chunk_field(&b, "id", B_LONG, 0);
	event(THING, 0, 4711);
	event(THING, 0, THING);
	finish_file(1);
	merge();
	assert_int_equal(result.events, 2);
	assert_lacks(print(true), "4711");
}

static void make_jvm_information(int n, int64_t pid)
{
	chunk_event(&b, n ? "frtrace.Clock" : "A", OTHER);
	chunk_event(&b, "jdk.JVMInformation", EVENT);
	chunk_field(&b, "pid", B_LONG, 0);
	if (pid)
		event(EVENT, 0, pid);
	finish_file(n);
}

CASE(jvm_is_described_once, setup, teardown)
{
	make_jvm_information(0, 11);
	make_jvm_information(1, 12);
	merge();
	assert_int_equal(result.events, 1);
	assert_contains(print(false), "pid = 11");
	make_jvm_information(0, 0); /* declared, but no event */
	make_jvm_information(1, 12);
	merge();
	assert_contains(print(false), "pid = 12");
}

static void make_samples(int n, bool ours, int64_t state)
{
	chunk_event(&b, ours ? "frtrace.Clock" : "A", OTHER);
	chunk_event(&b, "jdk.ExecutionSample", EVENT);
	chunk_field(&b, "state", B_LONG, 0);
	event(EVENT, 0, state);
	finish_file(n);
}

/* The JVM's lie in all that it did, those of frtrace in recorded calls. */
CASE(samples_of_frtrace_are_the_only_ones, setup, teardown)
{
	make_samples(0, true, 11);
	make_samples(1, false, 12);
	merge();
	assert_int_equal(result.events, 1);
	assert_contains(print(false), "state = 11");
	make_samples(0, false, 11);
	make_samples(1, false, 12);
	merge();
	assert_int_equal(result.events, 2);
	chunk_event(&b, "frtrace.Clock", OTHER);
	finish_file(0);
	make_samples(1, false, 12);
	merge();
	assert_int_equal(result.events, 1);
	assert_contains(print(false), "state = 12");
}

/* Some readers know only the fields of JEP 520, in their order. */
CASE(fields_of_frtrace_can_be_left_out, setup, teardown)
{
	chunk_event(&b, "jdk.MethodTrace", EVENT);
	chunk_field(&b, "method", B_LONG, 0);
	chunk_field(&b, "thrown", B_BOOLEAN, 0);
	chunk_field(&b, "cpuTime", B_LONG, 0);
	chunk_event(&b, "T", OTHER);
	chunk_field(&b, "thrown", B_BOOLEAN, 0);
	chunk_put_event(&b, EVENT, 0, 77, 1, 1000);
	event(OTHER, 1000000, 1);
	finish_file(0);
	merge_as((struct jfr_merge_sink){.jdk_fields = true}, 1);
	assert_printed("jdk.MethodTrace {\n  startTime = 23:13:20.000 (2023-11-14)\n  method = 77\n}\n\n"
		       "T {\n  startTime = 23:13:20.001 (2023-11-14)\n  thrown = true\n}\n\n");
}

/* A file may say anything of an event whose name is known. */
CASE(the_first_two_fields_of_an_event_stay, setup, teardown)
{
	chunk_class(&b, "jdk.MethodTrace", EVENT, "jdk.jfr.Event");
	chunk_field(&b, "thrown", B_LONG, 0);
	chunk_field(&b, "duration", B_LONG, 0);
	chunk_field(&b, "cpuTime", B_LONG, 0);
	chunk_put_event(&b, EVENT, 0, 77, 1000);
	finish_file(0);
	merge_as((struct jfr_merge_sink){.jdk_fields = true}, 1);
	assert_printed("jdk.MethodTrace {\n  thrown = 1000000000\n  duration = 77\n}\n\n");
}

static void add_thread(int64_t key, const char *name, int64_t java, int64_t os)
{
	chunk_begin_pool(&b, THREAD, 1);
	bytes_put_leb(&b.body, key);
	bytes_put_leb(&b.body, os);
	bytes_put_text(&b.body, name, 100);
	bytes_put_leb(&b.body, java);
	chunk_end_pool(&b);
}

static void declare_thread(void)
{
	chunk_class(&b, "java.lang.Thread", THREAD, NULL);
	chunk_field(&b, "osThreadId", B_LONG, 0);
	chunk_field(&b, "javaName", B_STRING, 0);
	chunk_field(&b, "javaThreadId", B_LONG, 0);
}

/* The first file has a call with a context, the second one what happened in it. */
CASE(thread_known_to_both_files_is_one, setup, teardown)
{
	declare_thread();
	chunk_event(&b, "Call", EVENT);
	chunk_field(&b, "duration", B_LONG, 0);
	chunk_field(&b, "eventThread", THREAD, B_CONSTANT);
	chunk_field(&b, "method", B_LONG, 0);
	chunk_annotate_field(&b, B_CONTEXTUAL, NULL);
	add_thread(1, "worker", 31, 4711);
	add_thread(2, "other", 32, 4712);
	chunk_put_event(&b, EVENT, 0, 5000000, 1, 99);
	finish_file(0);
	declare_thread();
	chunk_event(&b, "Inside", EVENT);
	chunk_field(&b, "eventThread", THREAD, B_CONSTANT);
	add_thread(2, "worker", 31, 4711);
	add_thread(1, "stranger", 31, 4799);
	event(EVENT, 1000000, 2);
	event(EVENT, 2000000, 1);
	finish_file(1);
	merge();
	assert_contains(print(false), "Inside {\n  Context: Call.method = 99\n  startTime = 23:13:20.001 (2023-11-14)\n"
				      "  eventThread = \"worker\"");
	assert_contains(print(false),
			"Inside {\n  startTime = 23:13:20.002 (2023-11-14)\n  eventThread = \"stranger\"");
}

/* Up to JDK 21, jdk.ActiveSetting has a thread and a stack trace before the id. */
CASE(setting_refers_to_its_event_by_the_new_id, setup, teardown)
{
	const char *text;

	for (int i = 0; i < 2; i++) {
		chunk_event(&b, i ? "B" : "A", EVENT);
		chunk_event(&b, "jdk.ActiveSetting", THING);
		if (i)
			chunk_field(&b, "eventThread", B_LONG, 0);
		chunk_field(&b, "id", B_LONG, 0);
		chunk_begin_event(&b, THING, 0);
		if (i)
			bytes_put_leb(&b.body, 7);
		bytes_put_leb(&b.body, EVENT);
		chunk_end_event(&b);
		finish_file(i);
	}
	merge();
	text = print(true);
	assert_contains(text, "\"id\": 100, ");
	assert_lacks(strstr(text, "\"id\": 100, ") + 1, "\"id\": 100, ");
}

/* Several times the limit of a chunk. */
CASE(long_recordings_become_several_chunks, setup, teardown)
{
	struct jfr_chunk *chunk;
	struct jfr_file f;
	int64_t last = 0;

	for (int i = 0; i < 2; i++) {
		add_numbers(i ? "B" : "A");
		for (int n = 0; n < 600000; n++)
			event(EVENT, 1000 * n, n);
		finish_file(i);
	}
	merge();
	assert_int_equal(result.events, 1200000);
	assert_true(result.chunks >= 3);
	assert_int_equal(result.bytes, merged.size);
	jfr_file_init(&f, merged.data, merged.size);
	while ((chunk = jfr_file_next(&f))) {
		assert_true(chunk->header.start_nanos > last);
		assert_int_equal(chunk->header.flags, f.next == f.size ? 3 : 1);
		last = chunk->header.start_nanos;
		jfr_chunk_put(chunk);
	}
	assert_null(f.fault.what);
	jfr_file_release(&f);
}

/* All at once. */
static void make_two_files(void)
{
	for (int i = 0; i < 2; i++) {
		declare_thread();
		add_thing(i ? "B" : "A");
		chunk_event(&b, "T", OTHER);
		chunk_field(&b, "eventThread", THREAD, B_CONSTANT);
		chunk_field(&b, i ? "x" : "y", B_STRING, 0);
		put_thing(3, 5);
		add_thread(3 + i, "worker", 31, 4711);
		event(EVENT, 0, 3);
		chunk_begin_event(&b, OTHER, 0);
		bytes_put_leb(&b.body, 3 + i);
		bytes_put_text(&b.body, "text", 100);
		chunk_end_event(&b);
		finish_file(i);
	}
}

CASE(file_without_events_is_accepted, setup, teardown)
{
	add_numbers("A");
	finish_file(0);
	add_numbers("A");
	finish_file(1);
	merge();
	assert_int_equal(result.events, 0);
	assert_int_equal(result.chunks, 1);
	assert_printed("");
}

CASE(no_damage_is_fatal, setup, teardown)
{
	const char *fault;
	size_t refused = 0;
	int err;

	make_two_files();
	for (size_t at = 0; at < file[1].size; at++) {
		static const unsigned char values[] = {0, 1, 0x7f, 0x80, 0xff};
		unsigned char before = file[1].data[at];

		for (size_t v = 0; v < sizeof(values); v++) {
			file[1].data[at] = values[v];
			err = merge_files((struct jfr_merge_sink){0}, 2, &fault);
			assert_true(!err || fault || err == -EINVAL || err == -EOVERFLOW);
			refused += err != 0;
		}
		file[1].data[at] = before;
	}
	assert_true(refused > 100);
}

CASE(missing_memory_is_reported, setup, teardown)
{
	unsigned int n = 1;
	const char *fault;
	bool happened;
	int err;

	fail_nth_or_skip();
	make_two_files();
	do {
		bytes_release(&merged);
		fail_nth(n++);
		err = merge_files((struct jfr_merge_sink){0}, 2, &fault);
		happened = fail_nth_end();
		assert_true(happened == (err != 0));
		assert_true(!err || err == -ENOMEM || fault);
	} while (happened);
	assert_true(n > 50);
}
