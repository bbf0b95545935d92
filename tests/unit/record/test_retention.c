// SPDX-License-Identifier: BSD-2-Clause
/* The limit for all recordings of a directory. */
#include "user/record/retention.h"
#include "tests/lib/workdir.h"
#include "tests/lib/test.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define OLD "2026_01_01_00_00_00_11"
#define NEW "2026_01_02_00_00_00_12"

static char directory[80];

static bool there(const char *name)
{
	struct stat st;

	return !lstat(workdir_path(name), &st);
}

static void make(const char *name)
{
	int fd = open(workdir_path(name), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, 1000), 0);
	close(fd);
}

static int setup(void **state)
{
	if (workdir_make(state))
		return -1;
	strcpy(directory, workdir_path("dir/"));
	mkdir(workdir_path("dir"), 0700);
	mkdir(workdir_path("dir/" OLD), 0700);
	mkdir(workdir_path("dir/" NEW), 0700);
	make("dir/" OLD "/2026_01_01_00_00_00.jfr");
	make("dir/" OLD "/2026_01_01_00_00_01.jfr");
	make("dir/" NEW "/2026_01_01_00_00_01_01.jfr"); /* between two of the other recording */
	make("dir/" NEW "/2026_01_02_00_00_00.jfr");
	return 0;
}

/* The recording whose directory has this name is being made. */
static bool is_made(const char *name, const void *context)
{
	return context && !strcmp(name, context);
}

static int64_t apply(uint64_t most, const char *made)
{
	const struct retention r = {.path = directory, .most = most, .is_made = is_made, .context = made};
	struct diag d;

	return retention_apply(&r, &d);
}

CASE(nothing_goes_below_the_limit, setup, workdir_remove)
{
	assert_int_equal(apply(4000, NULL), 0);
	assert_true(there("dir/" OLD "/2026_01_01_00_00_00.jfr"));
}

CASE(the_oldest_chunks_go_first_of_whichever_recording, setup, workdir_remove)
{
	assert_int_equal(apply(3999, NULL), 1000);
	assert_false(there("dir/" OLD "/2026_01_01_00_00_00.jfr"));
	assert_true(there("dir/" OLD "/2026_01_01_00_00_01.jfr"));
	assert_int_equal(apply(1500, NULL), 2000);
	assert_false(there("dir/" OLD));
	assert_false(there("dir/" NEW "/2026_01_01_00_00_01_01.jfr"));
	assert_true(there("dir/" NEW "/2026_01_02_00_00_00.jfr"));
}

CASE(the_directory_of_a_recording_that_is_made_stays, setup, workdir_remove)
{
	assert_int_equal(apply(0, NEW), 4000);
	assert_false(there("dir/" OLD));
	assert_true(there("dir/" NEW));
	assert_int_equal(apply(0, NULL), 0); /* and so does one that was empty before */
	assert_true(there("dir/" NEW));
}

CASE(what_is_no_chunk_stays_and_links_lead_nowhere, setup, workdir_remove)
{
	mkdir(workdir_path("other"), 0700);
	make("other/2026_01_01_00_00_00.jfr");
	make("dir/notes.jfr");
	mkdir(workdir_path("dir/2026_01_01_00_00_00"), 0700);
	make("dir/2026_01_01_00_00_00/2026_01_01_00_00_00.jfr");
	make("dir/" OLD "/shop.jfr");
	assert_int_equal(symlink("../other", workdir_path("dir/2026_01_01_00_00_00_1")), 0);
	assert_int_equal(
		symlink("../../other/2026_01_01_00_00_00.jfr", workdir_path("dir/" OLD "/2026_01_01_00_00_09.jfr")), 0);
	assert_int_equal(apply(0, NULL), 4000);
	assert_true(there("other/2026_01_01_00_00_00.jfr") && there("dir/notes.jfr"));
	assert_true(there("dir/2026_01_01_00_00_00/2026_01_01_00_00_00.jfr") && there("dir/" OLD "/shop.jfr"));
	assert_true(there("dir/" OLD "/2026_01_01_00_00_09.jfr"));
}

CASE(a_directory_that_is_not_there_yet_has_nothing, setup, workdir_remove)
{
	strcpy(directory, workdir_path("later/"));
	assert_int_equal(apply(0, NULL), 0);
}
