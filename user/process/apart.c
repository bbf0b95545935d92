// SPDX-License-Identifier: BSD-2-Clause
#include "user/process/apart.h"
#include "user/process/interrupt.h"
#include "user/text/monotonic.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define POLL_US	     200
#define POLL_MOST_US 5000
#define REAP_MS	     100 /* time for a killed child to end */
#define LEAST_MS     20	 /* of a shared time, without which nothing is begun */

static pid_t left_behind[APART_MOST]; /* 0: free */

/* A place for another child that may be left behind. NULL: too many hang. */
static pid_t *place_find(void)
{
	for (int i = 0; i < APART_MOST; i++) {
		if (left_behind[i] && waitpid(left_behind[i], NULL, WNOHANG))
			left_behind[i] = 0;
		if (!left_behind[i])
			return &left_behind[i];
	}
	return NULL;
}

/* One that hangs must not hold a pipe or a link of the parent. */
static void close_all(void)
{
	syscall(SYS_close_range, 0, ~0u, 0);
	for (int fd = 0; fd < 3; fd++)
		if (open("/dev/null", O_RDWR) != fd)
			_exit(1);
}

static bool has_ended(pid_t child, int *status, int64_t until)
{
	useconds_t pause = POLL_US;
	pid_t ended;

	while (!(ended = waitpid(child, status, WNOHANG)) && monotonic_ms() < until && !interrupted()) {
		usleep(pause);
		pause = 2 * pause < POLL_MOST_US ? 2 * pause : POLL_MOST_US;
	}
	return ended == child;
}

static int wait_for(pid_t child, int timeout_ms, pid_t *place)
{
	int status;

	if (has_ended(child, &status, monotonic_ms() + timeout_ms))
		return WIFEXITED(status) && !WEXITSTATUS(status) ? 0 : -EIO;
	kill(child, SIGKILL);
	if (!has_ended(child, &status, monotonic_ms() + REAP_MS))
		*place = child;
	return interrupted() ? -EINTR : -ETIMEDOUT;
}

int apart_run(void (*work)(void *result, const void *context), const void *context, void *result, size_t size,
	      int timeout_ms)
{
	pid_t parent = getpid(), child, *place = place_find();
	void *shared;
	int err;

	if (!place)
		return -EBUSY;
	shared = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		return -errno;
	child = fork();
	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent)
			_exit(1);
		close_all();
		work(shared, context);
		_exit(0);
	}
	err = child < 0 ? -errno : wait_for(child, timeout_ms, place);
	if (!err)
		memcpy(result, shared, size);
	munmap(shared, size);
	return err;
}

int apart_run_sharing(void (*work)(void *result, const void *context), const void *context, void *result, size_t size,
		      struct apart_time *time)
{
	int64_t began = monotonic_ms(), took;
	int err;

	if (time->left_ms < 2 * LEAST_MS)
		return -EBUSY;
	err = apart_run(work, context, result, size, time->left_ms / 2);
	took = monotonic_ms() - began;
	if (err == -ETIMEDOUT)
		time->left_ms -= took;
	else if (took > APART_FREE_MS)
		time->left_ms -= took - APART_FREE_MS;
	return err;
}
