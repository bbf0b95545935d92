// SPDX-License-Identifier: BSD-2-Clause
/*
 * A recording in memory: what is kept, what goes, and what reaches the disk. How much memory the machine has, these
 * tests say; the kernel's answers can be made to fail (both wrapped by the linker).
 */
#include "tests/lib/fail_nth.h"
#include "tests/lib/wrap.h"
#include "tests/unit/record/letters.h"
#include "user/process/cgroup_limit.h"
#include "user/process/machine.h"
#include "user/text/monotonic.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define MB (1ULL << 20)

static uint64_t available, limit;
static bool no_mmap, no_madvise, no_write, disk_full;
static unsigned int opened; /* descriptors */

WRAP(bool, machine_memory, uint64_t *total, uint64_t *used)
{
	*total = available + 1000 * MB;
	*used = 1000 * MB;
	return available;
}

WRAP(uint64_t, cgroup_limit_own_memory, void)
{
	return limit;
}

WRAP(void *, mmap, void *at, size_t size, int protection, int flags, int fd, off_t offset)
{
	errno = ENOMEM;
	return no_mmap ? MAP_FAILED : __real_mmap(at, size, protection, flags, fd, offset);
}

WRAP(int, madvise, void *at, size_t size, int advice)
{
	errno = EINVAL;
	return no_madvise ? -1 : __real_madvise(at, size, advice);
}

WRAP(ssize_t, pwrite, int fd, const void *data, size_t size, off_t at)
{
	errno = EIO;
	return no_write ? -1 : __real_pwrite(fd, data, size > 7 ? 7 : size, at); /* in pieces */
}

int __real_openat(int directory_fd, const char *name, int flags, mode_t mode);
int __wrap_openat(int directory_fd, const char *name, int flags, mode_t mode);
int __wrap_openat(int directory_fd, const char *name, int flags, mode_t mode)
{
	opened++;
	return __real_openat(directory_fd, name, flags, mode);
}

WRAP(int, fstatvfs, int fd, struct statvfs *v)
{
	*v = (struct statvfs){.f_frsize = 1, .f_blocks = 1ULL << 40, .f_bavail = disk_full ? 1 : 1ULL << 39};
	return 0;
}

static int setup(void **state)
{
	available = 1000 * MB;
	limit = UINT64_MAX;
	no_mmap = no_madvise = no_write = disk_full = false;
	opened = 0;
	return make_directory(state);
}

static int teardown(void **state)
{
	unlink(path);
	return rmdir(workdir);
}

static struct output *open_memory(const char *name, uint64_t size, uint64_t age_ns)
{
	struct output *o = NULL;

	assert_int_equal(output_open_memory(&o, name, &(struct output_limits){.size = size, .age_ns = age_ns}, &d), 0);
	assert_true(output_in_memory(o));
	assert_false(output_is_directory(o));
	return o;
}

/* What a copy has; it is removed. */
static const char *saved(const struct output *o, uint64_t last_ns)
{
	const char *text;
	uint64_t size;

	assert_int_equal(output_save(o, path, last_ns, &size, &d), 0);
	text = content();
	unlink(path);
	return text;
}

CASE(nothing_touches_the_disk_before_a_copy, setup, teardown)
{
	struct output *o = open_memory(NULL, 1000, 0);

	for (char c = 'a'; c <= 'z'; c++)
		assert_int_equal(append(o, c, 130), 0);
	assert_null(output_path(o));
	assert_int_equal(output_finish(o, &d), 0);
	assert_int_equal(opened, 0);
	assert_int_equal(workdir_count(), 0);
	assert_string_equal(saved(o, 0), "t130 u130 v130 w130 x130 y130 z130");
	output_close(o);
	assert_int_equal(workdir_count(), 0);
}

/* Chunks of all sizes lie at all places of the ring. */
CASE(the_newest_chunks_that_fit_are_kept_whole, setup, teardown)
{
	struct output *o = open_memory(NULL, 1000, 0);
	size_t size[26];
	char want[4096];

	for (unsigned int round = 0, random = 1; round < 300; round++) {
		uint64_t sum = 0;
		unsigned int first = 26, at = 0;

		for (int i = 0; i < 26; i++) {
			random = random * 1664525 + 1013904223;
			size[i] = 1 + (random >> 16) % (i % 5 ? 100 : 400);
			assert_int_equal(append(o, 'a' + i, size[i]), 0);
			assert_true(output_size(o) <= 1000);
		}
		while (first && sum + size[first - 1] <= 1000)
			sum += size[--first];
		for (unsigned int i = first; i < 26; i++)
			at += snprintf(want + at, sizeof(want) - at, "%s%c%zu", i > first ? " " : "", 'a' + i, size[i]);
		assert_string_equal(saved(o, 0), want);
		assert_int_equal(output_size(o), sum);
	}
	output_close(o);
}

CASE(a_chunk_may_take_all_of_it_but_not_more, setup, teardown)
{
	struct output *o = open_memory(NULL, 1000, 0);

	assert_int_equal(append(o, 'a', 300), 0);
	assert_int_equal(append(o, 'b', 1000), 0);
	assert_int_equal(output_dropped(o), 1);
	assert_int_equal(append(o, 'c', 1001), -EFBIG);
	assert_string_equal(saved(o, 0), "b1000"); /* what was there stays */
	output_close(o);
}

