// SPDX-License-Identifier: BSD-2-Clause
#include "user/verbs/control.h"
#include "user/exit.h"
#include "user/live/control_socket.h"
#include "user/text/log.h"
#include "user/process/find.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define MAX_RECORDINGS 64 /* maximum recordings that one command handles */

/* The number of JVMs of this name that are being recorded; *pid is the first one. */
static unsigned int recorded_of_name(const char *part, pid_t *pid)
{
	pid_t pids[MAX_RECORDINGS];
	size_t n = control_socket_list(pids, MAX_RECORDINGS);
	unsigned int found = 0;
	struct target t;

	for (size_t i = 0; i < n && i < MAX_RECORDINGS; i++)
		if (target_look(pids[i], &t) != TARGET_NO_JVM && target_is_named(&t, part) && !found++)
			*pid = pids[i];
	return found;
}

/* Other JVMs may have the name, too: it stands for the one that is being recorded. */
static int name_pid(const char *spec, pid_t *pid, struct diag *d)
{
	unsigned int recorded;
	struct target t;
	int err;

	if (*spec && spec[strspn(spec, "0123456789")] == 0 && strlen(spec) < 10) {
		*pid = atoi(spec);
		return 0;
	}
	recorded = *spec ? recorded_of_name(spec, pid) : 0;
	if (recorded == 1)
		return 0;
	if (recorded)
		return diag_usage(d,
				  "%u recordings in the background are of '%s': which one? 'frtrace status' shows them",
				  recorded, spec);
	err = target_open(spec, &t, d);
	if (err)
		return err;
	*pid = t.pid;
	target_close(&t);
	return 0;
}

static int only_pid(pid_t *pid, struct diag *d)
{
	pid_t pids[MAX_RECORDINGS];
	size_t n = control_socket_list(pids, MAX_RECORDINGS);

	if (!n)
		return diag_set(d, ENOENT, "no recording in the background: 'frtrace start' makes one%s",
				control_socket_hint());
	if (n > 1)
		return diag_usage(d, "%zu recordings in the background: which one? 'frtrace status' shows them", n);
	*pid = pids[0];
	return 0;
}

/* Find the recording of the target; without a target, the only recording. */
static int control_find(const struct verb_args *a, const char *verb, pid_t *pid, struct diag *d)
{
	if (a->operands > 1)
		return diag_usage(d, "one target at a time: 'frtrace %s TARGET'", verb);
	return a->operands ? name_pid(a->operand[0], pid, d) : only_pid(pid, d);
}

/* Append the status of a recording as a member of the array. */
static int array_status(pid_t pid, bool first, struct diag *d)
{
	int answer = memfd_create("answer", MFD_CLOEXEC), err;
	char text[8192];
	ssize_t n;

	if (answer < 0)
		return diag_errno(d, errno, "cannot keep the answer");
	err = control_socket_ask(pid, "status json", answer, d);
	n = pread(answer, text, sizeof(text), 0);
	close(answer);
	if (err >= 0 && n > 0)
		printf("%s%.*s", first ? "" : ",", (int)n - 1, text); /* without the final newline */
	return err;
}

static int all_status(bool json, struct diag *d)
{
	pid_t pids[MAX_RECORDINGS];
	size_t n = control_socket_list(pids, MAX_RECORDINGS);
	int status = EXIT_DONE, err;
	bool first = true;

	if (!n && !json)
		log_line("no recording in the background%s", control_socket_hint());
	if (json)
		putchar('[');
	for (size_t i = 0; i < n && i < MAX_RECORDINGS; i++) {
		err = json ? array_status(pids[i], first, d) : control_socket_ask(pids[i], "status", STDOUT_FILENO, d);
		first &= err < 0;
		if (err != -ETIMEDOUT)
			continue; /* any other error: it has ended meanwhile */
		log_error("frtrace: %s", d->text);
		status = EXIT_FAILED;
	}
	if (json)
		puts("]");
	return status;
}

int cmd_status(const struct verb_args *a, struct diag *d)
{
	pid_t pid;
	int err;

	if (!a->operands)
		return all_status(a->json, d);
	err = control_find(a, "status", &pid, d);
	return err ? err : control_socket_ask(pid, a->json ? "status json" : "status", STDOUT_FILENO, d);
}

/* "VERB FILE". The recording's process has another working directory, so it gets an absolute path. */
static int file_request(const char *verb, const char *file, char line[CONTROL_SOCKET_LINE], struct diag *d)
{
	char here[PATH_MAX] = "";
	int n;

	if (strchr(file, '\n'))
		return diag_usage(d, "wrong --output: a name of one line");
	if (file[0] != '/' && !getcwd(here, sizeof(here)))
		return diag_errno(d, errno, "cannot tell the current directory");
	n = snprintf(line, CONTROL_SOCKET_LINE, "%s %s%s%s", verb, here, here[0] ? "/" : "", file);
	return n < CONTROL_SOCKET_LINE - 1 ? 0 : diag_usage(d, "wrong --output: it is too long");
}

int cmd_stop(const struct verb_args *a, struct diag *d)
{
	char line[CONTROL_SOCKET_LINE] = "stop";
	pid_t pid;
	int err = a->output ? file_request("stop", a->output, line, d) : 0;

	if (!err)
		err = control_find(a, "stop", &pid, d);
	return err ? err : control_socket_ask(pid, line, STDERR_FILENO, d);
}

int cmd_dump(const struct verb_args *a, struct diag *d)
{
	char line[CONTROL_SOCKET_LINE], verb[32];
	pid_t pid;
	int err;

	if (!a->output)
		return diag_usage(d, "no file: 'frtrace dump TARGET -o FILE'");
	snprintf(verb, sizeof(verb), "dump %llu", (unsigned long long)a->last_ns);
	err = file_request(verb, a->output, line, d);
	if (!err)
		err = control_find(a, "dump", &pid, d);
	return err ? err : control_socket_ask(pid, line, STDERR_FILENO, d);
}
