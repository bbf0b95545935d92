// SPDX-License-Identifier: BSD-2-Clause
/* Mappings and descriptors in /proc, with this process itself as the target. */
#include "user/process/maps.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static struct target self(void)
{
	return (struct target){.pid = getpid(), .ns_pid = getpid(), .pidfd = -1, .uid = geteuid()};
}

static void executable_mapping_is_found_by_the_beginning_of_its_name(void **state)
{
	struct target t = self();
	struct mapping m;
	struct diag d;
	char open_path[64];

	assert_int_equal(target_find_mapping(&t, "libcmocka.so", &m, &d), 1);
	assert_int_equal(m.permissions[2], 'x');
	assert_non_null(strstr(m.path, "/libcmocka.so"));
	assert_int_equal(access(m.path, R_OK), 0);
	snprintf(open_path, sizeof(open_path), "/proc/%d/map_files/%lx-%lx", t.pid, (unsigned long)m.start,
		 (unsigned long)m.end);
	assert_string_equal(m.open_path, open_path);
	assert_true((uintptr_t)_cmocka_run_group_tests >= m.start && (uintptr_t)_cmocka_run_group_tests < m.end);
}

static void missing_mapping_is_not_found(void **state)
{
	struct target t = self();
	struct mapping m;
	struct diag d;

	assert_int_equal(target_find_mapping(&t, "cmocka.so", &m, &d), 0);
	assert_int_equal(target_find_mapping(&t, "lib/libcmocka", &m, &d), 0);
	t.pid = 999999999;
	assert_true(target_find_mapping(&t, "libcmocka.so", &m, &d) < 0);
}

static void memfd_is_found_opened_and_named(void **state)
{
	int own = memfd_create("frtrace-test-1234", MFD_CLOEXEC), fd;
	struct target t = self();
	struct stat a, b;
	char name[64];
	struct diag d;

	assert_int_equal(ftruncate(own, 4096), 0);
	fd = target_open_memfd(&t, "frtrace-test-", name, sizeof(name), &d);
	assert_true(fd >= 0);
	assert_string_equal(name, "frtrace-test-1234");
	assert_int_equal(fstat(own, &a) | fstat(fd, &b), 0);
	assert_true(a.st_ino == b.st_ino && a.st_dev == b.st_dev);
	assert_int_equal(write(fd, "x", 1), 1);
	close(fd);
	fd = target_open_memfd(&t, "frtrace-test-", NULL, 0, &d);
	assert_true(fd >= 0);
	close(fd);
	close(own);
}

static void a_file_that_only_looks_like_a_memfd_is_not_one(void **state)
{
	struct target t = self();
	char name[64];
	struct diag d;
	int fd = memfd_create("other-frtrace-test-", 0);

	assert_int_equal(target_open_memfd(&t, "frtrace-test-", name, sizeof(name), &d), -ENOENT);
	assert_non_null(strstr(d.text, "'frtrace-test-'"));
	close(fd);
	t.pid = 999999999;
	assert_int_equal(target_open_memfd(&t, "frtrace-test-", name, sizeof(name), &d), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(executable_mapping_is_found_by_the_beginning_of_its_name),
		cmocka_unit_test(missing_mapping_is_not_found),
		cmocka_unit_test(memfd_is_found_opened_and_named),
		cmocka_unit_test(a_file_that_only_looks_like_a_memfd_is_not_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
