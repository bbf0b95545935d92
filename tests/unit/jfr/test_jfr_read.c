// SPDX-License-Identifier: BSD-2-Clause
/* Hand-made files that no JVM writes, and broken ones. tests/live/file/reader_vs_jfr.sh compares files of JVMs. */
#include "format/jfr/jfr_read.h"
#include "tests/lib/fail_nth.h"
#include "tests/lib/jfr_builder.h"
#include "tests/lib/jfr_printed.h"
#include "tests/lib/recording.h"
#include "tests/lib/test.h"
#include "tests/lib/wrap.h"
#include "user/trace/sorter.h"

enum { EVENT = 100, THING, NAME, STACK, FRAME, METHOD, OTHER };

static struct chunk_builder b;
static struct bytes file;
static struct jfr_fault fault;
static bool unfinished;

static int setup(void **state)
{
	chunk_init(&b);
	bytes_init(&file);
	return 0;
}

static int teardown(void **state)
{
	chunk_release(&b);
	bytes_release(&file);
	return 0;
}

/* The first `size` bytes of the file. */
static const char *print_first(size_t size, bool json)
{
	return jfr_printed(&(struct bytes){.data = file.data, .size = size}, json, &fault, &unfinished);
}

static const char *print(bool json)
{
	return print_first(file.size, json);
}

static void assert_printed(const char *want)
{
	assert_string_equal(print(false), want);
}

/* The values of the only event, each on a line. */
static void assert_values(const char *want)
{
	const char *values = strstr(print(false), "(2023-11-14)\n");

	assert_null(fault.what);
	assert_non_null(values);
	values += 13;
	assert_int_equal(strlen(values), strlen(want) + strlen("}\n\n"));
	assert_memory_equal(values, want, strlen(want));
}

static void put_bytes(const char *bytes)
{
	bytes_put(&b.body, bytes, strlen(bytes));
}

CASE(strings_of_all_encodings_are_read, setup, teardown)
{
	chunk_event(&b, "T", EVENT);
	for (int i = 0; i < 6; i++)
		chunk_field(&b, "s", B_STRING, 0);
	chunk_begin_pool(&b, B_STRING, 1);
	bytes_put_leb(&b.body, 7);
	put_bytes("\x03\x04pool");
	chunk_end_pool(&b);
	chunk_begin_event(&b, EVENT, 0);
	bytes_put_u8(&b.body, 0);
	bytes_put_u8(&b.body, 1);
	put_bytes("\x02\x07");
	put_bytes("\x03\x03\xe2\x82\xac");
	put_bytes("\x04\x02\xbd\xb0\x03\x80\xbc\x03");
	put_bytes("\x05\x02\xe4z");
	chunk_end_event(&b);
	chunk_finish(&b, &file);
	assert_values("  s = N/A\n  s = \"\"\n  s = \"pool\"\n  s = \"\xe2\x82\xac\"\n  s = \"\xf0\x9f\x98\x80\"\n"
		      "  s = \"\xc3\xa4z\"\n");
}

CASE(numbers_have_the_width_and_sign_of_their_type, setup, teardown)
{
	chunk_event(&b, "T", EVENT);
	chunk_field(&b, "byte", B_BYTE, 0);
	chunk_field(&b, "unsignedByte", B_BYTE, 0);
	chunk_annotate_field(&b, B_UNSIGNED, NULL);
	chunk_field(&b, "short", B_SHORT, 0);
	chunk_field(&b, "int", B_INT, 0);
	chunk_field(&b, "unsignedInt", B_INT, 0);
	chunk_annotate_field(&b, B_UNSIGNED, NULL);
	chunk_field(&b, "missing", B_LONG, 0);
	chunk_field(&b, "unsignedLong", B_LONG, 0);
	chunk_annotate_field(&b, B_UNSIGNED, NULL);
	chunk_field(&b, "char", B_CHAR, 0);
	chunk_field(&b, "boolean", B_BOOLEAN, 0);
	chunk_begin_event(&b, EVENT, 0);
	bytes_put_u8(&b.body, 0xff);
	bytes_put_u8(&b.body, 0xff);
	bytes_put_leb(&b.body, (uint64_t)-2);
	bytes_put_leb(&b.body, 0xfffffffd); /* five bytes, as HotSpot has them */
	bytes_put_leb(&b.body, 0xffffffff);
	bytes_put_leb(&b.body, 1ull << 63);
	bytes_put_leb(&b.body, UINT64_MAX);
	bytes_put_leb(&b.body, 0x20ac);
	bytes_put_u8(&b.body, 1);
	chunk_end_event(&b);
	chunk_finish(&b, &file);
	assert_values("  byte = -1\n  unsignedByte = 255\n  short = -2\n  int = -3\n  unsignedInt = 4294967295\n  "
		      "missing = N/A\n"
		      "  unsignedLong = 18446744073709551615\n  char = \xe2\x82\xac\n  boolean = true\n");
}

