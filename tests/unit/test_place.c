// SPDX-License-Identifier: BSD-2-Clause
/* Paths of the target, in a made-up root. */
#include "user/target/place.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

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
	int fd = place_open_at(root_fd, path, O_RDONLY);

	assert_true(fd >= 0);
	assert_true(read(fd, text, sizeof(text) - 1) > 0);
	assert_string_equal(text, expected);
	close(fd);
}

static void links_are_those_of_the_targets_root(void **state)
{
	check_content("/a/b/file", "in\n");
	check_content("a/b/file", "in\n");
	check_content("/link", "in\n");
	check_content("/dir/b/file", "in\n");
	check_content("/up", "inner\n");
	check_content("/../../etc/passwd", "inner\n");
}

static void what_is_missing_or_of_another_kind_is_an_error(void **state)
{
	assert_int_equal(place_open_at(root_fd, "/none", O_RDONLY), -ENOENT);
	assert_int_equal(place_open_at(root_fd, "/a/b/file/x", O_RDONLY), -ENOTDIR);
	assert_int_equal(place_open_at(root_fd, "/link", O_RDONLY | O_NOFOLLOW), -ELOOP);
}

static void prefix_of_a_chroot_is_taken_off_whole_names_only(void **state)
{
	char path[64] = "/srv/jail/usr/lib/libjvm.so", other[64] = "/srv/jailer/x", plain[64] = "/usr/x";

	place_strip_root("/srv/jail", path);
	assert_string_equal(path, "/usr/lib/libjvm.so");
	place_strip_root("/srv/jail", other);
	assert_string_equal(other, "/srv/jailer/x");
	place_strip_root("", plain);
	assert_string_equal(plain, "/usr/x");
}

static void directory_is_named_as_the_target_names_it(void **state)
{
	char name[64];
	int fd = place_open_at(root_fd, "/dir/b", O_PATH | O_DIRECTORY);

	assert_true(place_name(root, fd, name, sizeof(name)));
	assert_string_equal(name, "/a/b");
	assert_false(place_name(root, fd, name, 4));
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(links_are_those_of_the_targets_root, open_root, remove_root),
		cmocka_unit_test_setup_teardown(what_is_missing_or_of_another_kind_is_an_error, open_root, remove_root),
		cmocka_unit_test(prefix_of_a_chroot_is_taken_off_whole_names_only),
		cmocka_unit_test_setup_teardown(directory_is_named_as_the_target_names_it, open_root, remove_root),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
