// SPDX-License-Identifier: BSD-2-Clause
#include "user/process/launch_socket.h"
#include "user/process/interrupt.h"
#include "user/process/launch.h"
#include "user/text/io.h"
#include "user/text/monotonic.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define NAME	"socket"
#define BACKLOG 64
#define OLD_S	60

/*
 * $TMPDIR, if it is usable: it becomes part of the JVM's options, which are split at spaces, and of a socket
 * address.
 */
static const char *preferred_base(void)
{
	const char *path = getenv("TMPDIR");

	return path && path[0] == '/' && strlen(path) < 64 && !path[strcspn(path, " \t\n,'\"")] ? path : NULL;
}

static int write_agent(struct agent_file *f, const void *image, size_t size, struct diag *d)
{
	const struct target anybody = {.pidfd = -1, .uid = geteuid()};
	struct user_child h = {.target = &anybody, .cwd = -1, .tmp = -1, .status = -1};
	mode_t mask = umask(0);
	int err;

	h.root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	err = agent_file_write(f, &h, image, size, d);
	umask(mask);
	io_close(h.root);
	if (!err && (fchmod(f->inside, 0711) || fchmodat(f->inside, f->name, 0555, 0)))
		err = diag_errno(d, errno, "cannot let others read the agent '%s'", f->path);
	return err;
}

/*
 * True if it is old enough. A directory that is being created has no lock yet; nor has one of an attach, which
 * lives for seconds.
 */
static bool is_old(int directory)
{
	struct stat st;

	return !fstat(directory, &st) && st.st_mtime + OLD_S < time(NULL);
}

/* The holder of a directory's lock is alive. */
static bool is_abandoned(int directory, const char *name)
{
	struct stat st;

	return !fstat(directory, &st) && st.st_uid == geteuid() && !flock(directory, LOCK_EX | LOCK_NB) &&
	       !launch_is_inherited(name);
}

static void remove_all(int base, int directory, const char *name)
{
	DIR *entries = fdopendir(dup(directory));
	struct dirent *entry;

	while (entries && (entry = readdir(entries)))
		if (!strcmp(entry->d_name, NAME) || !strncmp(entry->d_name, "libfrtrace-", 11))
			unlinkat(directory, entry->d_name, 0);
	if (entries)
		closedir(entries);
	unlinkat(base, name, AT_REMOVEDIR);
}

/* Remove directories of killed frtrace processes, and those kept for programs that have ended. */
static void sweep_others(const struct agent_file *own)
{
	int fd = openat(own->base, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), directory;
	DIR *entries = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	while (entries && (entry = readdir(entries))) {
		if (strncmp(entry->d_name, ".frtrace-", 9) || !strcmp(entry->d_name, own->directory))
			continue;
		directory = openat(own->base, entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (directory < 0)
			continue;
		if (is_old(directory) && is_abandoned(directory, entry->d_name))
			remove_all(own->base, directory, entry->d_name);
		close(directory);
	}
	if (entries)
		closedir(entries);
}

/* Listen in a directory that only this user can write to. */
static int listen_there(struct launch_socket *listener, struct diag *d)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	const char *end = strrchr(listener->file.path, '/');

	if (snprintf(listener->path, sizeof(listener->path), "%.*s/" NAME, (int)(end - listener->file.path),
		     listener->file.path) >= (int)sizeof(address.sun_path))
		return diag_set(d, ENAMETOOLONG, "cannot listen below '%s': its name is too long", listener->file.path);
	strcpy(address.sun_path, listener->path);
	listener->fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (listener->fd < 0 || bind(listener->fd, (struct sockaddr *)&address, sizeof(address)) ||
	    chmod(listener->path, 0666) || listen(listener->fd, BACKLOG))
		return diag_errno(d, errno, "cannot listen on '%s'", listener->path);
	return 0;
}

int launch_socket_open(struct launch_socket *listener, const char *file_name, const void *image, size_t size,
		       struct diag *d)
{
	int err;

	*listener = (struct launch_socket){.fd = -1};
	err = agent_file_name(&listener->file, file_name, d);
	if (err)
		return err;
	listener->file.first = preferred_base();
	err = write_agent(&listener->file, image, size, d);
	err = err ?: listen_there(listener, d);
	if (err) {
		launch_socket_close(listener, false);
		return err;
	}
	flock(listener->file.inside, LOCK_EX | LOCK_NB);
	sweep_others(&listener->file);
	return err;
}

void launch_socket_close(struct launch_socket *listener, bool keep)
{
	if (listener->file.inside >= 0)
		unlinkat(listener->file.inside, NAME, 0);
	if (!keep)
		agent_file_remove(&listener->file);
	io_close(listener->fd);
	listener->fd = -1;
}

int launch_socket_accept(const struct launch_socket *listener, pid_t *pid)
{
	struct ucred peer = {0};
	socklen_t size = sizeof(peer);
	int fd = accept4(listener->fd, NULL, NULL, SOCK_CLOEXEC);

	if (fd < 0)
		return -EAGAIN;
	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) || peer.pid <= 0) {
		close(fd);
		return -EAGAIN;
	}
	*pid = peer.pid;
	return fd;
}

int launch_socket_say(int connection, const char *text)
{
	ssize_t n = send(connection, text, strlen(text), MSG_NOSIGNAL);

	return n < 0 ? -errno : 0;
}

/* Receive a result. Returns its size; 0: the JVM is gone; -ETIMEDOUT or -EINTR: no answer. */
static ssize_t launch_socket_receive(int connection, int timeout_ms, int *result)
{
	struct pollfd poller = {connection, POLLIN, 0};
	int64_t deadline = timeout_ms < 0 ? INT64_MAX : monotonic_ms() + timeout_ms;
	ssize_t n;

	while (poll(&poller, 1, interrupt_slice(deadline_left(deadline))) <= 0) {
		if (interrupted())
			return -EINTR;
		if (!deadline_left(deadline))
			return -ETIMEDOUT;
	}
	n = recv(connection, result, sizeof(*result), 0);
	return n < 0 ? 0 : n;
}

int launch_socket_command(int connection, const char *text, int timeout_ms, int *result, struct diag *d)
{
	ssize_t n;

	if (launch_socket_say(connection, text))
		return diag_set(d, ESRCH, "cannot '%s' in the JVM: its agent is gone", text);
	n = launch_socket_receive(connection, timeout_ms, result);
	if (n == sizeof(*result))
		return 0;
	if (n == -EINTR)
		return diag_set(d, EINTR, "cannot '%s' in the JVM: interrupted", text);
	if (n < 0)
		return diag_set(d, ETIMEDOUT, "cannot '%s' in the JVM: no answer within %.1f s", text,
				timeout_ms / 1000.0);
	return diag_set(d, ESRCH, "cannot '%s' in the JVM: it has ended, or no longer waits", text);
}