CASE(annotations_give_units, setup, teardown)
{
	chunk_event(&b, "T", EVENT);
	chunk_field(&b, "span", B_LONG, 0);
	chunk_annotate_field(&b, B_TIMESPAN, "MICROSECONDS");
	chunk_span(&b, "forever");
	chunk_field(&b, "moment", B_LONG, 0);
	chunk_annotate_field(&b, B_TIMESTAMP, "MILLISECONDS_SINCE_EPOCH");
	chunk_field(&b, "amount", B_INT, 0);
	chunk_annotate_field(&b, B_DATA_AMOUNT, "BITS");
	chunk_annotate_field(&b, B_FREQUENCY, NULL);
	chunk_field(&b, "address", B_LONG, 0);
	chunk_annotate_field(&b, B_ADDRESS, NULL);
	chunk_field(&b, "part", B_FLOAT, 0);
	chunk_annotate_field(&b, B_PERCENTAGE, NULL);
	chunk_field(&b, "rate", B_DOUBLE, 0);
	chunk_annotate_field(&b, B_FREQUENCY, NULL);
	chunk_begin_event(&b, EVENT, 0);
	bytes_put_leb(&b.body, 1500);
	bytes_put_leb(&b.body, INT64_MAX);
	bytes_put_leb(&b.body, 1);
	bytes_put_leb(&b.body, 3 << 20);
	bytes_put_leb(&b.body, 0xabc);
	bytes_put_be32(&b.body, 0x3e800000);
	bytes_put_be64(&b.body, 0x3fe0000000000000);
	chunk_end_event(&b);
	chunk_finish(&b, &file);
	assert_values(
		"  span = 1.50 ms\n  forever = Forever\n  moment = 01:00:00.001 (1970-01-01)\n  amount = 3.0 Mbps\n"
		"  address = 0x00000ABC\n  part = 25.00%\n  rate = 0.5 Hz\n");
}

static void add_things(void)
{
	chunk_simple(&b, "Name", NAME);
	chunk_field(&b, "string", B_STRING, 0);
	chunk_class(&b, "Thing", THING, NULL);
	chunk_field(&b, "name", NAME, B_CONSTANT);
	chunk_field(&b, "next", THING, B_CONSTANT);
	chunk_event(&b, "T", EVENT);
	chunk_field(&b, "thing", THING, B_CONSTANT);
}

static void put_name(int key, const char *text)
{
	chunk_begin_pool(&b, NAME, 1);
	bytes_put_leb(&b.body, key);
	bytes_put_text(&b.body, text, 100);
	chunk_end_pool(&b);
}

static void put_thing(int key, int name, int next)
{
	chunk_begin_pool(&b, THING, 1);
	bytes_put_leb(&b.body, key);
	bytes_put_leb(&b.body, name);
	bytes_put_leb(&b.body, next);
	chunk_end_pool(&b);
}

static void put_event(int type, int value)
{
	chunk_put_event(&b, type, 0, value);
}

CASE(constants_are_found_in_all_checkpoints, setup, teardown)
{
	add_things();
	put_thing(1, 1, 2);
	put_name(1, "one");
	put_event(EVENT, 1);
	put_thing(2, 2, 0);
	put_name(2, "two");
	chunk_finish(&b, &file);
	assert_values(
		"  thing = {\n    name = \"one\"\n    next = {\n      name = \"two\"\n      next = N/A\n    }\n  }\n");
}

CASE(of_two_constants_with_one_key_the_older_counts, setup, teardown)
{
	add_things();
	put_thing(1, 1, 0);
	put_name(1, "old");
	put_name(1, "new");
	put_event(EVENT, 1);
	chunk_finish(&b, &file);
	assert_values("  thing = {\n    name = \"old\"\n    next = N/A\n  }\n");
}

