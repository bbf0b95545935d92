// SPDX-License-Identifier: BSD-2-Clause
/* The file of a recording. How full the disk is, these tests say (fstatvfs() is wrapped by the linker). */
#include "format/jfr/jfr_chunk.h"
#include "tests/lib/fail_nth.h"
#include "tests/lib/wrap.h"
#include "tests/unit/record/letters.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#define GB (1ULL << 30)

static const struct output_limits little = {.size = 1000};
static uint64_t disk_size, disk_free;

WRAP(int, fstatvfs, int fd, struct statvfs *v)
{
	*v = (struct statvfs){.f_frsize = 1, .f_blocks = disk_size, .f_bavail = disk_free};
	return 0;
}

static int setup(void **state)
{
	disk_size = 1000 * GB;
	disk_free = 500 * GB;
	return make_directory(state);
}

static int teardown(void **state)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -f %s/*", workdir);
	return system(command) ?: rmdir(workdir); /* no hidden file is left */
}

static struct output *open_output(uint64_t max_size)
{
	struct output *o = NULL;

	assert_int_equal(output_open(&o, path, &(struct output_limits){.size = max_size}, &d), 0);
	return o;
}

static mode_t mode_of(const char *name)
{
	struct stat st;

	assert_int_equal(stat(name, &st), 0);
	return st.st_mode & 07777;
}

