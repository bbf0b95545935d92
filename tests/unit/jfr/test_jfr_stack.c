// SPDX-License-Identifier: BSD-2-Clause
/* Stacks in chunks, judged by tests/lib/jfr_dissect, which refuses a chunk that lacks the method of a frame. */
#include "format/jfr/jfr_write_internal.h"
#include "tests/lib/fail_nth.h"
#include "tests/lib/recording.h"
#include "tests/lib/test.h"

static struct diag diag;

static uint64_t method_nth(struct recording *r, unsigned int n)
{
	char name[16];

	snprintf(name, sizeof(name), "m%u", n);
	return recording_method(r, name);
}

/* The value at `path` in the n-th frame of the event's stack. */
static const char *frame_path(unsigned int n, const char *path)
{
	static char out[64];

	snprintf(out, sizeof(out), "stackTrace.frames.%u.%s", n, path);
	return out;
}

static int64_t frame_number(struct recording *r, const struct dissect_event *e, unsigned int n, const char *path)
{
	return event_number(r, e, frame_path(n, path));
}

static void assert_frame_text(struct recording *r, const struct dissect_event *e, unsigned int n, const char *path,
			      const char *want)
{
	assert_event_text(r, e, frame_path(n, path), want);
}

CASE(stack_keeps_every_frame)
{
	static const char *const types[] = {"Interpreted", "JIT compiled", "Inlined", "Native", "Unknown", "Kernel"};
	static const int32_t numbers[] = {0, 1, 127, 65535, -1, INT32_MAX};
	struct recording r = recording_new();
	struct jfr_frame frames[6];
	const struct dissect_event *e;
	char name[16];
	int i;

	for (i = 0; i < 6; i++)
		frames[i] = (struct jfr_frame){method_nth(&r, i), numbers[i], numbers[5 - i], i};
	recording_begin(&r);
	recording_call_from(&r, jfr_stack(r.w, frames, 6, false), frames[0].method);
	recording_call_from(&r, jfr_stack(r.w, frames + 1, 5, true), frames[0].method);
	recording_end(&r, true);
	e = dissect_find(recording_read(&r), TRACE, 0);
	assert_int_equal(event_number(&r, e, "stackTrace.frames"), 6);
	assert_int_equal(event_number(&r, e, "stackTrace.truncated"), 0);
	for (i = 0; i < 6; i++) {
		snprintf(name, sizeof(name), "m%d", i);
		assert_frame_text(&r, e, i, "method.name", name);
		assert_frame_text(&r, e, i, "method.type.name", "com/acme/Cart");
		assert_frame_text(&r, e, i, "type", types[i]);
		assert_int_equal(frame_number(&r, e, i, "lineNumber"), numbers[i]);
		assert_int_equal(frame_number(&r, e, i, "bytecodeIndex"), numbers[5 - i]);
	}
	e = dissect_find(r.d, TRACE, 1);
	assert_int_equal(event_number(&r, e, "stackTrace.frames"), 5);
	assert_int_equal(event_number(&r, e, "stackTrace.truncated"), 1);
	recording_free(&r);
}

/* Some readers go by the key: 0 Interpreted, 1 JIT compiled, 2 Inlined, 3 Native, as in a recording of HotSpot's. */
CASE(frame_types_have_hotspots_keys)
{
	static const enum jfr_frame_type types[] = {JFR_FRAME_INTERPRETED, JFR_FRAME_JIT,     JFR_FRAME_INLINED,
						    JFR_FRAME_NATIVE,	   JFR_FRAME_UNKNOWN, JFR_FRAME_KERNEL};
	struct recording r = recording_new();
	const struct bytes *stacks = &r.w->pools.pool[JFR_STACK_TRACE - JFR_FIRST_POOL].payload;

	for (int i = 0; i < 6; i++) {
		jfr_stack(r.w, &(struct jfr_frame){method_nth(&r, i), 1, 1, types[i]}, 1, false);
		assert_int_equal(stacks->data[stacks->size - 1], i); /* a frame ends with its type */
	}
	recording_free(&r);
}

/* jfrconv takes native methods for functions of C where a chunk has the kernel's type. */
CASE(a_chunk_has_the_frame_types_of_its_stacks)
{
	struct recording r = recording_new();
	uint64_t m = method_nth(&r, 0);
	struct jfr_frame frames[] = {{m, 1, 1, JFR_FRAME_NATIVE}, {m, 1, 1, JFR_FRAME_INTERPRETED}};

	for (int c = 0; c < 3; c++) {
		recording_begin(&r);
		if (c < 2)
			recording_call_from(&r, jfr_stack(r.w, frames + c, 2 - c, false), m);
		recording_end(&r, c == 2);
	}
	recording_read(&r);
	for (int c = 0; c < 3; c++)
		assert_int_equal(dissect_constants(r.d, c, "jdk.types.FrameType"), 2 - c);
	recording_free(&r);
}

