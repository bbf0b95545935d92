// SPDX-License-Identifier: BSD-2-Clause
/* Mappings and descriptors in /proc, with this process itself as the target. */
#include "tests/lib/test.h"
#include "user/process/maps.h"

#include <linux/capability.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct target self(void)
{
	return (struct target){.pid = getpid(), .ns_pid = getpid(), .pidfd = -1, .uid = geteuid()};
}

CASE(executable_mapping_is_found_by_the_beginning_of_its_name)
{
	struct target t = self();
	struct mapping m;
	struct diag d;

	assert_int_equal(target_find_mapping(&t, "libcmocka.so", &m, &d), 1);
	assert_int_equal(m.permissions[2], 'x');
	assert_contains(m.path, "/libcmocka.so");
	assert_int_equal(access(m.path, R_OK), 0);
	assert_true((uintptr_t)_cmocka_run_group_tests >= m.start && (uintptr_t)_cmocka_run_group_tests < m.end);
}

CASE(missing_mapping_is_not_found)
{
	struct target t = self();
	struct mapping m;
	struct diag d;

	assert_int_equal(target_find_mapping(&t, "cmocka.so", &m, &d), 0);
	assert_int_equal(target_find_mapping(&t, "lib/libcmocka", &m, &d), 0);
	t.pid = 999999999;
	assert_true(target_find_mapping(&t, "libcmocka.so", &m, &d) < 0);
}

/* What a process without capabilities may open: map_files takes one. */
CASE(a_mapping_is_opened_by_its_name_without_rights)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct held[2] = {0};
	struct target t = self();
	struct mapping m, other;
	struct stat st, real;
	struct diag d;
	int fd, refused;

	assert_int_equal(target_find_mapping(&t, "libcmocka.so", &m, &d), 1);
	other = m;
	other.inode++; /* as if the file had been replaced since */
	assert_int_equal(syscall(SYS_capget, &header, held), 0);
	assert_int_equal(syscall(SYS_capset, &header,
				 (struct __user_cap_data_struct[]){{.permitted = held[0].permitted},
								   {.permitted = held[1].permitted}}),
			 0);
	fd = target_open_mapping(&t, &m, INT64_MAX, &d);
	refused = target_open_mapping(&t, &other, INT64_MAX, &d);
	assert_int_equal(syscall(SYS_capset, &header, held), 0);
	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &st) | stat(m.path, &real), 0);
	assert_true(st.st_ino == real.st_ino && st.st_dev == real.st_dev);
	assert_int_equal(close(fd), 0);
	assert_int_equal(refused, -ESTALE);
	assert_contains(d.text, "there is another file now");
	assert_int_equal(target_open_mapping(&t, &m, 10, &d), -EFBIG);
}

CASE(a_deleted_file_is_opened_by_its_descriptor)
{
	char path[] = "/tmp/frtrace-test-XXXXXX";
	int own = mkstemp(path), fd;
	struct target t = self();
	struct stat a, b;
	struct diag d;

	assert_true(own >= 0);
	for (int deleted = 0; deleted < 2; deleted++) {
		fd = target_open_descriptor(&t, path + strlen("/tmp/"), &d);
		assert_true(fd >= 0);
		assert_int_equal(fstat(own, &a) | fstat(fd, &b), 0);
		assert_true(a.st_ino == b.st_ino && a.st_dev == b.st_dev);
		assert_int_equal(close(fd), 0);
		unlink(path);
	}
	assert_int_equal(target_open_descriptor(&t, "frtrace-test-", &d), -ENOENT); /* no beginnings */
	close(own);
	assert_int_equal(target_open_descriptor(&t, path + strlen("/tmp/"), &d), -ENOENT);
	assert_contains(d.text, "has no descriptor of 'frtrace-test-");
}

CASE(memfd_is_found_and_opened)
{
	int own = memfd_create("frtrace-test-1234", MFD_CLOEXEC), fd;
	struct target t = self();
	struct stat a, b;
	struct diag d;

	assert_int_equal(ftruncate(own, 4096), 0);
	fd = target_open_memfd(&t, "frtrace-test-", &d);
	assert_true(fd >= 0);
	assert_int_equal(fstat(own, &a) | fstat(fd, &b), 0);
	assert_true(a.st_ino == b.st_ino && a.st_dev == b.st_dev);
	assert_int_equal(write(fd, "x", 1), 1);
	close(fd);
	close(own);
}

CASE(a_file_that_only_looks_like_a_memfd_is_not_one)
{
	struct target t = self();
	struct diag d;
	int fd = memfd_create("other-frtrace-test-", 0);

	assert_int_equal(target_open_memfd(&t, "frtrace-test-", &d), -ENOENT);
	assert_contains(d.text, "'frtrace-test-'");
	close(fd);
	t.pid = 999999999;
	assert_int_equal(target_open_memfd(&t, "frtrace-test-", &d), -ENOENT);
}
