// SPDX-License-Identifier: BSD-2-Clause
/*
 * The recordings in tests/data/recordings, which once made frtrace crash, hang or take too much, and the seeds of
 * tests/fuzz/cli_fuzz.c, read by all verbs, views and exports.
 */
#include "format/bytes.h"
#include "tests/fuzz/cli_lines.h"
#include "tests/lib/test.h"

#include <glob.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

#define SECONDS	    10	/* of CPU for a line: most take some milliseconds */
#define SECONDS_ALL 100 /* for all, with sanitizers on a slow machine */
#define STATUS_MOST 5	/* EXIT_UNDECIDED */

static struct bytes read_file(const char *path)
{
	gzFile from = gzopen(path, "rb");
	struct bytes b;
	int n;

	bytes_init(&b);
	assert_non_null(from);
	while (bytes_reserve(&b, 1 << 16) && (n = gzread(from, b.data + b.size, 1 << 16)) > 0)
		b.size += n;
	gzclose(from);
	assert_true(b.size && !b.failed);
	return b;
}

static double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

/* Ends with 0, or with 1 after a line that took too long or whose status is none of ours. */
static void run_lines(void)
{
	setrlimit(RLIMIT_CPU, &(struct rlimit){SECONDS_ALL, SECONDS_ALL});
	for (size_t line = 0; line < cli_line_count; line++) {
		double before = cpu_seconds();
		int status;

		fprintf(stderr, "# %s\n", cli_text(line));
		status = cli_run(line);
		if (status < 0 || status > STATUS_MOST || cpu_seconds() - before > SECONDS)
			_exit(1);
	}
	_exit(0);
}

static void read_by_all(const char *path, const struct bytes *other)
{
	struct bytes b = read_file(path);
	int status;
	pid_t pid;

	printf("# %s\n", path);
	cli_begin();
	cli_set_files(b.data, b.size, other->data, other->size);
	fflush(NULL);
	pid = fork();
	if (!pid)
		run_lines();
	assert_int_equal(waitpid(pid, &status, 0), pid);
	cli_end();
	bytes_release(&b);
	if (status)
		fail_msg("%s: %s %d, see the last line above", path, WIFSIGNALED(status) ? "signal" : "status",
			 WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
}

static void read_all(const char *pattern, const char *other_path)
{
	struct bytes other = read_file(other_path);
	glob_t found;

	assert_int_equal(glob(pattern, 0, NULL, &found), 0);
	for (size_t i = 0; i < found.gl_pathc; i++)
		read_by_all(found.gl_pathv[i], &other);
	globfree(&found);
	bytes_release(&other);
}

CASE(all_that_was_hostile_is_read_or_refused)
{
	read_all("tests/data/recordings/*", "tests/fuzz/corpus/cli/calls.jfr.gz");
}

CASE(all_seeds_are_read)
{
	read_all("tests/fuzz/corpus/cli/*", "tests/fuzz/corpus/cli/timing.jfr.gz");
}
