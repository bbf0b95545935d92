// SPDX-License-Identifier: BSD-2-Clause
#include "user/target/jvm.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static void feature_number_is_read_from_every_style_of_version(void **state)
{
	assert_int_equal(jvm_feature("17.0.15"), 17);
	assert_int_equal(jvm_feature("1.8.0_412"), 8);
	assert_int_equal(jvm_feature("25"), 25);
	assert_int_equal(jvm_feature("26-ea"), 26);
	assert_int_equal(jvm_feature("11.0.23.0.1"), 11);
	assert_int_equal(jvm_feature(""), 0);
	assert_int_equal(jvm_feature("unknown"), 0);
	assert_int_equal(jvm_feature("-3"), 0);
}

static void release_file_gives_the_value_of_a_whole_key(void **state)
{
	static const char text[] = "IMPLEMENTOR=\"Debian\"\nX_JAVA_VERSION=\"1\"\nJAVA_VERSION_DATE=\"2025\"\nJAVA_"
				   "VERSION=\"17.0.15\"\nOS=\"Linux\"";
	char value[32];

	assert_true(jvm_release_value(text, "JAVA_VERSION", value, sizeof(value)));
	assert_string_equal(value, "17.0.15");
	assert_true(jvm_release_value(text, "OS", value, 4));
	assert_string_equal(value, "Lin");
	assert_false(jvm_release_value(text, "VENDOR", value, sizeof(value)));
	assert_false(jvm_release_value("", "OS", value, sizeof(value)));
	assert_false(jvm_release_value("OS=Linux\n", "OS", value, sizeof(value)));
	assert_false(jvm_release_value("OS=\"\"\n", "OS", value, sizeof(value)));
	assert_false(jvm_release_value("OS", "OS", value, sizeof(value)));
}

/* A process whose command line is what we like: `sleep`, waiting. */
static pid_t start_words(const char *const *words, const char *variable)
{
	pid_t pid = fork();

	if (pid == 0) {
		char *environment[] = {(char *)variable, NULL};

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		execve("/bin/sleep", (char *const *)words, environment);
		_exit(127);
	}
	return pid;
}

static void options_are_read_from_the_environment_and_the_command_line(void **state)
{
	const char *words[] = {"600", "600", NULL};
	struct jvm_options options;
	struct target t = {.pidfd = -1, .uid = geteuid()};

	t.pid = t.ns_pid = start_words(words, "JAVA_TOOL_OPTIONS=-Xint -XX:+DisableAttachMechanism -Xrs");
	for (int i = 0; i < 5000; i++) { /* until the child has become `sleep` */
		jvm_read_options(&t, &options);
		if (options.attach_disabled)
			break;
		usleep(1000);
	}
	assert_true(options.attach_disabled);
	assert_true(options.signals_reduced);
	kill(t.pid, SIGKILL);
	waitpid(t.pid, NULL, 0);
}

static void other_variables_are_not_options(void **state)
{
	const char *words[] = {"600", "600", NULL};
	struct jvm_options options;
	struct target t = {.pidfd = -1, .uid = geteuid()};

	t.pid = t.ns_pid = start_words(words, "MY_JAVA_TOOL_OPTIONS=-XX:+DisableAttachMechanism");
	usleep(50000);
	jvm_read_options(&t, &options);
	assert_false(options.attach_disabled);
	kill(t.pid, SIGKILL);
	waitpid(t.pid, NULL, 0);
}

static void a_process_without_libjvm_is_no_jvm(void **state)
{
	struct target t = {.pid = getpid(), .ns_pid = getpid(), .pidfd = -1};

	assert_int_equal(jvm_find(&t), 0);
	assert_string_equal(t.libjvm, "");
	t.pid = 999999999;
	assert_int_equal(jvm_find(&t), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(feature_number_is_read_from_every_style_of_version),
		cmocka_unit_test(release_file_gives_the_value_of_a_whole_key),
		cmocka_unit_test(options_are_read_from_the_environment_and_the_command_line),
		cmocka_unit_test(other_variables_are_not_options),
		cmocka_unit_test(a_process_without_libjvm_is_no_jvm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
