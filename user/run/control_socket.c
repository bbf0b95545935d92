// SPDX-License-Identifier: BSD-2-Clause
#include "user/run/control_socket.h"
#include "user/process/run_directory.h"
#include "user/text/io.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define REQUEST_S 2 /* how long a client may take to send its request */
#define ANSWER_S  5 /* how long a recording may leave a request unanswered */

const char *control_socket_hint(void)
{
	return geteuid() ? "; a recording that was started with sudo is found with sudo" : "";
}

static struct sockaddr_un address_of(const struct control_name *name)
{
	struct sockaddr_un a = {.sun_family = AF_UNIX};
	char directory[RUN_DIRECTORY];

	run_directory_name(directory);
	snprintf(a.sun_path, sizeof(a.sun_path), "%s/%d.%d.sock", directory, (int)name->target, (int)name->recorder);
	return a;
}

static bool is_alive(const struct sockaddr_un *a)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	/* EAGAIN: the backlog is full. */
	bool alive = fd >= 0 && (!connect(fd, (const struct sockaddr *)a, sizeof(*a)) || errno == EAGAIN);

	io_close(fd);
	return alive;
}

static struct control_name own_name(pid_t target)
{
	return (struct control_name){target, getpid()};
}

static bool parse_name(const char *file, struct control_name *out)
{
	char rest[8] = "";

	return sscanf(file, "%d.%d%7s", &out->target, &out->recorder, rest) == 3 && !strcmp(rest, ".sock") &&
	       out->target > 0 && out->recorder > 0;
}

/* Visit the sockets in the directory of this user. */
static void each_socket(void (*visit)(void *context, const struct control_name *name), void *context)
{
	char directory[RUN_DIRECTORY];
	struct control_name name;
	struct dirent *e;
	DIR *dir;

	run_directory_name(directory);
	dir = run_directory_is_own() ? opendir(directory) : NULL;
	while (dir && (e = readdir(dir)))
		if (parse_name(e->d_name, &name))
			visit(context, &name);
	if (dir)
		closedir(dir);
}

/* A killed recorder has left its socket. */
static void remove_abandoned(void *context, const struct control_name *name)
{
	struct sockaddr_un a = address_of(name);

	if (kill(name->recorder, 0) && errno == ESRCH)
		unlink(a.sun_path);
}

int control_socket_listen(pid_t target, struct diag *d)
{
	struct control_name name = own_name(target);
	struct sockaddr_un a = address_of(&name);
	char directory[RUN_DIRECTORY];
	int fd;

	run_directory_name(directory);
	if (run_directory_make())
		return diag_set(
			d, EACCES,
			"cannot use '%s' for the recording's socket: it has to be a directory of this user's alone",
			directory);
	each_socket(remove_abandoned, NULL);
	unlink(a.sun_path);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd >= 0 && !bind(fd, (const struct sockaddr *)&a, sizeof(a)) && !listen(fd, 8))
		return fd;
	diag_errno(d, errno, "cannot make the socket '%s'", a.sun_path);
	io_close(fd);
	return -EIO;
}

void control_socket_remove(pid_t target)
{
	struct control_name name = own_name(target);
	struct sockaddr_un a = address_of(&name);

	unlink(a.sun_path);
}

static bool may_speak(int connection)
{
	struct ucred who;
	socklen_t size = sizeof(who);

	return !getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &who, &size) && (!who.uid || who.uid == geteuid());
}

