/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Control socket of a background recording. A request is one line of text. The answer is text, then a zero byte and a
 * digit, the exit status. Only root and the user who runs the recording may connect (SO_PEERCRED).
 */
#ifndef USER_RUN_CONTROL_SOCKET_H
#define USER_RUN_CONTROL_SOCKET_H

#include "format/diag.h"

#include <stddef.h>
#include <sys/types.h>

#define CONTROL_SOCKET_LINE 4200 /* longest request: a path and some words */

/* A recording in the background: the process that it records, and its own. */
struct control_name {
	pid_t target, recorder;
};

/*
 * Open TARGET.RECORDER.sock, the socket for this process's recording of `target`, in a directory only this user can
 * access. Returns a descriptor, or -errno with the message.
 */
int control_socket_listen(pid_t target, struct diag *d);
void control_socket_remove(pid_t target);

/* Accept a connection and read its request into `line`. -1: none, not permitted, or no request in time. */
int control_socket_accept(int listener, char line[CONTROL_SOCKET_LINE]);

/* Send the status and close. The text of the answer is what was written to the connection before. */
void control_socket_answer(int connection, int status);

/*
 * Send a request to a recording and copy the text of the answer to `out`. Returns the status, or -errno with
 * the message. -ENOENT: no recording. -ETIMEDOUT: no answer for 5 s; unless the request is "status", only if the
 * recording also used no CPU time in these 5 s.
 */
int control_socket_ask(const struct control_name *to, const char *line, int out, struct diag *d);

/* What to add to a message about a recording that was not found: "", or, without root, a word about sudo. */
const char *control_socket_hint(void);

/* This user's recordings in the background. Returns their number and stores the first `capacity` of them. */
size_t control_socket_list(struct control_name *names, size_t capacity);

#endif
