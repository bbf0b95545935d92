// SPDX-License-Identifier: BSD-2-Clause
/* Keys of threads: virtual ones, whose names come with some of their calls only, and those of native calls. */
#include "bpf/queue.h"
#include "tests/lib/fake_segment.h"
#include "tests/lib/test.h"
#include "user/record/thread_keys.h"

static struct segment segment;
static struct jfr_writer *writer;
static struct thread_keys *keys;
static const struct stream_vthread nameless = {.java_id = 41}, worker = {.java_id = 41, .name = "worker"};

static int setup(void **state)
{
	struct jfr_origin origin = {.locale = "en_US"};
	struct diag d;

	segment = fake_segment_new();
	if (jfr_writer_new(&writer, &origin, &d) || jfr_chunk_begin(writer, 0, &d))
		return -1;
	keys = thread_keys_new(writer, &segment, NULL);
	thread_keys_next_chunk(keys);
	return keys ? 0 : -1;
}

static int teardown(void **state)
{
	thread_keys_free(keys);
	jfr_writer_free(writer);
	fake_segment_free(&segment);
	return 0;
}

CASE(name_is_used_as_soon_as_it_is_known, setup, teardown)
{
	uint64_t before = thread_keys_of(keys, 1, &nameless), named = thread_keys_of(keys, 1, &worker);

	assert_true(before && named && before != named);
	assert_true(thread_keys_of(keys, 1, &nameless) == named);
	assert_true(thread_keys_of_virtual_waker(keys, 41) == named);
}

CASE(name_is_still_known_in_the_next_chunk, setup, teardown)
{
	uint64_t named = thread_keys_of(keys, 1, &worker);

	thread_keys_next_chunk(keys);
	assert_true(thread_keys_of(keys, 1, &nameless) == named);
}

CASE(another_thread_does_not_get_the_name, setup, teardown)
{
	struct stream_vthread other = {.java_id = 41 + 8192};
	uint64_t named = thread_keys_of(keys, 1, &worker), key = thread_keys_of(keys, 1, &other);

	assert_true(key && key != named);
	assert_true(thread_keys_of(keys, 1, &worker) == named);
}

/* Of a native call. The record of its thread comes late if the queue was full. */
CASE(thread_is_known_as_soon_as_it_is_told_of, setup, teardown)
{
	uint32_t thread = FRT_NATIVE_KEY | 1;
	uint64_t key;

	assert_int_equal(thread_keys_of(keys, thread, NULL), 0);
	assert_non_null(native_rows_add_thread(&segment.natives, thread));
	key = thread_keys_of(keys, thread, NULL);
	assert_true(key);
	assert_true(thread_keys_of(keys, thread, NULL) == key);
	native_rows_release(&segment.natives);
}

static uint64_t waker_key(uint32_t tid, uint32_t started, char shown[WAKER_NAME])
{
	static const char name[16] = "kernel's";
	bool carrier;

	thread_keys_name_waker(keys, tid, started, name, shown, &carrier);
	return thread_keys_of_waker(keys, tid, started, name, &carrier);
}

/* The kernel gives the id of a thread that has ended to a new one. */
CASE(a_waker_with_the_id_of_another_thread_is_not_that_thread, setup, teardown)
{
	char shown[WAKER_NAME];
	uint64_t key;

	fake_thread(&segment, 1, "worker", "main");
	segment_header(&segment)->thread_serial = 1;
	thread_keys_note_owner(keys, 1, 70);
	key = waker_key(4001, 70, shown);
	assert_string_equal(shown, "worker");
	assert_true(key == thread_keys_of(keys, 1, NULL));
	assert_true(waker_key(4001, 71, shown) != key);
	assert_string_equal(shown, "kernel's");
	fake_thread(&segment, 2, "later", "main")->tid = 4001;
	segment_header(&segment)->thread_serial = 2;
	thread_keys_note_owner(keys, 2, 90);
	assert_true(waker_key(4001, 90, shown) == thread_keys_of(keys, 2, NULL));
	thread_keys_next_chunk(keys);
	assert_true(waker_key(4001, 70, shown) == thread_keys_of(keys, 1, NULL));
	assert_string_equal(shown, "worker");
}