static void write_file(const char *name, const char *text)
{
	FILE *f = fopen(name, "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

#define PRECIOUS "p1 r1 e1 c1 i1 o1 u1 s1" /* one that is there before */

/* Ten chunks of 100 bytes, from 'a' to 'j'. */
static void append_ten(struct output *o)
{
	for (char c = 'a'; c < 'k'; c++)
		assert_int_equal(append(o, c, 100), 0);
}

/* No file may become longer; 0: any may. */
static void limit_file_size(rlim_t most)
{
	struct rlimit l;

	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &l);
	l.rlim_cur = most ? most : l.rlim_max;
	setrlimit(RLIMIT_FSIZE, &l);
}

/* True in a recorder of its own process, which must kill itself. The test goes on when it is dead. */
static bool is_recorder(void)
{
	pid_t child = fork();

	if (child)
		assert_int_equal(waitpid(child, NULL, 0), child);
	return !child;
}

CASE(file_is_for_its_owner_only, setup, teardown)
{
	mode_t mask = umask(0);
	struct output *o = open_output(1000);

	umask(mask);
	assert_int_equal(append(o, 'a', 70), 0);
	assert_int_equal(mode_of(path), 0600);
	assert_string_equal(output_path(o), path);
	output_close(o);
}

CASE(file_that_is_there_stays_until_the_first_chunk, setup, teardown)
{
	struct output *o;

	write_file(path, "precious");
	assert_int_equal(chmod(path, 0644), 0);
	output_close(open_output(1000)); /* a start that fails */
	o = open_output(1000);
	assert_int_equal(mode_of(path), 0644);
	assert_string_equal(content(), PRECIOUS);
	assert_int_equal(append(o, 'a', 70), 0);
	assert_int_equal(mode_of(path), 0600);
	assert_string_equal(content(), "a70");
	output_close(o);
	assert_string_equal(content(), "a70");
	assert_int_equal(workdir_count(), 1);
}

CASE(file_that_was_put_there_meanwhile_stays, setup, teardown)
{
	struct output *o = open_output(1000);

	write_file(path, "precious");
	assert_int_equal(append(o, 'a', 70), -EBUSY);
	assert_string_equal(content(), PRECIOUS);
	unlink(path);
	assert_int_equal(append(o, 'b', 70), 0);
	assert_string_equal(content(), "b70");
	for (char c = 'c'; c < 'k'; c++)
		assert_int_equal(append(o, c, 100), 0);
	unlink(path);
	write_file(path, "precious");
	assert_true(output_was_removed(o));
	for (char c = 'k'; append(o, c, 100) == 0; c++)
		assert_true(c < 'z');
	assert_contains(d.text, "it is another file than before");
	assert_string_equal(content(), PRECIOUS);
	output_close(o);
	assert_int_equal(workdir_count(), 1);
}

CASE(file_that_was_removed_is_gone, setup, teardown)
{
	struct output *o = open_output(1000);
	char elsewhere[256];

	assert_false(output_was_removed(o));
	assert_int_equal(append(o, 'a', 70), 0);
	assert_false(output_was_removed(o));
	snprintf(elsewhere, sizeof(elsewhere), "%s.1", path);
	assert_int_equal(rename(path, elsewhere), 0);
	assert_true(output_was_removed(o));
	assert_int_equal(rename(elsewhere, path), 0);
	assert_false(output_was_removed(o));
	unlink(path);
	assert_true(output_was_removed(o));
	output_close(o);
}

/* A recorder of its own process; `chunks` are written before it waits to be killed. */
static pid_t start_recorder(int chunks)
{
	int ends[2];
	char byte;
	pid_t child;

	assert_int_equal(pipe(ends), 0);
	child = fork();
	if (!child) {
		struct output *o = open_output(1000);

		while (chunks--)
			append(o, 'a', 100);
		if (write(ends[1], "", 1) == 1)
			pause();
		_exit(1);
	}
	assert_int_equal(read(ends[0], &byte, 1), 1);
	close(ends[0]);
	close(ends[1]);
	return child;
}

CASE(file_that_another_process_writes_is_refused, setup, teardown)
{
	static const int chunks[] = {
		0, 1, 25}; /* it has a scratch name, its own, and that again: its oldest chunks have gone */
	char text[64];

	for (size_t i = 0; i < sizeof(chunks) / sizeof(*chunks); i++) {
		pid_t child = start_recorder(chunks[i]);
		struct output *o = NULL;

		snprintf(text, sizeof(text), "frtrace pid %d is writing it", child);
		assert_int_equal(output_open(&o, path, &little, &d), -EBUSY);
		assert_contains(d.text, text);
		assert_int_equal(access(path, F_OK), chunks[i] ? 0 : -1);
		kill(child, SIGKILL);
		assert_int_equal(waitpid(child, NULL, 0), child);
		for (int n = 0; n < 500 && output_open(&o, path, &little, &d); n++)
			usleep(10000); /* its guard has it for a moment */
		assert_non_null(o);
		assert_int_equal(append(o, 'b', 70), 0);
		output_close(o);
		assert_string_equal(content(), "b70");
		assert_int_equal(workdir_count(), 1);
		unlink(path);
	}
}

CASE(nothing_is_written_through_a_link, setup, teardown)
{
	char other[128];
	struct output *o;

	snprintf(other, sizeof(other), "%s/other", workdir);
	write_file(other, "precious");
	assert_int_equal(symlink(other, path), 0);
	assert_int_equal(output_open(&o, path, &little, &d), -ELOOP);
	assert_contains(d.text, path);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(link(other, path), 0);
	assert_int_equal(output_open(&o, path, &little, &d), -EINVAL);
	snprintf(path, sizeof(path), "%s", other);
	assert_int_equal(unlink(strcat(strcpy(other, workdir), "/x.jfr")), 0);
	assert_string_equal(content(), PRECIOUS);
}

CASE(what_is_no_regular_file_is_refused, setup, teardown)
{
	struct output *o;

	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(output_open(&o, path, &little, &d), -EINVAL);
	assert_int_equal(output_open(&o, workdir, &little, &d), -EISDIR);
	assert_int_equal(output_open(&o, "/nowhere/x.jfr", &little, &d), -ENOENT);
	assert_string_equal(d.text, "cannot create '/nowhere/x.jfr': No such file or directory");
	assert_int_equal(workdir_count(), 1);
}

CASE(chunks_stand_one_behind_the_other, setup, teardown)
{
	struct output *o = open_output(1000);

	assert_int_equal(append(o, 'a', 70), 0);
	assert_int_equal(append(o, 'b', 80), 0);
	assert_string_equal(content(), "a70 b80"); /* at once, not at the end */
	assert_int_equal(output_size(o), 150);
	assert_int_equal(output_dropped(o), 0);
	output_close(o);
	assert_string_equal(content(), "a70 b80");
}

CASE(file_without_a_chunk_is_removed, setup, teardown)
{
	output_close(open_output(1000));
	assert_int_equal(workdir_count(), 0);
	output_close(NULL);
}

CASE(oldest_chunks_go_whole, setup, teardown)
{
	struct output *o = open_output(1000);
	int reader;
	char old[1001];

	append_ten(o);
	assert_int_equal(output_size(o), 1000);
	assert_int_equal(output_dropped(o), 0);
	reader = open(path, O_RDONLY);
	assert_int_equal(append(o, 'k', 100), 0);
	assert_string_equal(content(), "e100 f100 g100 h100 i100 j100 k100"); /* three quarters of the limit at most */
	assert_int_equal(output_size(o), 700);
	assert_int_equal(output_dropped(o), 4);
	assert_int_equal(mode_of(path), 0600);
	assert_int_equal(workdir_count(), 1);
	assert_int_equal(read(reader, old, sizeof(old)), 1000); /* who reads the file has the one that was */
	close(reader);
	for (char c = 'l'; c <= 'z'; c++) {
		assert_int_equal(append(o, c, 130), 0);
		assert_true(output_size(o) <= 1000);
	}
	output_close(o);
	assert_string_equal(content(), "v130 w130 x130 y130 z130");
}

CASE(many_chunks_are_remembered, setup, teardown)
{
	struct output *o = open_output(100000);

	for (int i = 0; i < 1000; i++)
		assert_int_equal(append(o, 'a' + i % 26, 150), 0);
	assert_true(output_size(o) <= 100000);
	assert_int_equal(output_size(o) % 150, 0);
	assert_int_equal(output_size(o) / 150 + output_dropped(o), 1000);
	output_close(o);
}

CASE(disk_is_left_free_for_others, setup, teardown)
{
	static const struct {
		uint64_t size, free;
		int result;
	} rows[] = {
		{1000 * GB, GB + 100, 0},
		{1000 * GB, GB + 99, -ENOSPC},
		{10 * GB, GB / 2 + 100, 0},
		{10 * GB, GB / 2 + 99, -ENOSPC},
		{1000, 150, 0},
		{1000, 149, -ENOSPC},
	};
	struct output *o = open_output(100000);

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		uint64_t before = output_size(o);

		disk_size = rows[i].size;
		disk_free = rows[i].free;
		assert_int_equal(append(o, 'a', 100), rows[i].result);
		assert_int_equal(output_size(o), before + (rows[i].result ? 0 : 100));
	}
	assert_string_equal(content(), "a300");
	output_close(o);
	assert_string_equal(content(), "a300");
}