CASE(old_chunks_go_by_age, setup, teardown)
{
	struct output *o = open_memory(NULL, 1000, 10000000);
	int64_t begin = output_since(o), after;

	assert_true(begin <= monotonic_ns() && begin > monotonic_ns() - 60000000000);
	assert_int_equal(append(o, 'a', 100), 0);
	after = monotonic_ns();
	assert_int_equal(output_since(o), begin);
	usleep(20000);
	assert_int_equal(append(o, 'b', 100), 0);
	usleep(20000);
	assert_int_equal(append(o, 'c', 100), 0);
	assert_string_equal(saved(o, 0), "b100 c100");
	assert_true(output_since(o) > begin && output_since(o) <= after); /* where the dropped one ended */
	assert_string_equal(saved(o, 1), "c100");
	output_close(o);
}

CASE(at_the_end_it_goes_to_the_named_file, setup, teardown)
{
	struct output *o = open_memory(path, 1000, 0);

	assert_string_equal(output_path(o), path);
	assert_int_equal(workdir_count(), 0);
	assert_int_equal(append(o, 'a', 100), 0);
	assert_int_equal(workdir_count(), 0);
	assert_int_equal(output_finish(o, &d), 0);
	assert_false(output_in_memory(o));
	output_close(o);
	assert_string_equal(content(), "a100");
}

CASE(a_name_that_cannot_be_written_is_refused_at_once, setup, teardown)
{
	struct output *o = NULL;

	assert_int_equal(output_open_memory(&o, "/nowhere/x.jfr", &(struct output_limits){.size = 1000}, &d), -ENOENT);
	assert_null(o);
	o = open_memory(NULL, 1000, 0);
	assert_int_equal(append(o, 'a', 100), 0);
	assert_int_equal(output_name(o, workdir, &d), -EISDIR);
	assert_null(output_path(o));
	assert_int_equal(output_name(o, path, &d), 0);
	assert_string_equal(output_path(o), path);
	assert_int_equal(workdir_count(), 0);
	assert_int_equal(output_finish(o, &d), 0);
	output_close(o);
	assert_string_equal(content(), "a100");
}

CASE(an_output_that_is_no_memory_has_its_file, setup, teardown)
{
	struct output *o = NULL;

	assert_int_equal(output_open(&o, path, &(struct output_limits){.size = 1000}, &d), 0);
	assert_false(output_in_memory(o));
	assert_int_equal(output_name(o, path, &d), -EEXIST);
	assert_int_equal(output_finish(o, &d), 0);
	output_close(o);
	assert_int_equal(workdir_count(), 0);
}

CASE(a_copy_that_fails_leaves_what_is_in_memory, setup, teardown)
{
	struct output *o = open_memory(path, 1000, 0);
	uint64_t size;

	assert_int_equal(append(o, 'a', 100), 0);
	no_write = true;
	assert_int_equal(output_save(o, path, 0, &size, &d), -EIO);
	assert_int_equal(output_finish(o, &d), -EIO);
	assert_true(output_in_memory(o));
	no_write = false;
	disk_full = true;
	assert_int_equal(output_finish(o, &d), -ENOSPC);
	disk_full = false;
	assert_int_equal(workdir_count(), 0);
	assert_int_equal(output_finish(o, &d), 0);
	output_close(o);
	assert_string_equal(content(), "a100");
}

CASE(memory_that_is_not_there_is_refused, setup, teardown)
{
	struct output *o = NULL;
	struct output_limits limits = {.size = 80 * MB};

	available = 99 * MB;
	assert_int_equal(output_open_memory(&o, NULL, &limits, &d), -ENOMEM);
	assert_contains(d.text, "99 MB are available");
	available = 1000 * MB;
	limit = 319 * MB;
	assert_int_equal(output_open_memory(&o, NULL, &limits, &d), -ENOMEM);
	assert_contains(d.text, "container is 319 MB");
	limit = 320 * MB;
	available = 100 * MB;
	no_mmap = true;
	assert_int_equal(output_open_memory(&o, NULL, &limits, &d), -ENOMEM);
	no_mmap = false;
	no_madvise = true;
	assert_int_equal(output_open_memory(&o, NULL, &limits, &d), -EINVAL);
	no_madvise = false;
	assert_int_equal(output_open_memory(&o, NULL, &limits, &d), 0);
	output_close(o);
}

/* It is taken when the recording begins. */
CASE(memory_is_there_from_the_start, setup, teardown)
{
	struct output *o;
	long before, after;
	FILE *f = fopen("/proc/self/statm", "r");

	assert_non_null(f);
	assert_int_equal(fscanf(f, "%*d %ld", &before), 1);
	fclose(f);
	o = open_memory(NULL, 40 * MB, 0);
	f = fopen("/proc/self/statm", "r");
	assert_non_null(f);
	assert_int_equal(fscanf(f, "%*d %ld", &after), 1);
	fclose(f);
	assert_true((uint64_t)(after - before) * sysconf(_SC_PAGESIZE) >= 39 * MB);
	output_close(o);
}

CASE(failed_allocation_leaves_it_as_it_was, setup, teardown)
{
	fail_nth_or_skip();
	for (unsigned int n = 1;; n++) {
		struct output *o = NULL;
		unsigned int chunks = 0;
		bool happened;
		int err;

		fail_nth(n);
		err = output_open_memory(&o, NULL, &(struct output_limits){.size = 100000}, &d);
		for (int i = 0; i < 70 && !err; i++, chunks += !err)
			err = output_append(o, "0123456789", 10, &d);
		if (!err)
			err = output_name(o, path, &d);
		happened = fail_nth_end();
		assert_int_equal(err, happened ? -ENOMEM : 0);
		if (o)
			assert_int_equal(output_size(o), chunks * 10);
		output_close(o);
		assert_int_equal(workdir_count(), 0);
		if (!happened)
			return;
	}
}