/* HotSpot writes -1 as an unsigned int in 5 bytes, not as a long in 9. */
CASE(unknown_line_is_encoded_as_by_hotspot)
{
	static const unsigned char want[] = {0xff, 0xff, 0xff, 0xff, 0x0f};
	struct recording r = recording_new();

	recording_begin(&r);
	recording_call_from(&r, recording_stack(&r, recording_method(&r, "m"), -1), 0);
	recording_end(&r, true);
	assert_non_null(memmem(r.file.data, r.file.size, want, sizeof(want)));
	recording_free(&r);
}

CASE(stacks_are_equal_if_all_values_are)
{
	struct recording r = recording_new();
	uint64_t m = method_nth(&r, 0), n = method_nth(&r, 1), key;
	struct jfr_frame frames[2] = {{m, 1, 2, JFR_FRAME_JIT}, {n, 3, 4, JFR_FRAME_JIT}};
	struct jfr_frame other[2];

	key = jfr_stack(r.w, frames, 2, false);
	assert_int_not_equal(key, 0);
	assert_int_equal(jfr_stack(r.w, frames, 2, false), key);
	assert_int_not_equal(jfr_stack(r.w, frames, 2, true), key);
	assert_int_not_equal(jfr_stack(r.w, frames, 1, false), key);
	memcpy(other, frames, sizeof(other));
	other[1].type = JFR_FRAME_INLINED;
	assert_int_not_equal(jfr_stack(r.w, other, 2, false), key);
	other[1] = frames[1];
	other[1].line = 5;
	assert_int_not_equal(jfr_stack(r.w, other, 2, false), key);
	other[1] = frames[1];
	other[1].bci = 5;
	assert_int_not_equal(jfr_stack(r.w, other, 2, false), key);
	other[1] = frames[1];
	other[1].method = m;
	assert_int_not_equal(jfr_stack(r.w, other, 2, false), key);
	assert_int_equal(jfr_stack(r.w, frames, 2, false), key);
	recording_free(&r);
}

CASE(stack_without_frames_is_none)
{
	struct recording r = recording_new();

	assert_int_equal(jfr_stack(r.w, NULL, 0, false), 0);
	assert_int_equal(jfr_stack(r.w, NULL, 0, true), 0);
	assert_false(jfr_stack_known(r.w, 0));
	recording_free(&r);
}

CASE(frame_without_method_gets_the_unknown_method)
{
	struct recording r = recording_new();
	uint64_t m = recording_method(&r, "m");
	struct jfr_frame frames[] = {
		{0, -1, -1, JFR_FRAME_UNKNOWN}, {m, 1, 1, JFR_FRAME_JIT}, {m + 100, -1, -1, JFR_FRAME_UNKNOWN}};
	const struct dissect_event *e;

	recording_begin(&r);
	recording_call_from(&r, jfr_stack(r.w, frames, 3, false), m);
	recording_end(&r, true);
	e = dissect_find(recording_read(&r), TRACE, 0);
	assert_frame_text(&r, e, 0, "method.type.name", "<unknown>");
	assert_frame_text(&r, e, 0, "method.name", "<unknown>");
	assert_frame_text(&r, e, 0, "method.descriptor", "()V");
	assert_null(dissect_text(r.d, e, "stackTrace.frames.0.method.type.package.name"));
	assert_frame_text(&r, e, 1, "method.name", "m");
	assert_frame_text(&r, e, 2, "method.name", "<unknown>");
	recording_free(&r);
}

/* Chunk 0 has the stack, 1 and 2 do not, 3 has it again under another key. */
CASE(forgotten_stack_gets_a_new_key)
{
	struct recording r = recording_new();
	uint64_t m = recording_method(&r, "m"), key = 0, again;
	int c;

	for (c = 0; c < 3; c++) {
		recording_begin(&r);
		if (c == 0)
			key = recording_stack(&r, m, 12);
		assert_true(jfr_stack_known(r.w, key));
		if (c == 0)
			recording_call_from(&r, key, m);
		recording_end(&r, false);
	}
	assert_false(jfr_stack_known(r.w, key));
	recording_begin(&r);
	again = recording_stack(&r, m, 12);
	assert_true(again && again != key);
	recording_call_from(&r, again, m);
	recording_end(&r, true);
	recording_read(&r);
	for (c = 0; c < 4; c++)
		assert_int_equal(dissect_constants(r.d, c, "jdk.types.StackTrace"), c == 0 || c == 3);
	assert_int_equal(frame_number(&r, dissect_find(r.d, TRACE, 1), 0, "lineNumber"), 12);
	recording_free(&r);
}

