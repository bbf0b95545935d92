// SPDX-License-Identifier: BSD-2-Clause
/* Who is heard by a recording in the background. */
#include "user/control.h"

#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define NOBODY 65534

static int listener;

static int setup(void **state)
{
	struct diag d;

	if (geteuid()) {
		print_message("no test: only root can be somebody else\n");
		exit(0);
	}
	listener = control_listen(getpid(), &d);
	return listener < 0;
}

static int teardown(void **state)
{
	close(listener);
	control_remove(getpid());
	return 0;
}

/* The file's rights are root's still: nothing but the recording itself can refuse. */
static void say(uid_t uid, const char *line)
{
	struct sockaddr_un a = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	char end;

	snprintf(a.sun_path, sizeof(a.sun_path), "/run/frtrace/%d.sock", (int)getppid());
	if (seteuid(uid))
		_exit(2);
	setfsuid(0);
	if (connect(fd, (const struct sockaddr *)&a, sizeof(a)))
		_exit(3);
	send(fd, line, strlen(line), MSG_NOSIGNAL); /* who is not heard may be gone already */
	_exit(read(fd, &end, 1) == 1 ? 0 : 1);
}

/* What control_accept() makes of it. */
static bool is_heard(uid_t uid)
{
	struct pollfd at = {.fd = listener, .events = POLLIN};
	char line[CONTROL_LINE] = "";
	int connection, status;
	pid_t child = fork();

	if (!child)
		say(uid, "status\n");
	assert_int_equal(poll(&at, 1, 10000), 1);
	connection = control_accept(listener, line);
	if (connection >= 0)
		control_answer(connection, 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == (connection < 0));
	assert_true(connection < 0 || strcmp(line, "status") == 0);
	return connection >= 0;
}

static void root_is_heard(void **state)
{
	assert_true(is_heard(0));
}

static void a_stranger_is_not(void **state)
{
	assert_false(is_heard(NOBODY));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(root_is_heard, setup, teardown),
		cmocka_unit_test_setup_teardown(a_stranger_is_not, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
