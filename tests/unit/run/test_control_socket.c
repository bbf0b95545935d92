// SPDX-License-Identifier: BSD-2-Clause
/* Who is heard by a recording in the background. */
#include "user/run/control_socket.h"
#include "user/process/run_directory.h"
#include "tests/lib/test.h"
#include "tests/lib/wrap.h"

#include <poll.h>
#include <sys/fsuid.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NOBODY 65534

static int listener;
static char directory[] =
	"/tmp/frtrace-sockets.XXXXXX"; /* of this test alone: 'frtrace status' asks all in the usual one */

WRAP(void, run_directory_name, char out[RUN_DIRECTORY])
{
	snprintf(out, RUN_DIRECTORY, "%s", directory);
}

WRAP(bool, run_directory_is_own, void)
{
	return true;
}

WRAP(int, run_directory_make, void)
{
	return 0;
}

static int make_directory(void **state)
{
	if (geteuid()) {
		print_message("no test: only root can be somebody else\n");
		exit(0);
	}
	return mkdtemp(directory) ? 0 : -1;
}

static int remove_directory(void **state)
{
	return rmdir(directory);
}

static void name_socket(struct sockaddr_un *a, pid_t recorder)
{
	*a = (struct sockaddr_un){.sun_family = AF_UNIX};
	snprintf(a->sun_path, sizeof(a->sun_path), "%s/%d.%d.sock", directory, (int)recorder, (int)recorder);
}

static int setup(void **state)
{
	struct diag d;

	listener = control_socket_listen(getpid(), &d);
	return listener < 0;
}

static int teardown(void **state)
{
	close(listener);
	control_socket_remove(getpid());
	return 0;
}

/* The file's rights are root's still: nothing but the recording itself can refuse. */
static void say(uid_t uid, const char *line)
{
	struct sockaddr_un a;
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	char end;

	name_socket(&a, getppid());
	if (seteuid(uid))
		_exit(2);
	setfsuid(0);
	if (connect(fd, (const struct sockaddr *)&a, sizeof(a)))
		_exit(3);
	send(fd, line, strlen(line), MSG_NOSIGNAL); /* who is not heard may be gone already */
	_exit(read(fd, &end, 1) == 1 ? 0 : 1);
}

/* What control_socket_accept() makes of it. */
static bool is_heard(uid_t uid)
{
	struct pollfd at = {.fd = listener, .events = POLLIN};
	char line[CONTROL_SOCKET_LINE] = "";
	int connection, status;
	pid_t child = fork();

	if (!child)
		say(uid, "status\n");
	assert_int_equal(poll(&at, 1, 10000), 1);
	connection = control_socket_accept(listener, line);
	if (connection >= 0)
		control_socket_answer(connection, 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == (connection < 0));
	assert_true(connection < 0 || strcmp(line, "status") == 0);
	return connection >= 0;
}

CASE(root_is_heard, setup, teardown)
{
	assert_true(is_heard(0));
}

CASE(a_stranger_is_not, setup, teardown)
{
	assert_false(is_heard(NOBODY));
}

/* A child that asks this process; it ends with what control_socket_ask() returned, negated. `text` must be in the message. */
static pid_t ask(const char *line, const char *text)
{
	pid_t child = fork();
	struct diag d = {0};
	int r;

	if (child)
		return child;
	r = control_socket_ask(&(struct control_name){getppid(), getppid()}, line, STDOUT_FILENO, &d);
	_exit(strstr(d.text, text) ? -r : 255);
}

static void expect_end(pid_t child, int expected)
{
	int status;

	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), expected);
}

/* This process neither accepts nor uses any CPU time. */
CASE(silent_recording_is_waited_for_a_few_seconds_only, setup, teardown)
{
	time_t begun = time(NULL);
	char way_out[64];
	pid_t children[3];

	snprintf(way_out, sizeof(way_out), "'kill -9 %d'", (int)getpid());
	children[0] = ask("status", way_out);
	children[1] = ask("stop", way_out);
	children[2] = ask("dump 0 /nowhere", way_out);
	alarm(60);
	for (int i = 0; i < 3; i++)
		expect_end(children[i], ETIMEDOUT);
	alarm(0);
	assert_in_range(time(NULL) - begun, 4, 40);
}

/* Its queue takes no more connections. */
CASE(full_recording_is_waited_for_a_few_seconds_only, setup, teardown)
{
	struct sockaddr_un a;
	struct control_name names[8];
	int fds[64], n = 0;

	name_socket(&a, getpid());
	do {
		fds[n] = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
	} while (!connect(fds[n++], (struct sockaddr *)&a, sizeof(a)) && n < 64);
	assert_int_equal(errno, EAGAIN);
	alarm(60);
	assert_true(control_socket_list(names, 8) >= 1); /* it is alive */
	expect_end(ask("status", "does not answer"), ETIMEDOUT);
	alarm(0);
	while (n)
		close(fds[--n]);
}

/* It takes longer than a silent one may. */
CASE(recording_at_work_is_waited_for, setup, teardown)
{
	pid_t child = ask("stop", "");
	time_t begun = time(NULL);
	char line[CONTROL_SOCKET_LINE];
	int connection;

	while (time(NULL) < begun + 8)
		usleep(20000);
	connection = control_socket_accept(listener, line);
	assert_true(connection >= 0);
	control_socket_answer(connection, 0);
	expect_end(child, 0);
}

int main(void)
{
	return test_main(make_directory, remove_directory);
}
