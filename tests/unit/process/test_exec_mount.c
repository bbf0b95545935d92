// SPDX-License-Identifier: BSD-2-Clause
/* A noexec directory of a process in another mount namespace, which is to allow programs for a while. Needs root. */
#include "tests/lib/test.h"
#include "user/process/exec_mount.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

static struct target target;
static int ready[2];

/*
 * In a namespace of its own, /tmp is noexec, and has a private directory and one that everybody may enter. Its /proc is empty:
 * nothing may be read there.
 */
static void namespaced_process(unsigned long propagation)
{
	char byte = 0;
	bool good = !unshare(CLONE_NEWNS) && !mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) &&
		    !mount("tmpfs", "/tmp", "tmpfs", MS_NOEXEC | MS_NOSUID, NULL) &&
		    !mount(NULL, "/tmp", NULL, propagation, NULL) && !mkdir("/tmp/private", 0700) &&
		    !mkdir("/tmp/open", 0755) && !mount("tmpfs", "/proc", "tmpfs", 0, NULL);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (!good || write(ready[1], &byte, 1) != 1)
		_exit(1);
	for (;;)
		pause();
}

static void target_begin(unsigned long propagation)
{
	char byte;
	pid_t pid;

	if (geteuid() != 0)
		skip();
	assert_int_equal(pipe2(ready, O_CLOEXEC), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid)
		namespaced_process(propagation);
	close(ready[1]);
	if (read(ready[0], &byte, 1) != 1) { /* root of a container without the right to mount */
		close(ready[0]);
		waitpid(pid, NULL, 0);
		skip();
	}
	close(ready[0]);
	assert_int_equal(target_read(pid, &target), 0);
}

static void target_end(void)
{
	kill(target.pid, SIGKILL);
	waitpid(target.pid, NULL, 0);
}

static int directory_open(const char *name)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/root/tmp/%s", target.pid, name);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_true(fd >= 0);
	return fd;
}

static unsigned long directory_flags(const char *name)
{
	struct statvfs fs;
	int fd = directory_open(name);

	assert_int_equal(fstatvfs(fd, &fs), 0);
	close(fd);
	return fs.f_flag;
}

static bool becomes_noexec(void)
{
	for (int i = 0; i < 1000 && !(directory_flags("private") & ST_NOEXEC); i++)
		usleep(10000);
	return directory_flags("private") & ST_NOEXEC;
}

static int put(struct exec_mount *m, const char *name)
{
	int fd = directory_open(name), err = exec_mount_put(m->socket, fd);

	close(fd);
	return err;
}

CASE(directory_allows_programs_until_it_is_removed)
{
	struct exec_mount m;
	struct diag d;

	target_begin(MS_PRIVATE);
	assert_int_equal(exec_mount_start(&m, &target, &d), 0);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(put(&m, "private"), 0);
		assert_int_equal(directory_flags("private") & (ST_NOEXEC | ST_NOSUID), ST_NOSUID);
		assert_true(directory_flags("") & ST_NOEXEC);
		assert_int_equal(put(&m, "private"), -EBUSY);
		exec_mount_remove(m.socket);
		assert_true(directory_flags("private") & ST_NOEXEC);
	}
	exec_mount_end(&m);
	target_end();
}

CASE(mount_goes_with_the_socket)
{
	struct exec_mount m;
	struct diag d;

	target_begin(MS_PRIVATE);
	assert_int_equal(exec_mount_start(&m, &target, &d), 0);
	assert_int_equal(put(&m, "private"), 0);
	exec_mount_end(&m);
	assert_true(directory_flags("private") & ST_NOEXEC);
	target_end();
}

CASE(child_that_does_not_end_is_killed)
{
	struct exec_mount m;
	struct diag d;
	pid_t pid;

	target_begin(MS_PRIVATE);
	assert_int_equal(exec_mount_start(&m, &target, &d), 0);
	pid = m.pid;
	assert_int_equal(kill(pid, SIGSTOP), 0);
	exec_mount_end(&m);
	assert_int_equal(kill(pid, 0), -1);
	assert_int_equal(errno, ESRCH);
	target_end();
}

CASE(mount_goes_when_its_owner_is_killed)
{
	struct exec_mount m;
	struct diag d;
	int status;
	pid_t pid;

	target_begin(MS_PRIVATE);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		if (!exec_mount_start(&m, &target, &d) && !put(&m, "private") &&
		    !(directory_flags("private") & ST_NOEXEC))
			kill(getpid(), SIGKILL);
		_exit(1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	assert_true(becomes_noexec());
	target_end();
}

CASE(mount_that_others_would_see_is_refused)
{
	struct exec_mount m;
	struct diag d;

	target_begin(MS_SHARED);
	assert_int_equal(exec_mount_start(&m, &target, &d), 0);
	assert_int_equal(put(&m, "private"), -EXDEV);
	assert_true(directory_flags("private") & ST_NOEXEC);
	exec_mount_end(&m);
	target_end();
}

CASE(directory_of_others_or_open_to_them_is_refused)
{
	struct exec_mount m;
	struct diag d;

	target_begin(MS_PRIVATE);
	assert_int_equal(exec_mount_start(&m, &target, &d), 0);
	assert_int_equal(put(&m, "open"), -EPERM);
	assert_true(directory_flags("open") & ST_NOEXEC);
	exec_mount_end(&m);
	target.uid++;
	assert_int_equal(exec_mount_start(&m, &target, &d), 0);
	assert_int_equal(put(&m, "private"), -EPERM);
	exec_mount_end(&m);
	target_end();
}
