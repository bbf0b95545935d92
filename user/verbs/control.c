// SPDX-License-Identifier: BSD-2-Clause
#include "user/verbs/verbs.h"
#include "user/exit.h"
#include "user/run/control_socket.h"
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

/* Recordings in the background that TARGET may mean. */
struct found {
	struct control_name name[MAX_RECORDINGS];
	size_t count;
};

static bool is_pid(const char *spec)
{
	return *spec && spec[strspn(spec, "0123456789")] == 0 && strlen(spec) < 10;
}

static bool control_is_meant(const struct control_name *name, const char *spec)
{
	struct sight s;

	if (!spec)
		return true;
	if (is_pid(spec))
		return name->target == atoi(spec) || name->recorder == atoi(spec);
	if (!*spec)
		return false;
	return !look_once(name->target, &s) && s.kind != TARGET_NO_JVM && sight_is_named(&s, spec);
}

static void find_meant(struct found *f, const char *spec)
{
	struct control_name names[MAX_RECORDINGS];
	size_t n = control_socket_list(names, MAX_RECORDINGS);

	f->count = 0;
	for (size_t i = 0; i < n && i < MAX_RECORDINGS; i++)
		if (control_is_meant(&names[i], spec))
			f->name[f->count++] = names[i];
}

static int report_none(const char *spec, struct diag *d)
{
	struct target t;
	int err;

	if (!spec)
		return diag_set(d, ENOENT, "no recording in the background: 'frtrace start' makes one%s",
				control_socket_hint());
	if (is_pid(spec))
		return diag_set(d, ENOENT, "%s is not being recorded in the background by this user%s", spec,
				control_socket_hint());
	err = target_open(spec, &t, d); /* says what is wrong with the name */
	if (err)
		return err;
	diag_set(d, ENOENT, "%d is not being recorded in the background by this user%s", (int)t.pid,
		 control_socket_hint());
	target_close(&t);
	return -ENOENT;
}

static int report_several(const struct found *f, const char *spec, const char *verb, struct diag *d)
{
	char all[512] = "";

	for (size_t i = 0; i < f->count; i++) {
		size_t used = strlen(all);

		snprintf(all + used, sizeof(all) - used, "%s%d (of %d)", i ? ", " : "", (int)f->name[i].recorder,
			 (int)f->name[i].target);
	}
	return diag_usage(d,
			  "%zu recordings in the background%s%s%s: which one? 'frtrace %s RECORDER' with one of %s; "
			  "'frtrace status' shows them",
			  f->count, spec ? " are of '" : "", spec ? spec : "", spec ? "'" : "", verb, all);
}

/* Find the recording of the target, or the one that the process `spec` makes; without either, the only recording. */
static int control_find(const struct verb_args *a, const char *verb, struct control_name *name, struct diag *d)
{
	const char *spec = a->operands ? a->operand[0] : NULL;
	struct found f;

	if (a->operands > 1)
		return diag_usage(d, "one target at a time: 'frtrace %s TARGET'", verb);
	find_meant(&f, spec);
	if (!f.count)
		return report_none(spec, d);
	if (f.count > 1)
		return report_several(&f, spec, verb, d);
	*name = f.name[0];
	return 0;
}

/* Append the status of a recording as a member of the array. */
static int array_status(const struct control_name *name, bool first, struct diag *d)
{
	int answer = memfd_create("answer", MFD_CLOEXEC), err;
	char text[8192];
	ssize_t n;

	if (answer < 0)
		return diag_errno(d, errno, "cannot keep the answer");
	err = control_socket_ask(name, "status json", answer, d);
	n = pread(answer, text, sizeof(text), 0);
	close(answer);
	if (err >= 0 && n > 0)
		printf("%s%.*s", first ? "" : ",", (int)n - 1, text); /* without the final newline */
	return err;
}

/* The status of all recordings that are meant. */
static int all_status(const struct found *f, bool json, struct diag *d)
{
	int status = EXIT_DONE, err;
	bool first = true;

	if (json)
		putchar('[');
	for (size_t i = 0; i < f->count; i++) {
		err = json ? array_status(&f->name[i], first, d)
			   : control_socket_ask(&f->name[i], "status", STDOUT_FILENO, d);
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
	const char *spec = a->operands ? a->operand[0] : NULL;
	struct found f;

	if (a->operands > 1)
		return diag_usage(d, "one target at a time: 'frtrace status TARGET'");
	find_meant(&f, spec);
	if (spec && !f.count)
		return report_none(spec, d);
	if (!f.count && !a->json)
		log_line("no recording in the background%s", control_socket_hint());
	if (!spec || f.count > 1)
		return all_status(&f, a->json, d);
	return control_socket_ask(&f.name[0], a->json ? "status json" : "status", STDOUT_FILENO, d);
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
	struct control_name name;
	int err = a->output ? file_request("stop", a->output, line, d) : 0;

	return err ?: control_find(a, "stop", &name, d) ?: control_socket_ask(&name, line, STDERR_FILENO, d);
}

int cmd_dump(const struct verb_args *a, struct diag *d)
{
	char line[CONTROL_SOCKET_LINE], verb[32];
	struct control_name name;

	if (!a->output)
		return diag_usage(d, "no file: 'frtrace dump TARGET -o FILE'");
	snprintf(verb, sizeof(verb), "dump %llu", (unsigned long long)a->last_ns);
	return file_request(verb, a->output, line, d) ?: control_find(a, "dump", &name, d)
		?: control_socket_ask(&name, line, STDERR_FILENO, d);
}
