// SPDX-License-Identifier: BSD-2-Clause
/* A recording as a directory of chunk files. */
#include "user/record/output.h"
#include "tests/lib/workdir.h"
#include "tests/lib/test.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHUNK 100

static char path[128];
static struct diag d;

/* The names in a directory, sorted. */
static const char *names(const char *directory)
{
	static char text[1024];
	struct dirent **list;
	int n = scandir(directory, &list, NULL, alphasort);

	text[0] = 0;
	for (int i = 0; i < n; i++) {
		if (list[i]->d_name[0] != '.')
			snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s", text[0] ? " " : "",
				 list[i]->d_name);
		free(list[i]);
	}
	if (n >= 0)
		free(list);
	return text;
}

static int setup(void **state)
{
	if (workdir_make(state))
		return -1;
	strcpy(path, workdir_path("new/of_7/"));
	setenv("TZ", "UTC", 1);
	return 0;
}

static struct output *open_output(uint64_t max_size)
{
	struct output *o = NULL;

	assert_int_equal(output_open(&o, path, &(struct output_limits){.size = max_size}, &d), 0);
	return o;
}

/* One that began so many seconds after 2026-11-18 18:05:05 UTC. */
static int append(struct output *o, char letter, unsigned int seconds)
{
	unsigned char chunk[CHUNK];
	uint64_t start = __builtin_bswap64((1795025105 + seconds) * 1000000000ULL + 5);

	memset(chunk, letter, sizeof(chunk));
	memcpy(chunk + 32, &start, sizeof(start));
	return output_append(o, chunk, sizeof(chunk), &d);
}

CASE(chunks_are_named_as_the_jvm_names_them, setup, workdir_remove)
{
	struct output *o = open_output(1000);
	char name[256];
	struct stat st;

	assert_true(output_is_directory(o));
	assert_string_equal(output_path(o), path);
	assert_int_equal(append(o, 'a', 0), 0);
	assert_int_equal(append(o, 'b', 0), 0);
	assert_int_equal(append(o, 'c', 1), 0);
	assert_string_equal(names(path), "2026_11_18_18_05_05.jfr 2026_11_18_18_05_05_01.jfr 2026_11_18_18_05_06.jfr");
	assert_int_equal(output_size(o), 3 * CHUNK);
	output_close(o);
	snprintf(name, sizeof(name), "%s2026_11_18_18_05_06.jfr", path);
	assert_int_equal(stat(name, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_int_equal(st.st_size, CHUNK);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0700);
}

/* The chunk that was being written when the recorder was killed. */
CASE(guard_removes_what_was_on_its_way, setup, workdir_remove)
{
	pid_t child = fork();

	if (!child) {
		struct output *o = open_output(1000);
		char part[sizeof(path) + 16];

		append(o, 'a', 0);
		snprintf(part, sizeof(part), "%schunk.part", path);
		close(creat(part, 0600));
		kill(getpid(), SIGKILL);
	}
	assert_int_equal(waitpid(child, NULL, 0), child);
	for (int i = 0; i < 1000 && strstr(names(path), "part"); i++)
		usleep(10000);
	assert_string_equal(names(path), "2026_11_18_18_05_05.jfr");
}

CASE(oldest_files_go, setup, workdir_remove)
{
	struct output *o = open_output(3 * CHUNK);

	for (unsigned int i = 0; i < 5; i++)
		assert_int_equal(append(o, 'a', i), 0);
	assert_string_equal(names(path), "2026_11_18_18_05_07.jfr 2026_11_18_18_05_08.jfr 2026_11_18_18_05_09.jfr");
	assert_int_equal(output_dropped(o), 2);
	assert_int_equal(output_size(o), 3 * CHUNK);
	output_close(o);
}

CASE(file_that_somebody_removed_has_gone, setup, workdir_remove)
{
	struct output *o = open_output(2 * CHUNK);
	char name[256];

	assert_int_equal(append(o, 'a', 0), 0);
	assert_int_equal(append(o, 'b', 1), 0);
	snprintf(name, sizeof(name), "%s2026_11_18_18_05_05.jfr", path);
	assert_int_equal(unlink(name), 0);
	assert_int_equal(append(o, 'c', 2), 0);
	assert_string_equal(names(path), "2026_11_18_18_05_06.jfr 2026_11_18_18_05_07.jfr");
	output_close(o);
}

CASE(copy_is_one_file, setup, workdir_remove)
{
	struct output *o = open_output(1000);
	char copy[128], bytes[3 * CHUNK];
	uint64_t size;
	FILE *f;

	for (unsigned int i = 0; i < 3; i++)
		assert_int_equal(append(o, 'a' + i, i), 0);
	snprintf(copy, sizeof(copy), "%s/copy.jfr", workdir);
	assert_int_equal(output_save(o, copy, 0, &size, &d), 0);
	assert_int_equal(size, 3 * CHUNK);
	f = fopen(copy, "rb");
	assert_non_null(f);
	assert_int_equal(fread(bytes, 1, sizeof(bytes), f), sizeof(bytes));
	fclose(f);
	assert_int_equal(bytes[0], 'a');
	assert_int_equal(bytes[CHUNK], 'b');
	assert_int_equal(bytes[3 * CHUNK - 1], 'c');
	output_close(o);
}

CASE(directory_without_a_chunk_is_removed, setup, workdir_remove)
{
	char with[128];

	output_close(open_output(1000));
	snprintf(with, sizeof(with), "%s/new", workdir);
	assert_string_equal(names(with), "");
}

CASE(what_is_no_directory_is_refused, setup, workdir_remove)
{
	struct output *o;
	char name[128];
	FILE *f;

	snprintf(name, sizeof(name), "%s/new", workdir);
	f = fopen(name, "w");
	assert_non_null(f);
	fclose(f);
	assert_int_equal(output_open(&o, path, &(struct output_limits){.size = 1000}, &d), -ENOTDIR);
	assert_contains(d.text, path);
	assert_int_equal(output_open(&o, "/nowhere/at/all/", &(struct output_limits){.size = 1000}, &d), -ENOENT);
}
