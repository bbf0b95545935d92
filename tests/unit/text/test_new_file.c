// SPDX-License-Identifier: BSD-2-Clause
/* Files that appear whole or not at all, also in directories and beside files of other users. Some need root. */
#include "user/text/new_file.h"
#include "user/text/safe_directory.h"
#include "tests/lib/workdir.h"
#include "tests/lib/test.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#define STRANGER 1234

static char path[128];
static struct diag d;

static int setup(void **state)
{
	d.text[0] = 0;
	if (workdir_make(state))
		return -1;
	strcpy(path, workdir_path("x.jfr"));
	return 0;
}

static int teardown(void **state)
{
	unsetenv("SUDO_UID");
	unsetenv("SUDO_GID");
	return workdir_remove(state);
}

static void write_text(const char *name, const char *text)
{
	FILE *f = fopen(name, "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static const char *text_of(const char *name)
{
	static char text[64];
	FILE *f = fopen(name, "r");

	if (!f)
		return NULL;
	text[fread(text, 1, sizeof(text) - 1, f)] = 0;
	fclose(f);
	return text;
}

CASE(file_appears_when_it_is_committed, setup, teardown)
{
	struct new_file f;

	assert_int_equal(new_file_open(&f, path, NEW_FILE_IS_NEW, &d), 0);
	assert_int_equal(write(f.fd, "new", 3), 3);
	assert_null(text_of(path));
	assert_int_equal(new_file_commit(&f, &d), 0);
	assert_true(new_file_is_there(&f));
	new_file_close(&f);
	assert_string_equal(text_of(path), "new");
	assert_int_equal(new_file_open(&f, path, NEW_FILE_IS_NEW, &d), -EEXIST);
	assert_contains(d.text, "is there already");
	assert_string_equal(text_of(path), "new");
	new_file_close(&f);
	assert_int_equal(workdir_count(), 1);
}

CASE(file_that_is_not_committed_leaves_nothing, setup, teardown)
{
	struct new_file f;

	write_text(path, "old");
	assert_int_equal(new_file_open(&f, path, NEW_FILE_REPLACES, &d), 0);
	assert_int_equal(write(f.fd, "new", 3), 3);
	new_file_close(&f);
	assert_string_equal(text_of(path), "old");
	assert_int_equal(workdir_count(), 1);
}

CASE(new_file_does_not_replace_one_that_came_meanwhile, setup, teardown)
{
	struct new_file f;

	assert_int_equal(new_file_open(&f, path, NEW_FILE_IS_NEW, &d), 0);
	write_text(path, "precious");
	assert_int_equal(new_file_commit(&f, &d), -EBUSY);
	new_file_close(&f);
	assert_string_equal(text_of(path), "precious");
}

CASE(scratch_file_of_one_that_was_killed_is_replaced, setup, teardown)
{
	struct new_file f;

	write_text(workdir_path("x.jfr" SCRATCH_END), "half");
	assert_int_equal(new_file_open(&f, path, NEW_FILE_REPLACES, &d), 0);
	assert_int_equal(new_file_finish(&f, &d), 0);
	new_file_close(&f);
	assert_string_equal(text_of(path), "");
	assert_int_equal(workdir_count(), 1);
}

CASE(what_is_in_the_way_stays, setup, teardown)
{
	struct new_file f;

	write_text(workdir_path("precious"), "precious");
	assert_int_equal(symlink(workdir_path("precious"), workdir_path("x.jfr" SCRATCH_END)), 0);
	assert_int_equal(new_file_open(&f, path, NEW_FILE_REPLACES, &d), -ELOOP);
	assert_contains(d.text, "x.jfr" SCRATCH_END "' is in the way");
	assert_string_equal(text_of(workdir_path("precious")), "precious");
	assert_int_equal(workdir_count(), 2);
}

/* Many at once: each either writes a file of its own or hears who does. */
CASE(of_many_writers_one_gets_the_name, setup, teardown)
{
	enum { WRITERS = 8, ROUNDS = 30 };
	int status, wins = 0, ends[2];

	for (int i = 0; i < ROUNDS; i++) {
		assert_int_equal(pipe(ends), 0);
		for (int n = 0; n < WRITERS; n++) {
			struct new_file f;
			char byte;

			if (fork())
				continue;
			close(ends[1]);
			if (new_file_open(&f, path, NEW_FILE_REPLACES, &d))
				_exit(strstr(d.text, "is writing it") ? 0 : 2);
			if (i % 2 && new_file_commit(&f, &d))
				_exit(3);
			(void)!read(ends[0], &byte, 1); /* until all have tried */
			_exit(1);
		}
		close(ends[0]);
		for (int n = 0; n < WRITERS; n++) {
			if (n == WRITERS - 1)
				close(ends[1]);
			assert_true(wait(&status) > 0);
			assert_true(WIFEXITED(status));
			assert_true(WEXITSTATUS(status) < 2);
			wins += WEXITSTATUS(status);
		}
		assert_int_equal(wins, i + 1);
	}
}

static bool need_root(void)
{
	if (!geteuid())
		return true;
	print_message("no test: only root can give files away\n");
	return false;
}

CASE(file_of_another_user_is_not_replaced, setup, teardown)
{
	struct new_file f;

	if (!need_root())
		skip();
	write_text(path, "bait");
	assert_int_equal(chown(path, STRANGER, STRANGER), 0);
	assert_int_equal(new_file_open(&f, path, NEW_FILE_REPLACES, &d), -EPERM);
	assert_contains(d.text, "belongs to user 1234");
	assert_string_equal(text_of(path), "bait");
	setenv("SUDO_UID", "1234", 1);
	setenv("SUDO_GID", "1234", 1);
	assert_int_equal(new_file_open(&f, path, NEW_FILE_REPLACES, &d), 0);
	new_file_close(&f);
	unsetenv("SUDO_UID");
	assert_int_equal(unlink(path), 0);
	write_text(workdir_path("x.jfr" SCRATCH_END), "bait");
	assert_int_equal(chown(workdir_path("x.jfr" SCRATCH_END), STRANGER, STRANGER), 0);
	assert_int_equal(new_file_open(&f, path, NEW_FILE_REPLACES, &d), -EPERM);
	assert_int_equal(workdir_count(), 1);
}

/* "links" and "links/to" lead to "real"; whose they are, and may others write there? */
static int open_through_link(uid_t directory_owner, mode_t mode, uid_t link_owner)
{
	int fd;

	assert_int_equal(mkdir(workdir_path("real"), 0755), 0);
	assert_int_equal(mkdir(workdir_path("links"), 0755), 0);
	assert_int_equal(symlink("../real", workdir_path("links/to")), 0);
	assert_int_equal(lchown(workdir_path("links/to"), link_owner, link_owner), 0);
	assert_int_equal(chown(workdir_path("links"), directory_owner, directory_owner), 0);
	assert_int_equal(chmod(workdir_path("links"), mode), 0);
	fd = safe_directory_open(workdir_path("links/to/../real/."), "FILE", &d);
	if (fd >= 0) {
		struct stat a, b;

		assert_int_equal(fstat(fd, &a), 0);
		assert_int_equal(stat(workdir_path("real"), &b), 0);
		assert_int_equal(a.st_ino, b.st_ino);
		close(fd);
	}
	assert_int_equal(unlink(workdir_path("links/to")), 0);
	assert_int_equal(rmdir(workdir_path("links")), 0);
	assert_int_equal(rmdir(workdir_path("real")), 0);
	return fd < 0 ? fd : 0;
}

CASE(link_on_the_way_is_followed_if_nobody_else_can_change_it, setup, teardown)
{
	if (!need_root())
		skip();
	assert_int_equal(open_through_link(0, 0755, 0), 0);
	assert_int_equal(open_through_link(0, 01777, 0), 0);
	assert_int_equal(open_through_link(0, 0777, 0), -ELOOP);
	assert_int_equal(open_through_link(0, 0775, 0), -ELOOP);
	assert_int_equal(open_through_link(0, 01777, STRANGER), -ELOOP);
	assert_int_equal(open_through_link(STRANGER, 0755, 0), -ELOOP);
	assert_int_equal(open_through_link(STRANGER, 0755, STRANGER), -ELOOP);
	assert_string_equal(d.text,
			    "refuse to write to 'FILE': the link 'to' on the way is one that another user can change");
	setenv("SUDO_UID", "1234", 1);
	setenv("SUDO_GID", "1234", 1);
	assert_int_equal(open_through_link(STRANGER, 0755, STRANGER), 0);
}

CASE(path_to_nowhere_is_reported, setup, teardown)
{
	char deep[5000];

	assert_int_equal(symlink("loop", workdir_path("loop")), 0);
	write_text(path, "file");
	assert_int_equal(safe_directory_open(workdir_path("loop"), "FILE", &d), -ELOOP);
	assert_int_equal(safe_directory_open(workdir_path("none/x"), "FILE", &d), -ENOENT);
	assert_string_equal(d.text, "cannot create 'FILE': No such file or directory");
	assert_int_equal(safe_directory_open(path, "FILE", &d), -ENOTDIR);
	memset(deep, 'x', sizeof(deep) - 1);
	deep[sizeof(deep) - 1] = 0;
	assert_int_equal(safe_directory_open(deep, "FILE", &d), -ENAMETOOLONG);
	deep[4000] = 0;
	assert_int_equal(safe_directory_open(deep, "FILE", &d), -ENAMETOOLONG);
}

CASE(directory_is_found_from_the_current_one, setup, teardown)
{
	static const char *const ways[] = {"", ".", "./", "..", "sub/..//"};
	char here[4096];
	struct stat a, b;

	assert_non_null(getcwd(here, sizeof(here)));
	assert_int_equal(chdir(workdir), 0);
	assert_int_equal(mkdir("sub", 0700), 0);
	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		int fd = safe_directory_open(ways[i], "FILE", &d);

		assert_true(fd >= 0);
		assert_int_equal(fstat(fd, &a), 0);
		assert_int_equal(stat(ways[i][0] ? ways[i] : ".", &b), 0);
		assert_int_equal(a.st_ino, b.st_ino);
		close(fd);
	}
	assert_int_equal(chdir(here), 0);
}