CASE(full_disk_is_refused_at_once, setup, teardown)
{
	struct output *o;

	disk_free = GB - 1;
	assert_int_equal(output_open(&o, path, &little, &d), -ENOSPC);
	assert_contains(d.text, "1023 MB are free");
	assert_int_equal(workdir_count(), 0);
}

CASE(chunk_that_fails_midway_leaves_the_file_as_it_was, setup, teardown)
{
	struct output *o = open_output(100000);
	int err;

	assert_int_equal(append(o, 'a', 1000), 0);
	limit_file_size(1500);
	err = append(o, 'b', 1000); /* 500 bytes of it can be written */
	limit_file_size(0);
	assert_int_equal(err, -EFBIG);
	assert_string_equal(content(), "a1000");
	assert_int_equal(append(o, 'c', 1000), 0);
	assert_string_equal(content(), "a1000 c1000");
	output_close(o);
}

CASE(old_file_stays_when_it_cannot_be_shortened, setup, teardown)
{
	struct output *o = open_output(1000);
	int err;

	append_ten(o);
	limit_file_size(100);
	err = append(o, 'k', 100);
	limit_file_size(0);
	assert_int_equal(err, -EFBIG);
	assert_string_equal(content(), "a100 b100 c100 d100 e100 f100 g100 h100 i100 j100");
	assert_int_equal(workdir_count(), 1);
	output_close(o);
}