CASE(a_circle_of_constants_ends, setup, teardown)
{
	add_things();
	put_thing(1, 1, 2);
	put_thing(2, 1, 1);
	put_name(1, "x");
	put_event(EVENT, 1);
	chunk_finish(&b, &file);
	assert_values(
		"  thing = {\n    name = \"x\"\n    next = {\n      name = \"x\"\n      next = N/A\n    }\n  }\n");
}

/* Each constant contains the previous one twice: 2^60 of them. */
CASE(endless_constants_are_cut, setup, teardown)
{
	chunk_class(&b, "Thing", THING, NULL);
	chunk_field(&b, "left", THING, B_CONSTANT);
	chunk_field(&b, "right", THING, B_CONSTANT);
	chunk_event(&b, "T", EVENT);
	chunk_field(&b, "thing", THING, B_CONSTANT);
	for (int i = 1; i < 60; i++)
		put_thing(i, i + 1, i + 1);
	put_event(EVENT, 1);
	chunk_finish(&b, &file);
	assert_in_range(strlen(print(true)), 1 << 20, 64 << 20);
}

CASE(arrays_of_structs_and_numbers_are_json, setup, teardown)
{
	chunk_class(&b, "Point", THING, NULL);
	chunk_field(&b, "x", B_INT, 0);
	chunk_event(&b, "T", EVENT);
	chunk_field(&b, "points", THING, B_ARRAY);
	chunk_field(&b, "numbers", B_SHORT, B_ARRAY);
	chunk_field(&b, "none", B_SHORT, B_ARRAY);
	chunk_begin_event(&b, EVENT, 0);
	put_bytes("\x02\x05\x06\x03\x01\x02\x03");
	bytes_put_u8(&b.body, 0);
	chunk_end_event(&b);
	chunk_finish(&b, &file);
	assert_contains(print(true),
			"\"points\": [{\n          \"x\": 5\n        }, {\n          \"x\": 6\n        }], \n"
			"        \"numbers\": [1, 2, 3], \n        \"none\": []\n");
}

CASE(json_escapes_what_json_cannot_hold, setup, teardown)
{
	chunk_event(&b, "T", EVENT);
	chunk_field(&b, "s", B_STRING, 0);
	chunk_begin_event(&b, EVENT, 0);
	bytes_put_text(&b.body, "a\"\\/\n\x01\x7f\xc3\xa4\xf0\x9f\x98\x80", 100);
	chunk_end_event(&b);
	chunk_finish(&b, &file);
	assert_contains(print(true), "\"s\": \"a\\\"\\\\\\/\\n\\u0001\x7f\\u00e4\\ud83d\\ude00\"\n");
}

static void add_stacks(void)
{
	chunk_class(&b, "jdk.types.Method", METHOD, NULL);
	chunk_field(&b, "name", B_STRING, 0);
	chunk_field(&b, "descriptor", B_STRING, 0);
	chunk_field(&b, "hidden", B_BOOLEAN, 0);
	chunk_stacks(&b, METHOD, FRAME, STACK);
	chunk_event(&b, "T", EVENT);
	chunk_field(&b, "stackTrace", STACK, B_CONSTANT);
}

static void put_method(int key, const char *name, const char *descriptor, bool hidden)
{
	chunk_begin_pool(&b, METHOD, 1);
	bytes_put_leb(&b.body, key);
	bytes_put_text(&b.body, name, 100);
	bytes_put_text(&b.body, descriptor, 100);
	bytes_put_u8(&b.body, hidden);
	chunk_end_pool(&b);
}

CASE(hidden_frames_are_left_out, setup, teardown)
{
	add_stacks();
	put_method(1, "run", "([[ILjava/lang/String;)V", false);
	put_method(2, "hidden", "()V", true);
	chunk_begin_pool(&b, STACK, 1);
	put_bytes("\x09\x01\x03\x01\x05\x02\x06\x01\x07");
	chunk_end_pool(&b);
	put_event(EVENT, 9);
	chunk_finish(&b, &file);
	assert_values("  stackTrace = [\n    null.run(int[][], String) line: 5\n    null.run(int[][], String) line: "
		      "7\n    ...\n  ]\n");
}

