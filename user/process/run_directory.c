// SPDX-License-Identifier: BSD-2-Clause
#include "user/process/run_directory.h"
#include "user/process/interrupt.h"
#include "user/text/monotonic.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

void run_directory_name(char out[RUN_DIRECTORY])
{
	if (geteuid())
		snprintf(out, RUN_DIRECTORY, "/tmp/frtrace-%u", (unsigned int)geteuid());
	else
		snprintf(out, RUN_DIRECTORY, "/run/frtrace");
}

bool run_directory_is_own(void)
{
	char name[RUN_DIRECTORY];
	struct stat st;

	run_directory_name(name);
	return !lstat(name, &st) && S_ISDIR(st.st_mode) && st.st_uid == geteuid() && !(st.st_mode & 022);
}

int run_directory_make(void)
{
	char name[RUN_DIRECTORY];

	run_directory_name(name);
	return (mkdir(name, 0700) && errno != EEXIST) || !run_directory_is_own() ? -EACCES : 0;
}

/* ---- the lock of an attach */

#define PATIENCE_MS 20000
#define LOCK_PATH   (RUN_DIRECTORY + 32)

static void lock_path(pid_t pid, char out[LOCK_PATH])
{
	char directory[RUN_DIRECTORY];

	run_directory_name(directory);
	snprintf(out, LOCK_PATH, "%s/%d.attach", directory, (int)pid);
}

static int attach_lock_report_holder(pid_t pid, int fd, struct diag *d)
{
	char text[16] = "";
	ssize_t n = pread(fd, text, sizeof(text) - 1, 0);

	return diag_set(d, EBUSY, "cannot trace: frtrace%s%s is attaching to process %d at this moment",
			n > 0 ? " pid " : "", text, (int)pid);
}

/* The last holder may have removed the file between our open() and flock(). */
static bool is_still_there(const char *path, int fd)
{
	struct stat opened, named;

	return !fstat(fd, &opened) && !lstat(path, &named) && opened.st_ino == named.st_ino &&
	       opened.st_dev == named.st_dev;
}

int attach_lock(pid_t pid, int *lock, struct diag *d)
{
	char path[LOCK_PATH];
	int64_t until = monotonic_ms() + PATIENCE_MS;
	int fd, err;

	*lock = -1;
	if (run_directory_make())
		return 0;
	lock_path(pid, path);
	for (;;) {
		fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
		if (fd < 0)
			return 0;
		if (flock(fd, LOCK_EX | LOCK_NB) && monotonic_ms() < until && !interrupted()) {
			close(fd);
			usleep(INTERRUPT_POLL_MS * 1000);
			continue;
		}
		if (flock(fd, LOCK_EX | LOCK_NB)) {
			err = attach_lock_report_holder(pid, fd, d);
			close(fd);
			return err;
		}
		if (is_still_there(path, fd))
			break;
		close(fd);
	}
	if (!ftruncate(fd, 0))
		dprintf(fd, "%d", (int)getpid());
	*lock = fd;
	return 0;
}

void attach_unlock(pid_t pid, int lock)
{
	char path[LOCK_PATH];

	if (lock < 0)
		return;
	lock_path(pid, path);
	unlink(path);
	close(lock);
}
