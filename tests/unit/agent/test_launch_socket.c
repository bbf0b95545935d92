// SPDX-License-Identifier: BSD-2-Clause
/*
 * The launch socket, both ends: the collector's (user/process/launch_socket) and the agent's
 * (uprobes/agent/launch_link).
 */
#include "uprobes/agent/launch_link.h"
#include "user/process/launch_socket.h"
#include "user/process/interrupt.h"
#include "tests/lib/test.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static char base[64];
static struct launch_socket listener;

static int open_listener(void **state)
{
	struct diag d;

	strcpy(base, "/tmp/test_door.XXXXXX");
	if (!mkdtemp(base) || setenv("TMPDIR", base, 1))
		return -1;
	return launch_socket_open(&listener, "libx.so", "image", 5, &d);
}

static int close_listener(void **state)
{
	launch_link_close();
	launch_socket_close(&listener, false);
	return rmdir(base); /* it is empty */
}

CASE(everybody_may_read_the_agent_and_connect_but_not_change_it, open_listener, close_listener)
{
	char directory[600];
	struct stat st;

	assert_int_equal(strncmp(listener.file.path, base, strlen(base)), 0);
	assert_int_equal(stat(listener.file.path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0555);
	assert_int_equal(stat(listener.path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0666);
	snprintf(directory, sizeof(directory), "%s", listener.path);
	*strrchr(directory, '/') = 0;
	assert_int_equal(stat(directory, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0711);
}

static int ring(void)
{
	pid_t pid = 0;
	int connection;

	assert_true(launch_link_connect(listener.path, 15));
	connection = launch_socket_accept(&listener, &pid);
	assert_true(connection >= 0);
	assert_int_equal(pid, getpid());
	return connection;
}

CASE(peer_is_identified_and_gets_whole_commands, open_listener, close_listener)
{
	pid_t pid;
	int connection;

	assert_int_equal(launch_socket_accept(&listener, &pid), -EAGAIN);
	connection = ring();
	assert_null(launch_link_command(10));
	assert_true(launch_link_is_open());
	assert_int_equal(launch_socket_say(connection, "boot"), 0);
	assert_int_equal(launch_socket_say(connection, "run"), 0);
	assert_string_equal(launch_link_command(1000), "boot");
	assert_string_equal(launch_link_command(1000), "run");
	close(connection);
}

static int interruptions, spoken_to;

static void count_interruption(int signal)
{
	interruptions++;
}

static void *interrupt_and_speak(void *argument)
{
	const pthread_t *waiting = argument;

	for (int i = 0; i < 20; i++) {
		usleep(5000);
		pthread_kill(*waiting, SIGVTALRM);
	}
	usleep(5000);
	launch_socket_say(spoken_to, "run");
	return NULL;
}

/* A profiler's timer interrupts the JVM's main thread, which waits. */
CASE(signals_do_not_end_the_wait_for_a_command, open_listener, close_listener)
{
	struct sigaction action = {.sa_handler = count_interruption, .sa_flags = SA_RESTART}, before;
	pthread_t self = pthread_self(), other;
	const char *command;

	spoken_to = ring();
	interruptions = 0;
	assert_int_equal(sigaction(SIGVTALRM, &action, &before), 0);
	assert_int_equal(pthread_create(&other, NULL, interrupt_and_speak, &self), 0);
	command = launch_link_command(60000);
	pthread_join(other, NULL);
	assert_non_null(command);
	assert_string_equal(command, "run");
	assert_true(interruptions > 0);
	sigaction(SIGVTALRM, &before, NULL);
	close(spoken_to);
}

CASE(answer_comes_back, open_listener, close_listener)
{
	int connection = ring(), result = 0;
	struct diag d;

	launch_link_answer(106);
	assert_int_equal(launch_socket_command(connection, "start", 1000, &result, &d), 0);
	assert_int_equal(result, 106);
	assert_string_equal(launch_link_command(1000), "start");
	close(connection);
}

CASE(timeout_and_end_of_the_jvm_are_distinguished, open_listener, close_listener)
{
	int connection = ring(), result;
	struct diag d;

	assert_int_equal(launch_socket_command(connection, "stop", 20, &result, &d), -ETIMEDOUT);
	assert_contains(d.text, "no answer within");
	launch_link_close();
	assert_int_equal(launch_socket_command(connection, "stop", 1000, &result, &d), -ESRCH);
	close(connection);
}

CASE(waiting_for_an_answer_ends_with_ctrl_c, open_listener, close_listener)
{
	int connection = ring(), result;
	sigset_t ends;
	struct diag d;

	sigemptyset(&ends);
	sigaddset(&ends, SIGTERM);
	sigprocmask(SIG_BLOCK, &ends, NULL);
	raise(SIGTERM);
	alarm(20);
	assert_int_equal(launch_socket_command(connection, "init", -1, &result, &d), -EINTR);
	alarm(0);
	interrupt_forget();
	sigprocmask(SIG_UNBLOCK, &ends, NULL);
	close(connection);
}

CASE(agent_continues_when_the_collector_is_gone, open_listener, close_listener)
{
	int connection = ring();

	close(connection);
	assert_null(launch_link_command(1000));
	assert_false(launch_link_is_open());
	launch_link_answer(0);
	launch_socket_close(&listener, true);
	assert_false(launch_link_connect(listener.path, 15));
	assert_int_equal(access(listener.file.path, R_OK), 0); /* a JVM with this -agentpath can still load it */
	assert_false(launch_link_connect(
		"/a/path/that/is/longer/than/a/socket's/address/can/be/which/is/a/hundred/and/eight/bytes"
		"/with/its/end",
		15));
}

/* The collector is stopped, and more JVMs start than fit into the queue of its socket. */
CASE(agent_does_not_wait_in_a_full_queue_for_ever, open_listener, close_listener)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int others[4096], n = 0;

	strcpy(address.sun_path, listener.path);
	do {
		assert_true(n < 4096);
		others[n] = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0);
	} while (!connect(others[n++], (struct sockaddr *)&address, sizeof(address)));
	assert_int_equal(errno, EAGAIN);
	alarm(20);
	assert_false(launch_link_connect(listener.path, 1));
	alarm(0);
	while (n)
		close(others[--n]);
}

CASE(directory_with_a_space_in_its_name_is_not_used, open_listener, close_listener)
{
	struct launch_socket other;
	struct diag d;

	setenv("TMPDIR", "/tmp/with space", 1);
	assert_int_equal(launch_socket_open(&other, "libx.so", "image", 5, &d), 0);
	assert_null(strchr(other.path, ' '));
	launch_socket_close(&other, false);
	assert_true(access(other.file.path, F_OK) < 0);
}

/* Leave the directory of a frtrace that was killed `age` seconds ago. */
static void leave(const char *name, long age)
{
	char command[256];

	snprintf(command, sizeof(command),
		 "mkdir -m 711 %s/%s && touch %s/%s/libfrtrace-x.so %s/%s/socket && touch -d '-%ld seconds' %s/%s",
		 base, name, base, name, base, name, age, base, name);
	assert_int_equal(system(command), 0);
}

static bool is_there(const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", base, name);
	return !access(path, F_OK);
}

static void remove_left(const char *name)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -r %s/%s", base, name);
	assert_int_equal(system(command), 0);
}

CASE(leftovers_of_killed_processes_are_removed, open_listener, close_listener)
{
	struct launch_socket other;
	struct diag d;

	leave(".frtrace-000000000001", 100);
	leave(".frtrace-000000000002", 1);
	assert_int_equal(launch_socket_open(&other, "libx.so", "image", 5, &d), 0);
	assert_false(is_there(".frtrace-000000000001"));
	assert_true(is_there(".frtrace-000000000002")); /* it may be under construction */
	assert_true(is_there(listener.file.directory));
	launch_socket_close(&other, false);
	leave(".frtrace-000000000003", 100);
	assert_int_equal(futimens(listener.file.inside, (struct timespec[]){{1, 0}, {1, 0}}), 0);
	assert_int_equal(launch_socket_open(&other, "libx.so", "image", 5, &d), 0);
	assert_true(is_there(listener.file.directory)); /* old, but its owner is alive */
	assert_false(is_there(".frtrace-000000000003"));
	launch_socket_close(&other, false);
	remove_left(".frtrace-000000000002");
}