/* Version 1.0 of the format: types have other names. */
CASE(a_file_of_jdk_9_has_stacks, setup, teardown)
{
	chunk_class(&b, "com.oracle.jfr.types.Method", METHOD, NULL);
	chunk_field(&b, "name", B_STRING, 0);
	chunk_field(&b, "descriptor", B_STRING, 0);
	chunk_field(&b, "hidden", B_BOOLEAN, 0);
	chunk_class(&b, "com.oracle.jfr.types.StackFrame", FRAME, NULL);
	chunk_field(&b, "method", METHOD, B_CONSTANT);
	chunk_field(&b, "lineNumber", B_INT, 0);
	chunk_class(&b, "com.oracle.jfr.types.StackTrace", STACK, NULL);
	chunk_field(&b, "truncated", B_BOOLEAN, 0);
	chunk_field(&b, "frames", FRAME, B_ARRAY);
	chunk_event(&b, "com.oracle.jdk.T", EVENT);
	chunk_field(&b, "stackTrace", STACK, B_CONSTANT);
	put_method(1, "run", "(I)V", false);
	chunk_begin_pool(&b, STACK, 1);
	put_bytes("\x09\x01\x01\x01\x05");
	chunk_end_pool(&b);
	put_event(EVENT, 9);
	chunk_finish(&b, &file);
	file.data[5] = 1; /* the major version */
	assert_values("  stackTrace = [\n    null.run(int) line: 5\n    ...\n  ]\n");
	file.data[5] = 0;
	assert_string_equal(print(false), "");
	assert_contains(fault.what, "version");
}

/* Ordered by their end, and a traced method around what it contains. */
CASE(events_stand_in_the_context_of_their_thread, setup, teardown)
{
	chunk_class(&b, "java.lang.Thread", OTHER, NULL);
	chunk_field(&b, "osName", B_STRING, 0);
	chunk_event(&b, "my.Call", EVENT);
	chunk_field(&b, "duration", B_LONG, 0);
	chunk_field(&b, "eventThread", OTHER, B_CONSTANT);
	chunk_field(&b, "what", B_INT, 0);
	chunk_annotate_field(&b, B_CONTEXTUAL, NULL);
	chunk_event(&b, "my.Event", THING);
	chunk_field(&b, "eventThread", OTHER, B_CONSTANT);
	chunk_begin_pool(&b, OTHER, 2);
	put_bytes("\x01\x03\x01"
		  "a"
		  "\x02\x03\x01"
		  "b");
	chunk_end_pool(&b);
	chunk_begin_event(&b, EVENT, 0);
	bytes_put_leb(&b.body, 1000000000);
	put_bytes("\x01\x2a");
	chunk_end_event(&b);
	for (int thread = 1; thread <= 2; thread++) {
		chunk_put_event(&b, THING, 10000000 * thread, thread);
	}
	chunk_finish(&b, &file);
	assert_printed(
		"my.Event {\n  Context: Call.what = 42\n  startTime = 23:13:20.010 (2023-11-14)\n"
		"  eventThread = \"a\" (osThreadId = -1)\n}\n\n"
		"my.Event {\n  startTime = 23:13:20.020 (2023-11-14)\n  eventThread = \"b\" (osThreadId = -1)\n}\n\n"
		"my.Call {\n  startTime = 23:13:20.000 (2023-11-14)\n  duration = 1000000000\n  what = 42\n"
		"  eventThread = \"a\" (osThreadId = -1)\n}\n\n");
}

/* Two chunks with an event each. */
static void make_two_chunks(void)
{
	chunk_event(&b, "T", EVENT);
	chunk_field(&b, "n", B_INT, 0);
	for (int i = 1; i <= 2; i++) {
		put_event(EVENT, i);
		chunk_finish(&b, &file);
	}
}

static size_t count_events(size_t size)
{
	const char *text = print_first(size, false);
	size_t n = 0;

	for (const char *p = text; (p = strstr(p, "T {\n")); p++)
		n++;
	return n;
}

CASE(truncated_file_yields_its_complete_chunks, setup, teardown)
{
	make_two_chunks();
	assert_int_equal(count_events(file.size), 2);
	assert_null(fault.what);
	for (size_t size = file.size - 1; size > file.size / 2; size--) {
		assert_int_equal(count_events(size), 1);
		assert_non_null(fault.what);
		assert_int_equal(fault.at, file.size / 2);
	}
	assert_int_equal(count_events(file.size / 2), 1);
	assert_null(fault.what);
}

CASE(trailing_bytes_are_reported, setup, teardown)
{
	make_two_chunks();
	bytes_put(&file, "garbage", 7);
	assert_int_equal(count_events(file.size), 2);
	assert_int_equal(fault.at, file.size - 7);
}