CASE(unknown_stack_is_left_out_and_reported)
{
	struct recording r = recording_new();
	uint64_t m = recording_method(&r, "m"), key;
	const struct dissect_event *e;
	int64_t v;
	int i;

	recording_begin(&r);
	key = recording_stack(&r, m, 12);
	for (i = 0; i < 3; i++) {
		recording_end(&r, false);
		recording_begin(&r);
	}
	recording_call_from(&r, key, m);
	recording_call_from(&r, key + 100, m);
	recording_call_from(&r, 0, m);
	recording_end(&r, true);
	e = dissect_find(recording_read(&r), TRACE, 0);
	assert_event_text(&r, e, "method.name", "m");
	assert_false(dissect_number(r.d, e, "stackTrace.truncated", &v));
	assert_event_text(&r, dissect_find(r.d, "frtrace.Message", 0), "text",
			  "2 events whose stack had been forgotten were written without it");
	assert_int_equal(dissect_count(r.d, "frtrace.Message"), 1);
	recording_free(&r);
}

/* Every method is in two stacks, and every stack is used by every second chunk, with an older key each time. */
CASE(each_chunk_has_all_methods_of_its_stacks)
{
	struct recording r = recording_new();
	struct jfr_frame frames[11];
	uint64_t stack[20];
	unsigned int c, i;

	for (i = 0; i < 20; i++) {
		for (c = 0; c < 11; c++)
			frames[c] = (struct jfr_frame){method_nth(&r, 10 * i + c), i, c, c % 6};
		stack[i] = jfr_stack(r.w, frames, 11, false);
	}
	for (c = 0; c < 6; c++) {
		recording_begin(&r);
		for (i = c & 1; i < 20; i += 2) {
			recording_call_from(&r, stack[i], 0);
			recording_call_from(&r, stack[i], 0);
		}
		recording_end(&r, c == 5);
	}
	recording_read(&r);
	assert_int_equal(dissect_count(r.d, "frtrace.Message"), 0);
	for (c = 1; c < 6; c++) { /* all stacks were created before the first chunk: used there */
		assert_int_equal(dissect_constants(r.d, c, "jdk.types.StackTrace"), 10);
		assert_int_equal(dissect_constants(r.d, c, "jdk.types.Method"), 110);
		assert_int_equal(dissect_constants(r.d, c, "jdk.types.FrameType"), 6);
	}
	recording_free(&r);
}

/* Millions of events share a few stacks: only the first use in a chunk reads the frames. */
CASE(stack_is_walked_once_in_a_chunk)
{
	struct recording r = recording_new();
	uint64_t m = recording_method(&r, "m"), key;
	const struct jfr_pool *methods = &r.w->pools.pool[JFR_METHOD - JFR_FIRST_POOL];

	recording_begin(&r);
	key = recording_stack(&r, m, 1);
	assert_int_equal(methods->used[m - 1], r.w->pools.chunk);
	recording_end(&r, false);
	recording_begin(&r);
	recording_call_from(&r, key, 0);
	assert_int_equal(methods->used[m - 1], r.w->pools.chunk);
	methods->used[m - 1] = 0;
	recording_call_from(&r, key, 0);
	assert_int_equal(methods->used[m - 1], 0);
	recording_free(&r);
}

CASE(longest_stack_is_complete_and_a_longer_one_is_cut)
{
	static struct jfr_frame frames[JFR_STACK_FRAMES + 1];
	struct recording r = recording_new();
	const struct dissect_event *e;
	unsigned int i, n = JFR_STACK_FRAMES;

	for (i = 0; i <= n; i++)
		frames[i] = (struct jfr_frame){method_nth(&r, i), i, INT32_MAX, JFR_FRAME_JIT};
	recording_begin(&r);
	recording_call_from(&r, jfr_stack(r.w, frames, n, true), 0);
	recording_call_from(&r, jfr_stack(r.w, frames, n, false), 0);
	assert_true(jfr_stack(r.w, frames, n + 1, false) == jfr_stack(r.w, frames, n, true));
	recording_end(&r, true);
	assert_int_equal(dissect_constants(recording_read(&r), 0, "jdk.types.Method"), n);
	for (i = 0; i < 2; i++) {
		e = dissect_find(r.d, TRACE, i);
		assert_int_equal(event_number(&r, e, "stackTrace.truncated"), !i);
		assert_int_equal(event_number(&r, e, "stackTrace.frames"), n);
		assert_frame_text(&r, e, n - 1, "method.name", "m2047");
		assert_int_equal(frame_number(&r, e, n - 1, "lineNumber"), n - 1);
	}
	recording_free(&r);
}