/* Read the request line. False: none in time. */
static bool read_line(int connection, char line[CONTROL_SOCKET_LINE])
{
	struct timeval patience = {.tv_sec = REQUEST_S};
	size_t length = 0;
	ssize_t n;

	setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	setsockopt(connection, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	while (length < CONTROL_SOCKET_LINE - 1 &&
	       (n = read(connection, line + length, CONTROL_SOCKET_LINE - 1 - length)) > 0) {
		length += n;
		line[length] = 0;
		if (line[length - 1] == '\n') {
			line[length - 1] = 0;
			return true;
		}
	}
	return false;
}

int control_socket_accept(int listener, char line[CONTROL_SOCKET_LINE])
{
	int connection = accept4(listener, NULL, NULL, SOCK_CLOEXEC);

	if (connection < 0)
		return -1;
	if (may_speak(connection) && read_line(connection, line))
		return connection;
	close(connection);
	return -1;
}

void control_socket_answer(int connection, int status)
{
	char end[2] = {0, (char)('0' + status)};

	(void)!write(connection, end, sizeof(end));
	close(connection);
}

/* CPU time of the process in ns; 0 if it has ended. */
static uint64_t cpu_time(pid_t pid)
{
	struct timespec used;
	clockid_t clock;

	if (clock_getcpuclockid(pid, &clock) || clock_gettime(clock, &used))
		return 0;
	return used.tv_sec * 1000000000ULL + used.tv_nsec;
}

/*
 * read() from a recording. Some requests take long: the JVM does not answer, or files are merged. A recording that
 * works on one uses CPU time, if only to check its clock. -ETIMEDOUT: no CPU time used for ANSWER_S.
 */
static ssize_t read_patiently(int fd, bool at_work, void *to, size_t size)
{
	struct ucred collector = {0};
	socklen_t length = sizeof(collector);
	uint64_t before, after;
	ssize_t n;

	getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &collector, &length);
	for (after = cpu_time(collector.pid);;) {
		before = after;
		n = read(fd, to, size);
		if (n >= 0 || errno != EAGAIN)
			return n;
		after = cpu_time(collector.pid);
		if (!at_work || after == before)
			return -ETIMEDOUT;
	}
}

static int control_socket_timed_out(int fd, pid_t target, struct diag *d)
{
	struct ucred collector = {0};
	socklen_t length = sizeof(collector);

	if (fd < 0 || getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &collector, &length) || collector.pid <= 0)
		return diag_set(d, ETIMEDOUT, "the recording of %d does not answer within %d s: try again", (int)target,
				ANSWER_S);
	return diag_set(d, ETIMEDOUT,
			"the recording of %d does not answer within %d s: try again, or end it with 'kill -9 %d'; "
			"the file keeps what it has",
			(int)target, ANSWER_S, (int)collector.pid);
}

static int send_line(int fd, const char *line)
{
	char text[CONTROL_SOCKET_LINE];
	int length = snprintf(text, sizeof(text), "%s\n", line);

	return length < (int)sizeof(text) && write(fd, text, length) == length ? 0 : -EIO;
}

/* Copy the text up to the zero byte to `out` and return the status. `at_work`: see read_patiently(). */
static int read_answer(int fd, pid_t target, bool at_work, int out, struct diag *d)
{
	char text[4096];
	ssize_t n;

	while ((n = read_patiently(fd, at_work, text, sizeof(text))) > 0) {
		char *end = memchr(text, 0, n);
		size_t length = end ? (size_t)(end - text) : (size_t)n;
		char status = 0;

		int err = io_write_all(out, text, length);

		if (err)
			return diag_errno(d, -err, "cannot write the answer");
		if (!end)
			continue;
		if (end + 1 < text + n)
			status = end[1];
		else if (read_patiently(fd, at_work, &status, 1) != 1)
			break;
		return status - '0';
	}
	if (n == -ETIMEDOUT)
		return control_socket_timed_out(fd, target, d);
	return diag_set(d, EPIPE, "the recording ended without an answer");
}

int control_socket_ask(const struct control_name *to, const char *line, int out, struct diag *d)
{
	const struct timeval patience = {.tv_sec = ANSWER_S};
	struct sockaddr_un a = address_of(to);
	pid_t pid = to->target;
	bool at_work = strncmp(line, "status", strlen("status")) != 0;
	int fd, err;

	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd >= 0) {
		setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
		setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	}
	if (fd < 0 || !run_directory_is_own() || connect(fd, (const struct sockaddr *)&a, sizeof(a))) {
		bool full = fd >= 0 && errno == EAGAIN;

		io_close(fd);
		return full ? control_socket_timed_out(-1, pid, d)
			    : diag_set(d, ENOENT, "%d is not being recorded in the background by this user%s", (int)pid,
				       control_socket_hint());
	}
	err = send_line(fd, line);
	err = err ? diag_errno(d, -err, "cannot ask the recording") : read_answer(fd, pid, at_work, out, d);
	close(fd);
	return err;
}

struct listing {
	struct control_name *names;
	size_t count, capacity;
};

static void list_alive(void *context, const struct control_name *name)
{
	struct sockaddr_un a = address_of(name);
	struct listing *l = context;

	if (!is_alive(&a))
		return;
	if (l->count < l->capacity)
		l->names[l->count] = *name;
	l->count++;
}

size_t control_socket_list(struct control_name *names, size_t capacity)
{
	struct listing l = {names, 0, capacity};

	each_socket(list_alive, &l);
	return l.count;
}
