// SPDX-License-Identifier: BSD-2-Clause
/* A file that is written while it is read. */
#include "user/trace/jfr_file.h"
#include "tests/lib/recording.h"
#include "tests/lib/test.h"
#include "user/exit.h"
#include "user/text/log.h"

#include <sys/mman.h>
#include <unistd.h>

static struct recording recording;
static char path[32];
static int fd;
static size_t first; /* the first chunk's size */

static int setup(void **state)
{
	recording = recording_new();
	recording_begin(&recording);
	recording_end(&recording, false);
	first = recording.file.size;
	recording_begin(&recording);
	recording_end(&recording, true);
	fd = memfd_create("recording", 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return 0;
}

static int teardown(void **state)
{
	recording_free(&recording);
	close(fd);
	return 0;
}

static void write_until(size_t size)
{
	assert_int_equal(pwrite(fd, recording.file.data, size, 0), size);
}

/* How many chunks there are, and what is said of the file, which has `later` bytes once it is open. */
static int read_all(size_t later, unsigned int *chunks, struct diag *d)
{
	struct jfr_chunk *chunk;
	struct jfr_file_map m;
	int verdict;

	assert_int_equal(jfr_file_open(&m, path, d), 0);
	write_until(later);
	for (*chunks = 0; (chunk = jfr_file_next(&m.file)); ++*chunks)
		jfr_chunk_put(chunk);
	verdict = jfr_file_verdict(&m, d);
	jfr_file_close(&m);
	return verdict;
}

CASE(a_chunk_that_came_after_it_was_opened_is_no_damage, setup, teardown)
{
	unsigned int chunks;
	struct diag d;

	write_until(first + 100);
	assert_int_equal(read_all(recording.file.size, &chunks, &d), EXIT_INCOMPLETE);
	assert_int_equal(chunks, 1);
	assert_int_equal(read_all(recording.file.size, &chunks, &d), EXIT_DONE);
	assert_int_equal(chunks, 2);
}

CASE(a_chunk_that_does_not_come_is_damage, setup, teardown)
{
	unsigned int chunks;
	struct diag d;

	write_until(first + 100);
	assert_int_equal(read_all(first + 100, &chunks, &d), -EIO);
	assert_contains(d.text, "a chunk that is cut off");
	assert_int_equal(chunks, 1);
}

int main(void)
{
	log_set(true, false);
	return test_main(NULL, NULL);
}