CASE(failed_allocation_leaves_the_file_as_it_was, setup, teardown)
{
	static const char chunk[70] = "0123456789";

	fail_nth_or_skip();
	for (unsigned int n = 1;; n++) {
		struct output *o = NULL;
		uint64_t size = 0;
		bool happened;
		int err;

		fail_nth(n);
		err = output_open(&o, path, &(struct output_limits){.size = 100000}, &d);
		for (int i = 0; i < 70 && !err; i++, size += err ? 0 : sizeof(chunk)) /* the table of chunks grows */
			err = output_append(o, chunk, sizeof(chunk), &d);
		happened = fail_nth_end();
		if (!happened) {
			assert_int_equal(err, 0);
			output_close(o);
			return;
		}
		assert_int_equal(err, -ENOMEM);
		if (o) {
			struct stat st;

			assert_int_equal(stat(path, &st), size ? 0 : -1);
			assert_true(!size || (uint64_t)st.st_size == size);
			assert_int_equal(output_size(o), size);
			output_close(o);
		}
		unlink(path);
	}
}

CASE(oldest_chunks_go_by_age, setup, teardown)
{
	struct output *o = NULL;

	assert_int_equal(output_open(&o, path, &(struct output_limits){.size = 100000, .age_ns = 10000000}, &d), 0);
	assert_int_equal(append(o, 'a', 100), 0);
	assert_int_equal(append(o, 'b', 100), 0);
	usleep(20000);
	assert_int_equal(append(o, 'c', 100), 0); /* the youngest stays, whatever its age */
	assert_string_equal(content(), "b100 c100");
	usleep(20000);
	assert_int_equal(append(o, 'd', 100), 0);
	assert_string_equal(content(), "c100 d100");
	assert_int_equal(output_dropped(o), 2);
	output_close(o);
}

CASE(copy_has_what_is_finished, setup, teardown)
{
	struct output *o = open_output(100000);
	char copy[256];
	uint64_t size = 0;

	snprintf(copy, sizeof(copy), "%s.copy", path);
	assert_int_equal(output_save(o, copy, 0, &size, &d), -ENODATA);
	for (char c = 'a'; c < 'd'; c++)
		assert_int_equal(append(o, c, 100), 0);
	assert_int_equal(output_save(o, copy, 0, &size, &d), 0);
	assert_int_equal(size, 300);
	assert_int_equal(output_save(o, path, 0, &size, &d), -EINVAL);
	usleep(20000);
	assert_int_equal(append(o, 'd', 100), 0);
	assert_string_equal(content(), "a100 b100 c100 d100");
	output_close(o);
	snprintf(path, sizeof(path), "%s", copy);
	assert_string_equal(content(), "a100 b100 c100");
	assert_int_equal(mode_of(path), 0600);
}

/* What the copy was to replace stays when it fails. */
CASE(copy_that_fails_leaves_what_was_there, setup, teardown)
{
	struct output *o = open_output(100000);
	uint64_t size;
	char copy[256];
	int err;

	snprintf(copy, sizeof(copy), "%s.copy", path);
	write_file(copy, "precious");
	assert_int_equal(output_save(o, copy, 0, &size, &d), -ENODATA);
	assert_int_equal(append(o, 'a', 100), 0);
	disk_free = 0;
	assert_int_equal(output_save(o, copy, 0, &size, &d), -ENOSPC);
	disk_free = 500 * GB;
	limit_file_size(50);
	err = output_save(o, copy, 0, &size, &d);
	limit_file_size(0);
	assert_int_equal(err, -EFBIG);
	output_close(o);
	assert_int_equal(workdir_count(), 2);
	snprintf(path, sizeof(path), "%s", copy);
	assert_string_equal(content(), PRECIOUS);
}

