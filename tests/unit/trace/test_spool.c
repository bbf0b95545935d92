// SPDX-License-Identifier: BSD-2-Clause
/* Recordings from standard input, and compressed ones. */
#include "format/gzip.h"
#include "tests/lib/recording.h"
#include "tests/lib/test.h"
#include "user/exit.h"
#include "user/trace/jfr_files.h"
#include "user/trace/spool.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#define CALLS 3

static struct recording r;
static struct bytes packed;
static char directory[64];
static struct diag d;

static int setup(void **state)
{
	r = recording_new();
	recording_begin(&r);
	for (int i = 0; i < CALLS; i++)
		recording_call(&r, recording_thread(&r, 1), recording_method(&r, "pay"));
	recording_end(&r, true);
	bytes_init(&packed);
	gzip_put(&packed, r.file.data, r.file.size);
	d = (struct diag){0};
	snprintf(directory, sizeof(directory), "/tmp/frtrace-spool-XXXXXX");
	return mkdtemp(directory) && !chdir(directory) ? 0 : -1;
}

static int teardown(void **state)
{
	recording_free(&r);
	bytes_release(&packed);
	unlink("a.jfr.gz");
	unlink("b.jfr.gz");
	spool_used = 0;
	return chdir("/") || rmdir(directory);
}

static void write_file(const char *path, const void *data, size_t size)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	assert_int_equal(write(fd, data, size), size);
	close(fd);
}

/* Let standard input be a pipe with these bytes. */
static void feed(const void *data, size_t size)
{
	int fds[2];

	assert_int_equal(pipe(fds), 0);
	assert_true(size < 65536 && write(fds[1], data, size) == (ssize_t)size);
	close(fds[1]);
	assert_int_equal(dup2(fds[0], STDIN_FILENO), STDIN_FILENO);
	close(fds[0]);
}

/* The number of calls in all that the paths name, or -errno. */
static int calls_of(const char *first, const char *second)
{
	const char *paths[] = {first, second};
	struct jfr_chunk *chunk;
	struct jfr_files f;
	struct jfr_event e;
	int calls = 0, err = jfr_files_open(&f, paths, 1 + !!second, "cannot read", &d);

	if (err)
		return err;
	while ((chunk = jfr_file_next(f.file))) {
		for (uint64_t at = JFR_HEADER_SIZE; jfr_chunk_next(chunk, &at, &e);)
			calls += e.type && !strcmp(e.type->name, TRACE);
		jfr_chunk_put(chunk);
	}
	assert_int_equal(jfr_files_verdict(&f, &d), EXIT_DONE);
	jfr_files_close(&f);
	return calls;
}

CASE(a_compressed_recording_is_read, setup, teardown)
{
	write_file("a.jfr.gz", packed.data, packed.size);
	assert_int_equal(calls_of("a.jfr.gz", NULL), CALLS);
	assert_int_equal(calls_of(".", NULL), CALLS);
}

CASE(standard_input_is_read_compressed_or_not, setup, teardown)
{
	feed(r.file.data, r.file.size);
	assert_int_equal(calls_of("-", NULL), CALLS);
	feed(packed.data, packed.size);
	assert_int_equal(calls_of("-", NULL), CALLS);
	feed("", 0);
	assert_int_equal(calls_of("-", NULL), -EINVAL);
	assert_string_equal(d.text, "'-' is empty, and so no recording");
}

CASE(compressed_files_are_members_of_a_recording, setup, teardown)
{
	struct recording other = recording_new();

	recording_begin(&other);
	other.now += 1000;
	recording_call(&other, recording_thread(&other, 2), recording_method(&other, "refund"));
	recording_end(&other, true);
	write_file("a.jfr.gz", packed.data, packed.size);
	bytes_clear(&packed);
	gzip_put(&packed, other.file.data, other.file.size);
	write_file("b.jfr.gz", packed.data, packed.size);
	assert_int_equal(calls_of("a.jfr.gz", "b.jfr.gz"), CALLS + 1);
	feed(r.file.data, r.file.size);
	assert_int_equal(calls_of("-", "b.jfr.gz"), CALLS + 1);
	assert_int_equal(calls_of("-", "-"), -EINVAL);
	recording_free(&other);
}

CASE(a_file_that_unpacks_to_no_end_is_refused, setup, teardown)
{
	size_t size = 100 << 20, before = r.file.size;
	unsigned char *data = calloc(1, size);

	memcpy(data, r.file.data, before);
	bytes_clear(&packed);
	gzip_put(&packed, data, size);
	write_file("a.jfr.gz", packed.data, packed.size);
	assert_int_equal(calls_of("a.jfr.gz", NULL), -EFBIG);
	assert_contains(d.text, "cannot read 'a.jfr.gz': more than");
	bytes_clear(&packed);
	gzip_put(&packed, data + before, size - before);
	write_file("a.jfr.gz", packed.data, packed.size);
	assert_int_equal(calls_of("a.jfr.gz", NULL), -EINVAL);
	assert_string_equal(d.text, "'a.jfr.gz' is no Flight Recorder file");
	free(data);
}

CASE(all_copies_together_are_bounded, setup, teardown)
{
	write_file("a.jfr.gz", packed.data, packed.size);
	write_file("b.jfr.gz", packed.data, packed.size);
	spool_used = SPOOL_MOST - r.file.size;
	assert_int_equal(calls_of("a.jfr.gz", NULL), CALLS);
	assert_int_equal(spool_used, SPOOL_MOST);
	assert_int_equal(calls_of("b.jfr.gz", NULL), -EFBIG);
	assert_contains(d.text, "cannot read 'b.jfr.gz': all that is unpacked or copied is more than 8");
	/* what is refused takes nothing */
	spool_used = SPOOL_MOST - r.file.size - 1;
	assert_int_equal(calls_of("a.jfr.gz", "b.jfr.gz"), -EFBIG);
	assert_int_equal(spool_used, SPOOL_MOST - 1);
}

CASE(too_many_open_files_are_named_with_what_to_do, setup, teardown)
{
	struct rlimit before, none;

	write_file("a.jfr.gz", packed.data, packed.size);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	none = (struct rlimit){0, before.rlim_max};
	setrlimit(RLIMIT_NOFILE, &none);
	assert_int_equal(calls_of("a.jfr.gz", NULL), -EMFILE);
	setrlimit(RLIMIT_NOFILE, &before);
	assert_contains(d.text, ": Too many open files; raise 'ulimit -n'");
}

CASE(damaged_compression_is_named, setup, teardown)
{
	write_file("a.jfr.gz", packed.data, packed.size - 10);
	assert_int_equal(calls_of("a.jfr.gz", NULL), -EINVAL);
	assert_string_equal(d.text, "cannot unpack 'a.jfr.gz': its compressed data ends early");
	packed.data[packed.size - 5] ^= 1;
	write_file("a.jfr.gz", packed.data, packed.size);
	assert_int_equal(calls_of("a.jfr.gz", NULL), -EBADMSG);
}

/* The next one is tried. */
CASE(a_directory_that_cannot_be_written_is_passed_over, setup, teardown)
{
	setenv("TMPDIR", "/proc/self", 1);
	feed(packed.data, packed.size);
	assert_int_equal(calls_of("-", NULL), CALLS);
	unsetenv("TMPDIR");
}
