/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fake_jvm mute|deaf LIBJVM [WATCHED...]: a process that looks like a JVM and does not answer. It maps LIBJVM, has a
 * thread name of a started JVM and survives SIGQUIT. "mute" listens at /tmp/.java_pidN and never answers, "deaf" has
 * no socket. Prints "ready", and "opened" each time somebody opens a WATCHED file. Arguments after "--" are ignored.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static void survive(int signal)
{
}

static int listen_there(void)
{
	struct sockaddr_un a = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	snprintf(a.sun_path, sizeof(a.sun_path), "/tmp/.java_pid%d", (int)getpid());
	unlink(a.sun_path);
	return bind(fd, (struct sockaddr *)&a, sizeof(a)) || listen(fd, 8);
}

int main(int argc, char **argv)
{
	int fd = argc > 2 ? open(argv[2], O_RDONLY) : -1, watch = inotify_init1(0);
	char events[4096];

	if (fd < 0 || mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0) == MAP_FAILED)
		return 1;
	for (int i = 3; i < argc && strcmp(argv[i], "--"); i++)
		if (inotify_add_watch(watch, argv[i], IN_OPEN) < 0)
			return 2;
	prctl(PR_SET_NAME, "Service Thread");
	signal(SIGQUIT, survive);
	if (!strcmp(argv[1], "mute") && listen_there())
		return 3;
	printf("ready\n");
	fflush(stdout);
	for (;;) {
		if (read(watch, events, sizeof(events)) <= 0)
			continue;
		printf("opened\n");
		fflush(stdout);
	}
}