/* A recorder that is killed while it appends. */
CASE(guard_cuts_what_was_not_finished, setup, teardown)
{
	struct stat st = {0};

	if (is_recorder()) {
		FILE *f;

		append(open_output(100000), 'a', 100);
		f = fopen(path, "ab");
		fputs("begun", f);
		fclose(f);
		kill(getpid(), SIGKILL);
	}
	for (int i = 0; i < 1000 && (stat(path, &st) || st.st_size != 100); i++)
		usleep(10000);
	assert_string_equal(content(), "a100");
}

/* Or when all is there, but the guard does not know yet: a reader may have seen it. */
CASE(guard_keeps_what_was_finished, setup, teardown)
{
	unsigned char chunk[90] = {0};
	struct jfr_header header = {.major = 2, .size = sizeof(chunk)};
	struct stat st = {0};

	jfr_header_write(chunk, &header);
	if (is_recorder()) {
		FILE *f;

		append(open_output(100000), 'a', 100);
		f = fopen(path, "ab");
		fwrite(chunk, sizeof(chunk), 1, f);
		chunk[64] = 0xff;
		fwrite(chunk, sizeof(chunk), 1, f);
		fclose(f);
		kill(getpid(), SIGKILL);
	}
	for (int i = 0; i < 500 && (stat(path, &st) || st.st_size == 280); i++)
		usleep(10000);
	assert_int_equal(st.st_size, 190);
}

CASE(guard_removes_a_file_without_a_chunk, setup, teardown)
{
	write_file(path, "precious");
	if (is_recorder()) {
		open_output(100000);
		if (workdir_count() == 2)
			kill(getpid(), SIGKILL);
		_exit(1);
	}
	for (int i = 0; i < 1000 && workdir_count() > 1; i++)
		usleep(10000);
	assert_int_equal(workdir_count(), 1);
	assert_string_equal(content(), PRECIOUS);
}

/* The tail that was on its way into the file's place. */
CASE(guard_removes_what_was_on_its_way, setup, teardown)
{
	char tail[sizeof(path) + 32];
	struct stat st;

	if (is_recorder()) {
		append(open_output(100000), 'a', 100);
		snprintf(tail, sizeof(tail), "%s.frtrace", path);
		write_file(tail, "half a recording");
		kill(getpid(), SIGKILL);
	}
	snprintf(tail, sizeof(tail), "%s.frtrace", path);
	for (int i = 0; i < 1000 && !stat(tail, &st); i++)
		usleep(10000);
	assert_int_equal(stat(tail, &st), -1);
	assert_string_equal(content(), "a100");
}

/* Another's file in its place is not touched. */
CASE(guard_cuts_no_other_file, setup, teardown)
{
	if (is_recorder()) {
		append(open_output(100000), 'a', 100);
		unlink(path);
		write_file(path, "precious");
		kill(getpid(), SIGKILL);
	}
	usleep(100000);
	assert_string_equal(content(), PRECIOUS);
}

CASE(file_belongs_to_the_user_behind_sudo, setup, teardown)
{
	struct output *o;
	struct stat st;

	if (geteuid()) {
		print_message("no test: only root can give files away\n");
		skip();
	}
	setenv("SUDO_UID", "1234", 1);
	setenv("SUDO_GID", "5678", 1);
	o = open_output(1000);
	append_ten(o);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_uid, 1234);
	assert_int_equal(st.st_gid, 5678);
	append(o, 'k', 100); /* another file takes its place */
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_uid, 1234);
	output_close(o);
	unlink(path);
	setenv("SUDO_UID", "12x", 1);
	output_close(o = open_output(1000));
	o = open_output(1000);
	append(o, 'a', 100);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_uid, 0);
	output_close(o);
	unsetenv("SUDO_UID");
	unsetenv("SUDO_GID");
}

int main(void)
{
	unsetenv("SUDO_UID");
	return test_main(NULL, NULL);
}
