// SPDX-License-Identifier: BSD-2-Clause
/* Paths of the target, in a fake root. */
#include "tests/lib/test.h"
#include "user/process/root_path.h"

#include <sys/inotify.h>

static char root[64], command[256];
static int root_fd;

static int open_root(void **state)
{
	strcpy(root, "/tmp/test_place.XXXXXX");
	if (!mkdtemp(root))
		return -1;
	snprintf(command, sizeof(command),
		 "cd %s && mkdir -p a/b && echo in >a/b/file && ln -s /a/b/file link && ln -s ../../../../etc/passwd "
		 "up && "
		 "ln -s /a dir && echo passwd >passwd && mkdir etc && echo inner >etc/passwd",
		 root);
	if (system(command))
		return -1;
	root_fd = open(root, O_PATH | O_DIRECTORY);
	return root_fd < 0;
}

static int remove_root(void **state)
{
	close(root_fd);
	snprintf(command, sizeof(command), "rm -rf %s", root);
	return system(command);
}

static void check_content(const char *path, const char *expected)
{
	char text[64] = "";
	const struct target t = {.uid = geteuid()};
	int fd = root_path_open_file(&t, root_fd, path, 100);

	assert_true(fd >= 0);
	assert_true(read(fd, text, sizeof(text) - 1) > 0);
	assert_string_equal(text, expected);
	close(fd);
}

CASE(links_are_resolved_in_the_targets_root, open_root, remove_root)
{
	check_content("/a/b/file", "in\n");
	check_content("a/b/file", "in\n");
	check_content("/link", "in\n");
	check_content("/dir/b/file", "in\n");
	check_content("/up", "inner\n");
	check_content("/../../etc/passwd", "inner\n");
}

CASE(missing_file_or_other_kind_is_an_error, open_root, remove_root)
{
	const struct target t = {.uid = geteuid()};

	assert_int_equal(root_path_open_file(&t, root_fd, "/none", 100), -ENOENT);
	assert_int_equal(root_path_open_file(&t, root_fd, "/a/b/file/x", 100), -ENOTDIR);
	assert_int_equal(root_path_open_file(&t, root_fd, "/a", 100), -EACCES);
	assert_int_equal(root_path_open_at(root_fd, "/a/b/file", O_RDONLY), -EINVAL);
}

/* Watch for opens in the root; O_PATH does not count as one. */
static int watch_root(void)
{
	int watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);

	assert_true(inotify_add_watch(watch, root, IN_OPEN) >= 0);
	return watch;
}

static bool was_opened(int watch)
{
	char events[4096];

	return read(watch, events, sizeof(events)) > 0;
}

CASE(devices_and_fifos_are_not_opened, open_root, remove_root)
{
	const struct target t = {.uid = geteuid()};
	char path[128];
	int watch, fd;

	snprintf(command, sizeof(command), "cd %s && mkfifo fifo && ln -s fifo to_fifo && ln -s evil to_evil && %s",
		 root, geteuid() ? "mkfifo evil" : "mknod evil c 1 11 && chmod 666 evil");
	assert_int_equal(system(command), 0);
	watch = watch_root();
	assert_int_equal(root_path_open_file(&t, root_fd, "/fifo", 100), -EACCES);
	assert_int_equal(root_path_open_file(&t, root_fd, "/to_fifo", 100), -EACCES);
	assert_int_equal(root_path_open_file(&t, root_fd, "/evil", 100), -EACCES);
	assert_int_equal(root_path_open_file(&t, root_fd, "/to_evil", 100), -EACCES);
	assert_int_equal(root_path_open_again(&t, openat(root_fd, "evil", O_PATH), O_RDWR, 100), -EACCES);
	assert_false(was_opened(watch));
	snprintf(path, sizeof(path), "%s/passwd", root);
	fd = open(path, O_RDONLY);
	assert_true(was_opened(watch)); /* the watch works */
	close(fd);
	close(watch);
}

CASE(files_of_strangers_and_large_ones_are_not_opened, open_root, remove_root)
{
	const struct target t = {.uid = geteuid()}, other = {.uid = geteuid() + 1};
	int fd;

	snprintf(command, sizeof(command), "cd %s && truncate -s 101 large && chmod 600 large passwd", root);
	assert_int_equal(system(command), 0);
	assert_int_equal(root_path_open_file(&t, root_fd, "/large", 100), -EFBIG);
	fd = root_path_open_file(&t, root_fd, "/large", 101);
	assert_true(fd >= 0);
	close(fd);
	if (geteuid()) { /* root may open everything */
		assert_int_equal(root_path_open_file(&other, root_fd, "/passwd", 100), -EACCES);
	} else {
		snprintf(command, sizeof(command), "chown 65534 %s/passwd", root);
		assert_int_equal(system(command), 0);
		assert_int_equal(root_path_open_file(&t, root_fd, "/passwd", 100), -EACCES);
		snprintf(command, sizeof(command), "chmod 644 %s/passwd", root);
		assert_int_equal(system(command), 0);
		fd = root_path_open_file(&t, root_fd, "/passwd", 100);
		assert_true(fd >= 0);
		close(fd);
	}
}

CASE(counters_are_not_opened_if_they_are_a_fifo_or_a_link, open_root, remove_root)
{
	struct target t = {.pid = getpid(), .ns_pid = 77, .uid = geteuid()};
	int watch;

	snprintf(command, sizeof(command), "mkfifo %s/fifo", root);
	assert_int_equal(system(command), 0);
	watch = watch_root();
	snprintf(t.perf_data, sizeof(t.perf_data), "%s/fifo", root);
	assert_int_equal(root_path_open_perf_data(&t), -ENOENT);
	snprintf(t.perf_data, sizeof(t.perf_data), "%s/link", root);
	assert_int_equal(root_path_open_perf_data(&t), -ENOENT);
	assert_false(was_opened(watch));
	close(watch);
}

CASE(prefix_of_a_chroot_is_removed_only_from_whole_names)
{
	char path[64] = "/srv/jail/usr/lib/libjvm.so", other[64] = "/srv/jailer/x", plain[64] = "/usr/x";

	root_path_strip_root("/srv/jail", path);
	assert_string_equal(path, "/usr/lib/libjvm.so");
	root_path_strip_root("/srv/jail", other);
	assert_string_equal(other, "/srv/jailer/x");
	root_path_strip_root("", plain);
	assert_string_equal(plain, "/usr/x");
}

CASE(directory_has_the_targets_path, open_root, remove_root)
{
	char name[64];
	int fd = root_path_open_at(root_fd, "/dir/b", O_PATH | O_DIRECTORY);

	assert_true(root_path_name(root, fd, name, sizeof(name)));
	assert_string_equal(name, "/a/b");
	assert_false(root_path_name(root, fd, name, 4));
	close(fd);
}
