// SPDX-License-Identifier: BSD-2-Clause
/* Keys of a terminal that the test is. A child is the session leader, a small shell with one job that reads keys. */
#include "user/show/keys.h"
#include "tests/lib/test.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#define LIMIT_MS 20000

static int terminal, other_end; /* what the user has, what the program has */
static pid_t shell, job;
static int told[2], asked[2]; /* pipes from and to the shell */
static struct termios before;

/* The job: a letter for each key, until one ends it. */
static int job_run(int out)
{
	static const char letters[] = ".QSLRUD";
	struct keys *k = keys_open(STDIN_FILENO);
	enum key key = KEY_NONE;

	dprintf(out, "%c", k ? 'o' : 'n');
	while (k && key != KEY_END) {
		struct pollfd p = {.fd = keys_fd(k), .events = POLLIN};

		poll(&p, 1, 10);
		keys_take(k);
		while (key != KEY_END && (key = keys_next(k)) != KEY_NONE)
			dprintf(out, "%c", letters[key]);
	}
	keys_close(k);
	return 7;
}

static void shell_start_job(void)
{
	job = fork();
	if (job == 0) {
		setpgid(0, 0);
		signal(SIGINT, SIG_DFL); /* the background jobs of a shell ignore these two */
		signal(SIGQUIT, SIG_DFL);
		signal(SIGTTOU, SIG_IGN);
		tcsetpgrp(STDIN_FILENO, getpid());
		signal(SIGTTOU, SIG_DFL);
		alarm(LIMIT_MS / 1000);
		_exit(job_run(told[1]));
	}
}

/* Commands: b and f give the terminal to the shell and to the job, and let the job go on. */
static void shell_obey(char command)
{
	tcsetpgrp(STDIN_FILENO, command == 'f' ? job : getpid());
	kill(-job, SIGCONT);
	dprintf(told[1], "%c", command);
}

static void shell_run(void)
{
	int status;
	char command;

	setsid();
	ioctl(other_end, TIOCSCTTY, 0);
	dup2(other_end, STDIN_FILENO);
	signal(SIGTTOU, SIG_IGN);
	shell_start_job();
	fcntl(asked[0], F_SETFL, O_NONBLOCK);
	for (;;) {
		if (waitpid(job, &status, WUNTRACED | WNOHANG) == job) {
			dprintf(told[1], "%c", WIFSTOPPED(status) ? 'z' : WIFEXITED(status) ? 'e' : 'k');
			if (!WIFSTOPPED(status))
				_exit(0);
			tcsetpgrp(STDIN_FILENO, getpid());
		}
		if (read(asked[0], &command, 1) == 1)
			shell_obey(command);
		poll(NULL, 0, 5);
	}
}

static int setup(void **state)
{
	terminal = posix_openpt(O_RDWR | O_NOCTTY);
	assert_true(terminal >= 0 && !grantpt(terminal) && !unlockpt(terminal));
	other_end = open(ptsname(terminal), O_RDWR | O_NOCTTY);
	assert_true(other_end >= 0 && !tcgetattr(other_end, &before));
	assert_int_equal(pipe(told) | pipe(asked), 0);
	shell = fork();
	if (shell == 0) {
		alarm(LIMIT_MS / 1000);
		shell_run();
	}
	return 0;
}

static int teardown(void **state)
{
	kill(shell, SIGKILL);
	waitpid(shell, NULL, 0);
	close(terminal);
	close(other_end);
	for (int i = 0; i < 2; i++) {
		close(told[i]);
		close(asked[i]);
	}
	return 0;
}

static void assert_told(const char *letters)
{
	for (; *letters; letters++) {
		struct pollfd p = {.fd = told[0], .events = POLLIN};
		char letter = 0;

		assert_int_equal(poll(&p, 1, LIMIT_MS), 1);
		assert_int_equal(read(told[0], &letter, 1), 1);
		assert_int_equal(letter, *letters);
	}
}

static void type(const char *text)
{
	assert_int_equal(write(terminal, text, strlen(text)), strlen(text));
}

static bool is_as_before(void)
{
	struct termios now;

	assert_int_equal(tcgetattr(other_end, &now), 0);
	return now.c_lflag == before.c_lflag && memcmp(now.c_cc, before.c_cc, sizeof(now.c_cc)) == 0;
}

static void wait_for_keys(void)
{
	for (int i = 0; i < LIMIT_MS / 10 && is_as_before(); i++)
		poll(NULL, 0, 10);
	assert_false(is_as_before());
}

static pid_t job_pid(void)
{
	pid_t group = tcgetpgrp(terminal);

	assert_true(group > 1 && group != shell);
	return group;
}

CASE(keys_come_at_once_and_are_not_shown, setup, teardown)
{
	char shown[16];

	assert_told("o");
	wait_for_keys();
	type("s");
	assert_told("S");
	type("\033[A\033[B\033OC\033OD");
	assert_told("UDRL");
	type("x\n\033x\033[15~\033[1;5Qsq");
	assert_told("SQe");
	fcntl(terminal, F_SETFL, O_NONBLOCK);
	assert_int_equal(read(terminal, shown, sizeof(shown)), -1);
	assert_true(is_as_before());
}

CASE(ctrl_c_kills_as_ever, setup, teardown)
{
	assert_told("o");
	wait_for_keys();
	type("\003");
	assert_told("k");
}

CASE(ctrl_backslash_restores_the_terminal, setup, teardown)
{
	assert_told("o");
	wait_for_keys();
	type("\034");
	assert_told("k");
	assert_true(is_as_before());
}

CASE(ctrl_z_restores_the_terminal_and_fg_takes_it_again, setup, teardown)
{
	for (int i = 0; i < 2; i++) {
		if (!i)
			assert_told("o");
		wait_for_keys();
		type("\032");
		assert_told("z");
		assert_true(is_as_before());
		assert_int_equal(write(asked[1], "f", 1), 1);
		assert_told("f");
	}
	wait_for_keys();
	type("q");
	assert_told("Qe");
	assert_true(is_as_before());
}

/* What is typed then is for the shell. */
CASE(in_the_background_the_terminal_is_left_alone, setup, teardown)
{
	assert_told("o");
	wait_for_keys();
	type("\032");
	assert_told("z");
	assert_int_equal(write(asked[1], "b", 1), 1);
	assert_told("b");
	type("q\n");
	poll(NULL, 0, 100);
	assert_true(is_as_before());
	assert_int_equal(write(asked[1], "f", 1), 1);
	assert_told("f");
	assert_told("Qe");
	assert_true(is_as_before());
}

/* A shell sets the terminal as it likes when its job is stopped by a signal that no handler sees. */
CASE(settings_that_a_shell_has_made_stay, setup, teardown)
{
	struct termios own;

	assert_told("o");
	wait_for_keys();
	kill(job_pid(), SIGSTOP);
	assert_told("z");
	own = before;
	own.c_lflag &= ~(tcflag_t)ECHOK;
	assert_int_equal(tcsetattr(other_end, TCSANOW, &own), 0);
	before = own;
	assert_int_equal(write(asked[1], "b", 1), 1);
	assert_told("b");
	poll(NULL, 0, 100);
	assert_true(is_as_before());
	assert_int_equal(write(asked[1], "f", 1), 1);
	assert_told("f");
	wait_for_keys();
	type("q");
	assert_told("Qe");
	assert_true(is_as_before());
}

CASE(what_is_no_terminal_has_no_keys, setup, teardown)
{
	assert_null(keys_open(told[0]));
	assert_int_equal(keys_fd(NULL), -1);
	keys_take(NULL);
	keys_close(NULL);
}
