// SPDX-License-Identifier: BSD-2-Clause
/* Chunks that go to a pipe: in their order, as the reader takes them, and without ever waiting for it. */
#include "tests/unit/record/letters.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#define KB 1024

static int ends[2];
static struct output *o;

static void open_stream(uint64_t size)
{
	struct output_limits limits = {.size = size};

	assert_int_equal(output_open_stream(&o, ends[1], &limits, &d), 0);
	assert_true(output_is_stream(o));
	assert_false(output_in_memory(o));
}

static int setup(void **state)
{
	d.text[0] = 0;
	signal(SIGPIPE, SIG_IGN);
	return pipe2(ends, O_CLOEXEC) || fcntl(ends[1], F_SETPIPE_SZ, 16 * KB) < 0 ? -1 : 0;
}

static int teardown(void **state)
{
	output_close(o);
	o = NULL;
	close(ends[1]);
	if (ends[0] >= 0)
		close(ends[0]);
	return 0;
}

/* Read what is in the pipe now. */
static void read_some(struct letters *r)
{
	char bytes[16 * KB];
	ssize_t n;

	fcntl(ends[0], F_SETFL, O_NONBLOCK);
	while ((n = read(ends[0], bytes, sizeof(bytes))) > 0)
		letters_take(r, bytes, n);
}

CASE(chunks_arrive_in_their_order, setup, teardown)
{
	struct letters r = {0};

	open_stream(1000 * KB);
	assert_int_equal(output_pending_fd(o), -1);
	for (int i = 0; i < 5; i++) {
		assert_int_equal(append(o, 'a' + i, 100 + i), 0);
		assert_int_equal(output_pending_fd(o), ends[1]);
		assert_int_equal(output_pump(o, &d), 0);
		assert_int_equal(output_pending_fd(o), -1);
	}
	assert_int_equal(output_finish(o, &d), 0);
	read_some(&r);
	assert_string_equal(letters_end(&r), "a100 b101 c102 d103 e104");
	assert_int_equal(output_size(o), 510);
	assert_false(output_was_removed(o));
}

/* Nothing here waits: a pump that did would hang, because the same thread reads later. */
CASE(a_slow_reader_gets_all_that_fits_into_memory, setup, teardown)
{
	struct letters r = {0};

	open_stream(100 * KB);
	assert_int_equal(append(o, 'a', 90 * KB), 0);
	assert_int_equal(output_pump(o, &d), 0);
	assert_int_equal(append(o, 'b', 50 * KB), 0);
	while (output_pending_fd(o) >= 0) {
		assert_int_equal(output_pump(o, &d), 0);
		read_some(&r);
	}
	read_some(&r);
	assert_string_equal(letters_end(&r), "a92160 b51200");
	assert_int_equal(output_dropped(o), 0);
}

CASE(what_is_too_much_is_dropped_in_whole_chunks_but_not_the_one_that_is_sent, setup, teardown)
{
	struct letters r = {0};

	open_stream(100 * KB);
	assert_int_equal(append(o, 'a', 50 * KB), 0);
	assert_int_equal(output_pump(o, &d), 0);
	assert_int_equal(append(o, 'b', 40 * KB), 0);
	assert_int_equal(append(o, 'c', 40 * KB), 0);
	assert_int_equal(append(o, 'd', 40 * KB), 0);
	assert_int_equal(output_dropped(o), 1);
	assert_int_equal(append(o, 'e', 101 * KB), -EFBIG);
	while (output_pending_fd(o) >= 0) {
		assert_int_equal(output_pump(o, &d), 0);
		read_some(&r);
	}
	read_some(&r);
	assert_string_equal(letters_end(&r), "a51200 c40960 d40960");
	assert_int_equal(output_size(o), 130 * KB);
}

CASE(a_reader_that_is_gone_is_an_error, setup, teardown)
{
	open_stream(1000 * KB);
	assert_int_equal(append(o, 'a', 100), 0);
	close(ends[0]);
	ends[0] = -1;
	assert_int_equal(output_pump(o, &d), -EPIPE);
	assert_string_equal(d.text, "nobody reads standard output any more");
	assert_int_equal(output_finish(o, &d), -EPIPE);
}

static void *read_to_the_end(void *reader)
{
	char bytes[KB];
	ssize_t n;

	while ((n = read(ends[0], bytes, sizeof(bytes))) > 0)
		letters_take(reader, bytes, n);
	return NULL;
}

CASE(the_end_waits_for_the_reader, setup, teardown)
{
	struct letters r = {0};
	pthread_t thread;

	open_stream(1000 * KB);
	assert_int_equal(append(o, 'a', 300 * KB), 0);
	assert_int_equal(append(o, 'b', 1), 0);
	assert_int_equal(pthread_create(&thread, NULL, read_to_the_end, &r), 0);
	assert_int_equal(output_finish(o, &d), 0);
	close(ends[1]);
	ends[1] = -1;
	pthread_join(thread, NULL);
	assert_string_equal(letters_end(&r), "a307200 b1");
}

CASE(there_is_nothing_to_copy, setup, teardown)
{
	uint64_t size;

	open_stream(1000 * KB);
	assert_int_equal(append(o, 'a', 100), 0);
	assert_int_equal(output_save(o, "/nonexistent/x.jfr", 0, &size, &d), -ENOTSUP);
}
