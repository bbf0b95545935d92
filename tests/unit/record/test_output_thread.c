// SPDX-License-Identifier: BSD-2-Clause
/*
 * The thread that writes chunks. A write can be held up until the test lets it go (pwrite() is wrapped by the linker), so
 * nothing here depends on which thread is faster.
 */
#include "tests/lib/jdk.h"
#include "tests/lib/wrap.h"
#include "tests/unit/record/letters.h"

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#define SIZE 1000

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static bool held, full;
static unsigned int waiting; /* writes that are held up */

WRAP(ssize_t, pwrite, int fd, const void *data, size_t size, off_t at)
{
	bool fails;

	pthread_mutex_lock(&lock);
	waiting++;
	pthread_cond_broadcast(&changed);
	while (held)
		pthread_cond_wait(&changed, &lock);
	waiting--;
	fails = full;
	pthread_mutex_unlock(&lock);
	errno = ENOSPC;
	return fails ? -1 : __real_pwrite(fd, data, size, at);
}

static void set(bool *what, bool to)
{
	pthread_mutex_lock(&lock);
	*what = to;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
}

static void wait_until_held(void)
{
	pthread_mutex_lock(&lock);
	while (!waiting)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
}

static struct output *output;
static struct bytes chunk;

static void open_output(const char *name)
{
	const struct output_limits limits = {.size = 100 * SIZE};

	bytes_init(&chunk);
	if (name)
		assert_int_equal(output_open(&output, name, &limits, &d), 0);
	else
		assert_int_equal(output_open_memory(&output, path, &limits, &d), 0);
	output_thread_begin(output);
}

static int setup(void **state)
{
	held = full = false;
	return make_directory(state);
}

static int setup_file(void **state)
{
	int err = setup(state);

	open_output(path);
	return err;
}

static int teardown(void **state)
{
	bytes_release(&chunk);
	return workdir_remove(state);
}

static int put(char letter)
{
	bytes_clear(&chunk);
	memset(bytes_reserve(&chunk, SIZE), letter, SIZE);
	chunk.size = SIZE;
	return output_put(output, &chunk, &d);
}

/* From a to c, and the output is closed. */
static void put_three(void)
{
	for (char c = 'a'; c < 'd'; c++)
		assert_int_equal(put(c), 0);
	assert_int_equal(output_finish(output, &d), 0);
	output_close(output);
}

CASE(chunks_arrive_in_their_order, setup_file, teardown)
{
	put_three();
	assert_string_equal(content(), "a1000 b1000 c1000");
}

CASE(a_directory_has_its_chunks, setup, teardown)
{
	char *text;

	open_output(workdir_path("parts/"));
	put_three();
	assert_int_equal(shell_run(&text, "cat %s/*.jfr >%s", workdir_path("parts"), path), 0);
	free(text);
	assert_string_equal(content(),
			    "a1000 b1000 c1000"); /* their names are sorted by time, which the letters are taken for */
}

CASE(memory_has_its_chunks_at_the_end, setup, teardown)
{
	open_output(NULL);
	put_three();
	assert_string_equal(content(), "a1000 b1000 c1000");
}

CASE(a_chunk_is_filled_while_another_one_is_written, setup_file, teardown)
{
	assert_int_equal(put('a'), 0);
	assert_int_equal(output_result(output, true, &d), 0);
	set(&held, true);
	assert_int_equal(put('b'), 0);
	wait_until_held();
	assert_int_equal(output_result(output, false, &d), -EINPROGRESS);
	memset(chunk.data, 'x', chunk.capacity); /* it is other memory than that of b */
	assert_int_equal(output_size(output), SIZE);
	assert_false(output_was_removed(output));
	set(&held, false);
	assert_int_equal(output_result(output, true, &d), 0);
	assert_int_equal(output_size(output), 2 * SIZE);
	assert_string_equal(content(), "a1000 b1000");
	output_close(output);
}

CASE(what_is_being_written_is_in_a_copy, setup_file, teardown)
{
	uint64_t size = 0;

	assert_int_equal(put('a'), 0);
	assert_int_equal(put('b'), 0);
	assert_int_equal(output_save(output, workdir_path("copy.jfr"), 0, &size, &d), 0);
	assert_int_equal(size, 2 * SIZE);
	output_close(output);
}

CASE(a_file_that_goes_while_a_chunk_is_written_is_missed_afterwards, setup_file, teardown)
{
	assert_int_equal(put('a'), 0);
	assert_int_equal(output_result(output, true, &d), 0);
	set(&held, true);
	assert_int_equal(put('b'), 0);
	wait_until_held();
	unlink(path);
	set(&held, false);
	assert_int_equal(output_result(output, true, &d), 0);
	assert_true(output_was_removed(output));
	output_close(output);
}

CASE(a_failure_is_reported_once_and_the_next_chunk_is_not_written, setup_file, teardown)
{
	assert_int_equal(put('a'), 0);
	assert_int_equal(output_result(output, true, &d), 0);
	set(&full, true);
	assert_int_equal(put('b'), 0);
	assert_int_equal(put('c'), -ENOSPC);
	assert_contains(d.text, "cannot write '");
	assert_int_equal(output_result(output, true, &d), 0);
	set(&full, false);
	assert_int_equal(put('d'), 0);
	assert_int_equal(output_result(output, true, &d), 0);
	assert_string_equal(content(), "a1000 d1000");
	output_close(output);
}

CASE(the_end_waits_for_the_last_chunk, setup_file, teardown)
{
	set(&held, true);
	assert_int_equal(put('a'), 0);
	wait_until_held();
	set(&held, false);
	output_close(output);
	assert_string_equal(content(), "a1000");
}

CASE(a_stream_has_no_thread, setup, teardown)
{
	int pipe_ends[2];
	char bytes[SIZE];

	assert_int_equal(pipe2(pipe_ends, O_CLOEXEC), 0);
	bytes_init(&chunk);
	assert_int_equal(output_open_stream(&output, pipe_ends[1], &(struct output_limits){.size = SIZE}, &d), 0);
	output_thread_begin(output);
	assert_int_equal(put('a'), 0);
	assert_int_equal(output_result(output, false, &d), 0);
	assert_int_equal(output_finish(output, &d), 0);
	assert_int_equal(read(pipe_ends[0], bytes, sizeof(bytes)), sizeof(bytes));
	output_close(output);
	close(pipe_ends[0]);
	close(pipe_ends[1]);
}
