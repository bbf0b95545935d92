// SPDX-License-Identifier: BSD-2-Clause
#include "user/run/program.h"
#include "user/capture/agent_build.h"
#include "user/jvm/archive.h"
#include "user/text/log.h"
#include "user/process/launch_socket.h"
#include "user/process/launch.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

struct program {
	const struct settings *settings;
	struct agent_build build;
	struct launch_socket listener;
	struct launch launch;
	int signals;
	bool running, taken; /* taken: a JVM is or was traced */
	bool refused;	     /* one that was wanted was not */
	char others[1024];   /* names of JVMs that are not that of -p, each once, separated by ", " */
};

int program_open(struct program **out, const struct settings *settings, struct diag *d)
{
	struct launch_setup setup = {
		.argv = settings->program, .user = settings->user, .by_environment = settings->target};
	struct diag why;
	int err = archive_check_program(settings->program, &why);
	struct program *p;
	char option[1024];

	if (err)
		return diag_set(d, -err, "cannot trace '%s': %s", settings->program[0], why.text);
	p = calloc(1, sizeof(*p));
	if (!p)
		return diag_errno(d, ENOMEM, "cannot begin");
	*p = (struct program){.settings = settings, .listener.fd = -1, .signals = -1};
	p->listener.file.base = p->listener.file.inside = -1;
	p->launch = (struct launch){.pid = -1, .pidfd = -1, .go = -1, .why = -1, .status = -1};
	agent_build_name(&p->build);
	err = launch_socket_open(&p->listener, p->build.file_name, agent_image, agent_image_size(), d);
	snprintf(option, sizeof(option), "-agentpath:%s=%s,%s", p->listener.file.path, p->build.tag, p->listener.path);
	setup.java_option = option;
	if (!err)
		err = launch_fork(&p->launch, &setup, d);
	if (err)
		program_close(p);
	else
		*out = p;
	return err;
}

void program_close(struct program *p)
{
	bool keep;

	if (!p)
		return;
	keep = p->running && launch_is_inherited(p->listener.file.directory);
	if (keep)
		log_line("left in place: %s, for processes of the program that go on, and may start JVMs",
			 p->listener.file.path);
	launch_socket_close(&p->listener, keep);
	launch_release(&p->launch);
	free(p);
}

bool program_has_refused(const struct program *p)
{
	return p->refused;
}

const char *program_others(const struct program *p)
{
	return p->others;
}

pid_t program_pid(const struct program *p)
{
	return p->launch.pid;
}

int program_run(struct program *p, int signals, struct diag *d)
{
	p->signals = signals;
	p->running = true;
	return launch_go(&p->launch, p->settings->program[0], d);
}

void program_poll(const struct program *p, struct pollfd fds[PROGRAM_FDS])
{
	fds[0] = (struct pollfd){p->launch.pidfd, POLLIN, 0};
	fds[1] = (struct pollfd){p->signals, POLLIN, 0};
	fds[2] = (struct pollfd){p->listener.fd, POLLIN, 0};
}

/* Pass signals on to the program. It already has those of the terminal, which go to the whole process group. */
static void pass_signals(struct program *p)
{
	struct signalfd_siginfo s;

	while (read(p->signals, &s, sizeof(s)) == sizeof(s))
		if (s.ssi_code != SI_KERNEL)
			launch_signal(&p->launch, s.ssi_signo);
}

/* Note a JVM that is not the one of -p. Returns false for a name that was noted before. */
static bool program_note_other(struct program *p, const char *name)
{
	size_t length = strlen(name), used = strlen(p->others);

	for (const char *at = p->others; (at = strstr(at, name)); at++)
		if ((at == p->others || at[-1] == ' ') && (!at[length] || at[length] == ','))
			return false;
	snprintf(p->others + used, sizeof(p->others) - used, "%s%s", used ? ", " : "", name);
	return true;
}

/* True if this JVM is to be traced. Otherwise it runs on untraced. */
static bool program_is_wanted(struct program *p, const struct target *t)
{
	const char *part = p->settings->target;
	struct diag why;

	if (!target_runs_something(t)) {
		log_detail("not traced: %d %s, which has no main class", (int)t->pid, t->name);
		return false;
	}
	if (part && !target_is_named(t, part)) {
		if (program_note_other(p, t->name))
			log_line("not traced: %d %s: its main class or jar has no '%s'", (int)t->pid, t->name, part);
		return false;
	}
	if (archive_check(t, &why)) {
		log_line("not traced: %d %s: %s", (int)t->pid, t->name, why.text);
		p->refused = true;
		return false;
	}
	if (p->taken)
		log_line("not traced: %d %s (one JVM of a program is; -p chooses it by its main class or jar)",
			 (int)t->pid, t->name);
	return !p->taken;
}

/*
 * Accept a JVM at the launch socket. Returns its connection, with *t open, if it is to be traced. Other JVMs are let
 * go. -1: no JVM to trace.
 */
static int program_answer(struct program *p, struct target *t)
{
	struct diag d = {0};
	char number[16];
	pid_t pid;
	int connection = launch_socket_accept(&p->listener, &pid);

	if (connection < 0)
		return -1;
	snprintf(number, sizeof(number), "%d", (int)pid);
	if (target_open(number, t, &d)) {
		log_line("not traced: %s", d.text);
	} else if (program_is_wanted(p, t)) {
		p->taken = true;
		return connection;
	}
	target_close(t);
	launch_socket_say(connection, "no");
	close(connection);
	return -1;
}

bool program_update(struct program *p)
{
	struct target other = {.pidfd = -1};

	pass_signals(p);
	if (p->taken)
		program_answer(p, &other);
	return launch_ended(&p->launch);
}

int program_wait_jvm(struct program *p, struct target *t, int *connection)
{
	struct pollfd fds[PROGRAM_FDS];

	while (!program_update(p)) {
		*connection = program_answer(p, t);
		if (*connection >= 0)
			return 1;
		program_poll(p, fds);
		poll(fds, PROGRAM_FDS, -1);
	}
	return 0;
}

int program_finish(struct program *p)
{
	struct pollfd fds[PROGRAM_FDS];

	p->taken = true;
	while (!program_update(p)) {
		program_poll(p, fds);
		poll(fds, PROGRAM_FDS, -1);
	}
	return p->launch.status;
}
