// SPDX-License-Identifier: BSD-2-Clause
/* Started programs: their arguments and environment, and their end. */
#include "tests/lib/test.h"
#include "user/process/launch.h"

#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#define OPTION "-agentpath:/x/libx.so=1,/x/socket"

static char directory[64], script[128], seen[128];

static int make_java(void **state)
{
	FILE *f;

	strcpy(directory, "/tmp/test_launch.XXXXXX");
	if (!mkdtemp(directory))
		return -1;
	snprintf(script, sizeof(script), "%s/java", directory);
	snprintf(seen, sizeof(seen), "%s/seen", directory);
	f = fopen(script, "w");
	if (!f)
		return -1;
	fprintf(f, "#!/bin/sh\necho \"$JAVA_TOOL_OPTIONS|$*\" >%s\n", seen);
	fclose(f);
	return chmod(script, 0755) || unsetenv("JAVA_TOOL_OPTIONS");
}

static int remove_java(void **state)
{
	unlink(script);
	unlink(seen);
	return rmdir(directory);
}

static int wait_for(struct launch *l)
{
	struct pollfd poller = {l->pidfd, POLLIN, 0};

	assert_int_equal(poll(&poller, 1, 10000), 1);
	assert_true(launch_ended(l));
	return l->status;
}

static int run(char *const *argv, bool by_environment)
{
	struct launch_setup setup = {.argv = argv, .java_option = OPTION, .by_environment = by_environment};
	struct launch l;
	struct diag d;
	int status;

	assert_int_equal(launch_fork(&l, &setup, &d), 0);
	assert_false(launch_ended(&l));
	launch_go(&l, argv[0], &d);
	status = wait_for(&l);
	launch_release(&l);
	return status;
}

static void assert_seen(const char *text)
{
	char line[512] = "";
	FILE *f = fopen(seen, "r");

	assert_non_null(f);
	assert_non_null(fgets(line, sizeof(line), f));
	fclose(f);
	assert_string_equal(line, text);
}

CASE(java_gets_the_option_as_its_first_argument, make_java, remove_java)
{
	char *argv[] = {script, (char *)"-jar", (char *)"shop.jar", NULL};

	assert_int_equal(run(argv, false), 0);
	assert_seen("|" OPTION " -jar shop.jar\n");
}

CASE(other_programs_get_the_option_in_their_environment_after_the_users, make_java, remove_java)
{
	char *argv[] = {script, (char *)"a", NULL};

	assert_int_equal(run(argv, true), 0);
	assert_seen(OPTION "|a\n");
	setenv("JAVA_TOOL_OPTIONS", "-Dx=\"y z\"", 1);
	assert_int_equal(run(argv, true), 0);
	assert_seen("-Dx=\"y z\" " OPTION "|a\n");
}

static int shell(const char *words)
{
	char *argv[] = {(char *)"sh", (char *)"-c", (char *)words, NULL};

	return run(argv, false);
}

CASE(status_is_that_of_a_shell, make_java, remove_java)
{
	char *missing[] = {(char *)"/nosuch/program", NULL}, *refused[] = {(char *)"/etc/passwd", NULL};

	assert_int_equal(shell("exit 0"), 0);
	assert_int_equal(shell("exit 255"), 255);
	assert_int_equal(shell("kill -TERM $$"), 128 + SIGTERM);
	assert_int_equal(run(missing, false), 127);
	assert_int_equal(run(refused, false), 126);
}

CASE(program_does_not_run_before_it_may, make_java, remove_java)
{
	char *argv[] = {script, NULL};
	struct launch_setup setup = {.argv = argv, .java_option = OPTION};
	struct launch l;
	struct diag d;

	assert_int_equal(launch_fork(&l, &setup, &d), 0);
	usleep(50000);
	assert_false(launch_ended(&l));
	assert_true(access(seen, F_OK) < 0);
	close(l.go); /* as at the end of frtrace */
	l.go = -1;
	wait_for(&l);
	assert_true(access(seen, F_OK) < 0);
	launch_release(&l);
}

CASE(signal_reaches_the_program, make_java, remove_java)
{
	char *argv[] = {(char *)"sleep", (char *)"60", NULL};
	struct launch_setup setup = {.argv = argv, .java_option = OPTION};
	struct launch l;
	struct diag d;

	assert_int_equal(launch_fork(&l, &setup, &d), 0);
	assert_int_equal(launch_go(&l, "sleep", &d), 0);
	launch_signal(&l, SIGUSR1);
	assert_int_equal(wait_for(&l), 128 + SIGUSR1);
	launch_signal(&l, SIGKILL); /* goes to nobody */
	launch_release(&l);
}

CASE(unknown_user_is_a_usage_error, make_java, remove_java)
{
	char *argv[] = {script, NULL};
	struct launch_setup setup = {.argv = argv, .java_option = OPTION, .user = "no such user"};
	struct launch l;
	struct diag d = {0};

	assert_true(launch_fork(&l, &setup, &d) < 0);
	assert_true(d.usage);
	launch_release(&l);
}

CASE(environments_of_other_processes_are_searched, make_java, remove_java)
{
	char *argv[] = {(char *)"sleep", (char *)"60", NULL};
	struct launch_setup setup = {
		.argv = argv, .java_option = "-agentpath:/x/.frtrace-unit-test/lib", .by_environment = true};
	struct launch l;
	struct diag d;

	assert_int_equal(launch_fork(&l, &setup, &d), 0);
	assert_int_equal(launch_go(&l, "sleep", &d), 0);
	assert_true(launch_is_inherited(".frtrace-unit-test"));
	launch_signal(&l, SIGKILL);
	wait_for(&l);
	assert_false(launch_is_inherited(".frtrace-unit-test"));
	launch_release(&l);
}
