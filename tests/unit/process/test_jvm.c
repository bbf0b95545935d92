// SPDX-License-Identifier: BSD-2-Clause
#include "tests/lib/test.h"
#include "user/process/jvm.h"
#include "user/process/maps.h"
#include "user/process/remote_mem.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

CASE(jdk_version_is_parsed_from_every_style)
{
	assert_int_equal(jvm_jdk_version("17.0.15"), 17);
	assert_int_equal(jvm_jdk_version("1.8.0_412"), 8);
	assert_int_equal(jvm_jdk_version("25"), 25);
	assert_int_equal(jvm_jdk_version("26-ea"), 26);
	assert_int_equal(jvm_jdk_version("11.0.23.0.1"), 11);
	assert_int_equal(jvm_jdk_version(""), 0);
	assert_int_equal(jvm_jdk_version("unknown"), 0);
	assert_int_equal(jvm_jdk_version("-3"), 0);
}

CASE(release_file_gives_the_value_of_a_whole_key)
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

/* A process with any command line: a waiting `sleep`. */
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

CASE(options_are_read_from_the_environment_and_the_command_line)
{
	const char *words[] = {"600", "600", NULL};
	struct jvm_options options;
	struct target t = {.pidfd = -1, .uid = geteuid()};

	t.pid = t.ns_pid = start_words(words, "JAVA_TOOL_OPTIONS=-Xint -XX:+DisableAttachMechanism -Xrs -Xss4m "
					      "-XX:ThreadStackSize=512");
	for (int i = 0; i < 5000; i++) { /* until the child has become `sleep` */
		jvm_read_options(&t, &options);
		if (options.attach_disabled)
			break;
		usleep(1000);
	}
	assert_true(options.attach_disabled);
	assert_true(options.signals_reduced);
	assert_int_equal(options.stack, 512 << 10);
	kill(t.pid, SIGKILL);
	waitpid(t.pid, NULL, 0);
}

CASE(other_variables_are_not_options)
{
	const char *words[] = {"600", "600", NULL};
	struct jvm_options options;
	struct target t = {.pidfd = -1, .uid = geteuid()};

	t.pid = t.ns_pid = start_words(words, "MY_JAVA_TOOL_OPTIONS=-XX:+DisableAttachMechanism");
	usleep(50000);
	jvm_read_options(&t, &options);
	assert_false(options.attach_disabled);
	assert_int_equal(options.stack, 1 << 20);
	kill(t.pid, SIGKILL);
	waitpid(t.pid, NULL, 0);
}

static const char *archive_of(const char *a, const char *b, const char *c)
{
	char *argv[] = {(char *)"/opt/jdk/bin/java", (char *)a, (char *)b, (char *)c, NULL};
	struct jvm_options options;

	jvm_read_own_options(argv, &options);
	return options.archive ? options.archive : "none";
}

CASE(options_of_a_program_to_be_started_are_known)
{
	char file[] = "/tmp/frtrace-options.XXXXXX", at_file[64];
	int fd = mkstemp(file);

	assert_string_equal(archive_of("-cp", "a.jar", "App"), "none");
	assert_string_equal(archive_of("-XX:AOTCacheOutput=a.aot", "App", NULL), "-XX:AOTCacheOutput");
	assert_string_equal(archive_of("-XX:AOTMode=record", "App", NULL), "-XX:AOTMode=record");
	assert_string_equal(archive_of("-XX:AOTMode=on", "-XX:AOTCache=a.aot", "App"), "none");
	assert_string_equal(archive_of("-XX:-RecordDynamicDumpInfo", "App", NULL), "none");
	assert_string_equal(archive_of("App", "-XX:AOTCacheOutput=a.aot", NULL), "none"); /* the program's own word */
	assert_true(fd >= 0 && write(fd, "-Xint\n-XX:ArchiveClassesAtExit=a.jsa\n", 38) == 38);
	snprintf(at_file, sizeof(at_file), "@%s", file);
	assert_string_equal(archive_of(at_file, "App", NULL), "-XX:ArchiveClassesAtExit");
	close(fd);
	unlink(file);
}

CASE(a_process_without_libjvm_is_no_jvm)
{
	struct target t = {.pid = getpid(), .ns_pid = getpid(), .pidfd = -1};

	assert_int_equal(jvm_find(&t), 0);
	assert_string_equal(t.libjvm, "");
	t.pid = 999999999;
	assert_int_equal(jvm_find(&t), -ENOENT);
}

#define SECOND_AT 0x2b3c4000 /* below all other mappings; a rounder number is on many a stack for other reasons */

static char second[64]; /* directory with JVM/libjvm.so and other/libjvm.so */

static void *map_code(const char *directory, void *at, const void *code, size_t size)
{
	char path[128];
	void *mapped;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", second, directory);
	mkdir(path, 0700);
	strcat(path, "/libjvm.so");
	fd = open(path, O_RDWR | O_CREAT, 0700);
	if (fd < 0 || write(fd, code, size) != (ssize_t)size || ftruncate(fd, 4096))
		_exit(2);
	mapped = mmap(at, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | (at ? MAP_FIXED_NOREPLACE : 0), fd, 0);
	close(fd);
	return mapped == MAP_FAILED ? NULL : mapped;
}

/* A process that sleeps in a function called from JVM/libjvm.so, with another one mapped below. */
static pid_t start_with_two(int *ready)
{
	static const unsigned char call_argument[] = {0x53, 0xff, 0xd7, 0x5b, 0xc3}; /* push; call *rdi; pop; ret */
	int ends[2];
	pid_t pid;
	char *code;

	assert_int_equal(pipe(ends), 0);
	pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		code = map_code("JVM", NULL, call_argument, sizeof(call_argument));
		if (!code || !map_code("other", (void *)SECOND_AT, "junk", 4))
			_exit(3);
		if (write(ends[1], &code, sizeof(code)) != sizeof(code))
			_exit(4);
		((void (*)(int (*)(void)))(void *)code)(pause);
		_exit(0);
	}
	close(ends[1]);
	*ready = ends[0];
	return pid;
}

CASE(libjvm_is_the_one_that_threads_run_in)
{
	struct target t = {.pidfd = -1, .uid = geteuid()};
	char command[128], *code = NULL, path[128];
	struct mapping m;
	uint64_t base = 0;
	struct diag d;
	int ready;

	strcpy(second, "/tmp/test_jvm.XXXXXX");
	assert_non_null(mkdtemp(second));
	t.pid = t.ns_pid = start_with_two(&ready);
	assert_int_equal(read(ready, &code, sizeof(code)), sizeof(code));
	snprintf(path, sizeof(path), "%s/JVM/libjvm.so", second);
	for (int i = 0; i < 5000; i++) { /* until it sleeps */
		assert_int_equal(jvm_find(&t), 1);
		if (!strcmp(t.libjvm, path))
			break;
		usleep(1000);
	}
	assert_string_equal(t.libjvm, path);
	assert_int_equal(t.libjvm_code, (uintptr_t)code);
	assert_int_equal(target_find_libjvm(&t, &m, &d), 1);
	assert_string_equal(m.path, path);
	assert_int_equal(remote_mem_find_libjvm(&t, &base, &d), 0);
	assert_int_equal(base, (uintptr_t)code);
	assert_int_equal(target_find_mapping(&t, "libjvm.so", &m, &d), 1);
	assert_int_equal(m.start, SECOND_AT); /* it is mapped below */
	kill(t.pid, SIGKILL);
	waitpid(t.pid, NULL, 0);
	close(ready);
	snprintf(command, sizeof(command), "rm -rf %s", second);
	assert_int_equal(system(command), 0);
}