/* The pools count for the size, so that chunks are finished in time. */
CASE(stacks_count_for_the_size_of_the_chunk)
{
	struct recording r = recording_new();
	struct jfr_frame frames[100];
	uint64_t m = recording_method(&r, "m");
	size_t told;
	int i;

	for (i = 0; i < 100; i++)
		frames[i] = (struct jfr_frame){m, i, i, JFR_FRAME_JIT};
	recording_begin(&r);
	for (i = 0; i < 1000; i++) {
		frames[0].line = 1000 + i;
		recording_call_from(&r, jfr_stack(r.w, frames, 100, false), m);
	}
	told = jfr_chunk_size(r.w);
	recording_end(&r, true);
	assert_true(told > r.file.size * 9 / 10 && told <= r.file.size);
	recording_free(&r);
}

/* 100,000 stacks in 50 chunks, and one that all of them use. */
CASE(memory_is_bounded_with_many_stacks)
{
	struct recording r = recording_new();
	const struct jfr_pool *pool = &r.w->pools.pool[JFR_STACK_TRACE - JFR_FIRST_POOL];
	uint64_t m = recording_method(&r, "m"), old = recording_stack(&r, m, -1), key;
	struct jfr_frame frames[30];
	const void *bytes;
	size_t size;
	int i;

	for (i = 0; i < 30; i++)
		frames[i] = (struct jfr_frame){m, i, i, JFR_FRAME_JIT};
	recording_begin(&r);
	for (i = 0; i < 100000; i++) {
		frames[29].line = i;
		key = jfr_stack(r.w, frames, 30, false);
		recording_call_from(&r, key, m);
		recording_call_from(&r, old, m);
		if (i % 2000 == 1999) {
			assert_int_equal(jfr_chunk_finish(r.w, ++r.now, false, &bytes, &size, &diag), 0);
			recording_begin(&r);
		}
	}
	assert_int_equal(key, 100001);
	assert_true(jfr_stack_known(r.w, old) && jfr_stack_known(r.w, key) && !jfr_stack_known(r.w, key / 2));
	assert_int_equal(recording_stack(&r, m, -1), old);
	assert_true(pool->count <= 4001 && pool->capacity <= 8192 && pool->payload.capacity <= 1 << 20);
	recording_free(&r);
}

/* A chunk with 40 events and as many stacks; 0 or -ENOMEM. */
static int small_recording(struct recording *r)
{
	struct jfr_frame frames[8];
	const void *bytes;
	size_t size;
	int err, i;

	err = jfr_chunk_begin(r->w, r->now += 1000, &diag);
	if (err)
		return err;
	for (i = 0; i < 40; i++) {
		frames[i % 8] = (struct jfr_frame){i % 3 ? method_nth(r, i % 3) : 0, i, i, i % 6};
		recording_call_from(r, jfr_stack(r->w, frames, i % 8 + 1, false), method_nth(r, 0));
	}
	err = jfr_chunk_finish(r->w, r->now, false, &bytes, &size, &diag);
	if (!err)
		bytes_put(&r->file, bytes, size);
	return err;
}

CASE(failed_allocation_costs_one_chunk_at_most)
{
	struct jfr_origin origin = {.start_ticks = T0, .start_nanos = NANOS};
	bool happened = true;
	unsigned int n;
	int err;

	fail_nth_or_skip();
	for (n = 1; happened; n++) {
		struct recording r = {.now = T0};

		assert_int_equal(jfr_writer_new(&r.w, &origin, &diag), 0);
		bytes_reserve(&r.file, 1 << 20); /* this allocation must not fail */
		fail_nth(n);
		err = small_recording(&r);
		happened = fail_nth_end();
		assert_int_equal(err, happened ? -ENOMEM : 0);
		assert_int_equal(small_recording(&r), 0);
		assert_int_equal(dissect_count(recording_read(&r), TRACE), err ? 40 : 80);
		assert_int_equal(dissect_count(r.d, "frtrace.Message"), 0);
		assert_int_equal(frame_number(&r, dissect_find(r.d, TRACE, 39), 7, "lineNumber"), 39);
		assert_frame_text(&r, dissect_find(r.d, TRACE, 39), 4, "type", "Interpreted");
		recording_free(&r);
	}
	assert_true(n > 30);
}
