// SPDX-License-Identifier: BSD-2-Clause
/* The source is included, to ask whether a process is being looked at. */
#include "user/verbs/started.c"
#include "tests/lib/test.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define LOOKS 2000 /* more than there are in STARTED_MS, however slow the machine is */

/* A process that does nothing. */
static pid_t child_start(void)
{
	pid_t pid = fork();

	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			pause();
	}
	assert_true(pid > 0);
	return pid;
}

static void child_end(pid_t pid)
{
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static enum started_verdict no_jvm(const struct sight *jvm, void *context)
{
	fail_msg("process %d is a JVM", jvm->target.pid);
	return STARTED_DONE;
}

/* Look until nothing is left. */
static bool settles(struct started *s)
{
	int next = 0;

	for (int i = 0; i < LOOKS && next >= 0; i++) {
		next = started_look(s, no_jvm, NULL);
		if (next > 0)
			usleep(next * 1000);
	}
	return next < 0;
}

CASE(a_process_that_is_no_jvm_is_given_up)
{
	struct started *s = started_new();
	pid_t child = child_start();

	assert_non_null(s);
	assert_int_equal(started_look(s, no_jvm, NULL), -1);
	assert_true(started_add(s, child));
	assert_true(started_look(s, no_jvm, NULL) >= 0);
	assert_true(settles(s));
	child_end(child);
	started_free(s);
}

CASE(a_process_that_has_ended_is_forgotten_at_once)
{
	struct started *s = started_new();
	pid_t child = child_start();
	int next;

	assert_true(started_add(s, child));
	child_end(child);
	next = started_look(s, no_jvm, NULL);
	if (next > 0)
		usleep(next * 1000);
	assert_int_equal(started_look(s, no_jvm, NULL), -1);
	started_free(s);
}

/* There are no such processes, except for one that is added last. */
CASE(the_newest_process_is_looked_at_however_many_there_are)
{
	struct started *s = started_new();
	pid_t child = child_start();
	size_t looks = 0;

	for (int i = 0; i < STARTED_MOST; i++)
		assert_true(started_add(s, 1000000000 + i));
	assert_true(started_add(s, 1000000000)); /* known */
	usleep(20000);
	assert_false(started_add(s, child));
	started_look(s, no_jvm, NULL); /* the others are not there */
	while (started_look(s, no_jvm, NULL) >= 0 && looks++ < LOOKS)
		usleep(1000);
	assert_true(looks > 0);
	child_end(child);
	assert_true(settles(s));
	started_free(s);
}

/* JVMs of others may come and go. */
static enum started_verdict any(const struct sight *jvm, void *context)
{
	return STARTED_DONE;
}

CASE(a_scan_adds_what_has_started_since_the_last_one)
{
	struct started *s = started_new();
	pid_t child;

	assert_true(started_scan(s));
	assert_true(started_look(s, any, NULL) >= 0);
	child = child_start();
	assert_null(young_find(s, child));
	assert_true(started_scan(s));
	assert_non_null(young_find(s, child));
	assert_true(started_look(s, any, NULL) >= 0);
	child_end(child);
	started_free(s);
}