CASE(an_unfinished_chunk_is_read_as_far_as_it_was_flushed, setup, teardown)
{
	make_two_chunks();
	file.data[file.size / 2 + 64] = 3;
	bytes_put(&file, "not flushed", 11);
	assert_int_equal(count_events(file.size), 2);
	assert_null(fault.what);
	assert_true(unfinished);
}

CASE(chunk_being_appended_is_ignored, setup, teardown)
{
	make_two_chunks();
	file.data[file.size / 2 + 64] = 0xff;
	for (size_t size = file.size - 1; size >= file.size / 2 + JFR_HEADER_SIZE; size--) {
		unfinished = false;
		assert_int_equal(count_events(size), 1);
		assert_null(fault.what);
		assert_true(unfinished);
	}
	file.data[64] = 0xff;
	assert_int_equal(count_events(file.size / 2 - 1), 0);
	assert_string_equal(fault.what, "a chunk without a finished part");
}

CASE(a_damaged_event_does_not_hide_the_next_chunk, setup, teardown)
{
	make_two_chunks();
	memset(file.data + 68, 0xff, 4); /* its size */
	assert_int_equal(count_events(file.size), 1);
	assert_int_equal(fault.at, 68);
}

/* As in the JDK's tools: a small adjustment of the wall clock does not move later events. */
CASE(clock_near_the_first_is_taken_for_the_first, setup, teardown)
{
	make_two_chunks();
	file.data[file.size / 2 + 32 + 3] ^= 1; /* startNanos of the second chunk: 2^32 ns earlier or later */
	assert_contains(strstr(print(false), "T {") + 1, "23:13:20.000 (2023-11-14)\n  n = 2");
}

CASE(unrelated_clock_is_used_as_it_is, setup, teardown)
{
	const char *text;

	make_two_chunks();
	file.data[file.size / 2 + 32 + 2] ^= 1; /* startNanos of the second chunk: 2^40 * 256 ns earlier or later */
	text = print(false);
	assert_contains(text, "2023-11-14");
	assert_lacks(strstr(text, "T {") + 1, "23:13:20.000 (2023-11-14)\n  n = 2");
}

/* Also files of frtrace's own writer: each truncation and many flipped bytes end in a message at worst. */
CASE(no_damage_is_fatal, setup, teardown)
{
	struct recording r = recording_new();

	recording_begin(&r);
	recording_call_from(&r, recording_stack(&r, recording_method(&r, "checkout"), 12), recording_method(&r, "pay"));
	recording_companions(r.w);
	recording_end(&r, true);
	for (size_t i = 0; i < r.file.size; i++) {
		unsigned char was = r.file.data[i];

		r.file.data[i] ^= 1 << i % 8;
		jfr_printed(&r.file, i & 1, &fault, NULL);
		r.file.data[i] = was;
		if (i % 16 == 0)
			jfr_printed(&(struct bytes){.data = r.file.data, .size = i}, false, &fault, NULL);
	}
	recording_free(&r);
}

/* After the events are ordered and the first one is printed, this byte changes. */
static unsigned char *changing;

WRAP(bool, sorter_take, struct sorter *o, struct sorter_entry *e)
{
	if (changing)
		*changing ^= 0x55;
	changing = NULL;
	return __real_sorter_take(o, e);
}

CASE(a_file_that_changes_while_it_is_read_is_not_fatal, setup, teardown)
{
	struct recording r = recording_new();

	recording_begin(&r);
	for (int i = 0; i < 3; i++)
		recording_call_from(&r, recording_stack(&r, recording_method(&r, "checkout"), 12),
				    recording_method(&r, "pay"));
	recording_companions(r.w);
	recording_end(&r, true);
	for (size_t i = JFR_HEADER_SIZE; i < r.file.size; i++) {
		unsigned char was = r.file.data[i];

		changing = &r.file.data[i];
		jfr_printed(&r.file, i & 1, &fault, NULL);
		r.file.data[i] = was;
	}
	recording_free(&r);
}

CASE(missing_memory_is_reported, setup, teardown)
{
	unsigned int n = 1;
	bool happened;

	fail_nth_or_skip();
	make_two_chunks();
	do {
		struct jfr_file f;
		struct jfr_chunk *chunk;

		jfr_file_init(&f, file.data, file.size);
		fail_nth(n++);
		while ((chunk = jfr_file_next(&f)))
			jfr_chunk_put(chunk);
		happened = fail_nth_end();
		assert_true(!happened || f.fault.what);
		jfr_file_release(&f);
	} while (happened);
	assert_true(n > 10);
}
