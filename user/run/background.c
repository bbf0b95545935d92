// SPDX-License-Identifier: BSD-2-Clause
#include "user/run/background.h"
#include "user/exit.h"
#include "user/run/control_socket.h"
#include "user/run/printout.h"
#include "user/text/io.h"
#include "user/text/log.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct background {
	int ready; /* a byte here says to the caller that tracing is on; -1: sent */
	int listener;
	int stopper; /* connection of the `stop` that waits for the end; -1: none */
	pid_t target;
	const struct recording *recording;
};

/* In the caller: wait for the byte, or for the child's exit status. */
static int wait_until_ready(pid_t pid, int ready)
{
	char byte;
	int status;

	if (read(ready, &byte, 1) == 1)
		return EXIT_DONE;
	if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return EXIT_FAILED;
	return WEXITSTATUS(status);
}

bool background_begin(struct background **out, int *status, struct diag *d)
{
	struct background *b = calloc(1, sizeof(*b));
	pid_t caller = getpid(), pid;
	int ends[2];

	*status = -ENOMEM;
	if (!b || pipe2(ends, O_CLOEXEC) || (pid = fork()) < 0) {
		diag_errno(d, b ? errno : ENOMEM, "cannot go into the background");
		free(b);
		return false;
	}
	if (pid) {
		close(ends[1]);
		*status = wait_until_ready(pid, ends[0]);
		free(b);
		return false;
	}
	close(ends[0]);
	setsid();
	/* Ctrl-C ends the caller. Until tracing is on, this process must end with it. */
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != caller)
		_exit(EXIT_FAILED);
	*b = (struct background){.ready = ends[1], .listener = -1, .stopper = -1};
	*out = b;
	return true;
}

int background_listen(struct background *b, const struct target *t, struct diag *d)
{
	b->target = t->pid;
	b->listener = control_socket_listen(t->pid, d);
	return b->listener < 0 ? b->listener : 0;
}

static void point_output_at(int fd)
{
	dup2(fd, STDOUT_FILENO);
	dup2(fd, STDERR_FILENO);
}

void background_detach(struct background *b, const struct recording *r)
{
	int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);

	prctl(PR_SET_PDEATHSIG, 0);
	b->recording = r;
	/* beside other recordings, only its own process names it */
	log_line("in the background: frtrace status | dump | stop %d",
		 segment_is_shared(r->segment) ? (int)getpid() : (int)b->target);
	if (nowhere >= 0) {
		dup2(nowhere, STDIN_FILENO);
		point_output_at(nowhere);
		close(nowhere);
	}
	(void)!write(b->ready, "", 1);
	close(b->ready);
	b->ready = -1;
}

int background_fd(const struct background *b)
{
	return b->listener;
}

static int send_status(const struct background *b, bool json, int connection)
{
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);
	struct run_facts facts;

	if (!to)
		return EXIT_FAILED;
	run_facts_read(&facts, b->recording);
	(json ? printout_status_json : printout_status)(b->recording, &facts, to);
	if (!fclose(to))
		dprintf(connection, "%s", text);
	free(text);
	return output_was_removed(b->recording->output) ? EXIT_FAILED : EXIT_DONE;
}

int background_dump(const struct background *b, const char *path, uint64_t last_ns, uint64_t *size, struct diag *d)
{
	const struct recording *r = b->recording;
	struct intake *in = session_intake(r->session);
	int err;

	intake_catch_up(in);
	err = session_take_open_dump(r->session, d);
	recorder_read_stacks(r->recorder, false);
	intake_take_waits(in);
	recorder_put_open_calls(r->recorder, err ? "no stack: the JVM did not answer" : NULL);
	err = recorder_cut(r->recorder, d);
	return err ? err : output_save(r->output, path, last_ns, size, d);
}

/* Handle "dump LAST-NS PATH"; `words` begins with LAST-NS. */
static int serve_dump(const struct background *b, char *words, int connection)
{
	struct diag d = {0};
	uint64_t size, last = strtoull(words, &words, 10);
	int err;

	if (*words != ' ' || !words[1]) {
		dprintf(connection, "frtrace: no file to dump to\n");
		return EXIT_FAILED;
	}
	err = background_dump(b, words + 1, last, &size, &d);
	if (err)
		dprintf(connection, "frtrace: %s\n", d.text);
	else
		dprintf(connection, "%s in %s\n", log_bytes(size), words + 1);
	return err ? EXIT_FAILED : EXIT_DONE;
}

/* Handle "stop" and "stop PATH". False: the recording goes on, because the file cannot be written. */
static bool background_stop(struct background *b, const char *path, int connection)
{
	struct diag d = {0};

	if (*path && output_name(b->recording->output, path, &d)) {
		dprintf(connection, "frtrace: %s\n", d.text);
		control_socket_answer(connection, EXIT_FAILED);
		return false;
	}
	b->stopper = connection;
	point_output_at(connection); /* the report at the end goes to the client */
	return true;
}

bool background_serve(struct background *b)
{
	char line[CONTROL_SOCKET_LINE];
	int connection = control_socket_accept(b->listener, line);

	if (connection < 0)
		return false;
	if (strcmp(line, "stop") == 0 || strncmp(line, "stop ", 5) == 0)
		return background_stop(b, line + strlen("stop") + !!line[strlen("stop")], connection);
	if (strcmp(line, "status") == 0 || strcmp(line, "status json") == 0)
		control_socket_answer(connection, send_status(b, line[strlen("status")], connection));
	else if (strncmp(line, "dump ", 5) == 0)
		control_socket_answer(connection, serve_dump(b, line + 5, connection));
	else
		control_socket_answer(connection, EXIT_USAGE);
	return false;
}

void background_end(struct background *b, int status)
{
	if (!b)
		return;
	if (b->listener >= 0) {
		control_socket_remove(b->target);
		close(b->listener);
	}
	if (b->stopper >= 0)
		control_socket_answer(b->stopper, status < 0 ? EXIT_FAILED : status);
	io_close(b->ready);
	free(b);
}
