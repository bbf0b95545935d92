// SPDX-License-Identifier: BSD-2-Clause
#include "user/verbs/control.h"
#include "user/verbs/cli.h"
#include "user/exit.h"
#include "user/live/control_socket.h"
#include "user/text/log.h"
#include "user/options/settings.h"
#include "user/process/find.h"
#include "user/verbs/verb_args.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST 64 /* recordings that one command speaks of */

static const char help[] =
	"Usage: frtrace start -p TARGET -m FILTER [options]   record in the background, until it is stopped\n"
	"       frtrace status [TARGET]                       the recordings in the background\n"
	"       frtrace dump [TARGET] -o FILE [--last=TIME]   a copy of what is there; recording goes on\n"
	"       frtrace stop [TARGET]                         end it, as Ctrl-C would\n"
	"TARGET is a pid, or a part of the main class or jar; without one it is the only recording.\n";

static int read_target(struct verb_args *w, int argc, char **argv, struct diag *d)
{
	int err = verb_args_read(w, argc, argv, d);

	if (!err && w->operands > 1)
		err = diag_usage(d, "one target at a time: 'frtrace %s TARGET'", w->verb);
	return err;
}

static int name_pid(const char *spec, pid_t *pid, struct diag *d)
{
	struct target t;
	int err;

	if (*spec && spec[strspn(spec, "0123456789")] == 0 && strlen(spec) < 10) {
		*pid = atoi(spec);
		return 0;
	}
	err = target_open(spec, &t, d);
	if (err)
		return err;
	*pid = t.pid;
	target_close(&t);
	return 0;
}

static int only_pid(pid_t *pid, struct diag *d)
{
	pid_t pids[MOST];
	size_t n = control_socket_list(pids, MOST);

	if (!n)
		return diag_set(d, ENOENT, "no recording in the background: 'frtrace start' makes one");
	if (n > 1)
		return diag_usage(d, "%zu recordings in the background: which one? 'frtrace status' shows them", n);
	*pid = pids[0];
	return 0;
}

static int control_find(const struct verb_args *w, pid_t *pid, struct diag *d)
{
	return w->operands ? name_pid(w->operand[0], pid, d) : only_pid(pid, d);
}

static int all_status(struct diag *d)
{
	pid_t pids[MOST];
	size_t n = control_socket_list(pids, MOST);
	int status = EXIT_DONE;

	if (!n)
		fputs("no recording in the background\n", stderr);
	for (size_t i = 0; i < n && i < MOST; i++) {
		if (control_socket_ask(pids[i], "status", STDOUT_FILENO, d) != -ETIMEDOUT)
			continue; /* else it has ended meanwhile */
		log_error("frtrace: %s", d->text);
		status = EXIT_FAILED;
	}
	return status;
}

int cmd_status(int argc, char **argv, struct diag *d)
{
	const struct verb_option none[] = {{NULL, NULL, NULL}};
	struct verb_args w = {.verb = "status", .help = help, .options = none};
	int err = read_target(&w, argc, argv, d);
	pid_t pid;

	if (err)
		return err == CLI_DONE ? EXIT_DONE : err;
	if (!w.operands)
		return all_status(d);
	err = control_find(&w, &pid, d);
	return err ? err : control_socket_ask(pid, "status", STDOUT_FILENO, d);
}

int cmd_stop(int argc, char **argv, struct diag *d)
{
	const struct verb_option none[] = {{NULL, NULL, NULL}};
	struct verb_args w = {.verb = "stop", .help = help, .options = none};
	int err = read_target(&w, argc, argv, d);
	pid_t pid;

	if (err)
		return err == CLI_DONE ? EXIT_DONE : err;
	err = control_find(&w, &pid, d);
	return err ? err : control_socket_ask(pid, "stop", STDERR_FILENO, d);
}

/* The recording has a directory of its own. */
static int dump_request(const char *file, uint64_t last_ns, char line[CONTROL_SOCKET_LINE], struct diag *d)
{
	char here[PATH_MAX] = "";
	int n;

	if (!file)
		return diag_usage(d, "no file: 'frtrace dump TARGET -o FILE'");
	if (strchr(file, '\n'))
		return diag_usage(d, "wrong --output: a name of one line");
	if (file[0] != '/' && !getcwd(here, sizeof(here)))
		return diag_errno(d, errno, "cannot tell the current directory");
	n = snprintf(line, CONTROL_SOCKET_LINE, "dump %llu %s%s%s", (unsigned long long)last_ns, here,
		     here[0] ? "/" : "", file);
	return n < CONTROL_SOCKET_LINE - 1 ? 0 : diag_usage(d, "wrong --output: it is too long");
}

int cmd_dump(int argc, char **argv, struct diag *d)
{
	const char *file = NULL, *last = NULL;
	const struct verb_option options[] = {
		{"--output", &file, NULL}, {"-o", &file, NULL}, {"--last", &last, NULL}, {NULL, NULL, NULL}};
	struct verb_args w = {.verb = "dump", .help = help, .options = options};
	int err = read_target(&w, argc, argv, d);
	char line[CONTROL_SOCKET_LINE];
	uint64_t last_ns = 0;
	pid_t pid;

	if (err)
		return err == CLI_DONE ? EXIT_DONE : err;
	if (last)
		err = settings_parse_time("--last", last, &last_ns, d);
	if (!err)
		err = dump_request(file, last_ns, line, d);
	if (!err)
		err = control_find(&w, &pid, d);
	return err ? err : control_socket_ask(pid, line, STDERR_FILENO, d);
}
