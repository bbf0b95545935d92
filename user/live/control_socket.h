/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The socket through which a recording in the background is spoken to: one line
 * of text is the request; the answer is text, then a zero byte and a digit, the exit
 * status. Only root and who runs the recording are heard (SO_PEERCRED).
 */
#ifndef USER_LIVE_CONTROL_SOCKET_H
#define USER_LIVE_CONTROL_SOCKET_H

#include "format/diag.h"

#include <stddef.h>
#include <sys/types.h>

#define CONTROL_SOCKET_LINE 4200 /* longest request: a path and some words */

/* The socket of the recording of this process, PID.sock in a directory of this user's alone. Returns a descriptor. */
int control_socket_listen(pid_t pid, struct diag *d);
void control_socket_remove(pid_t pid);

/* Who is waiting, with the request in `line`; -1: nobody who may. */
int control_socket_accept(int listener, char line[CONTROL_SOCKET_LINE]);

/* Say the status, and close. What was written to the connection before is the text. */
void control_socket_answer(int connection, int status);

/*
 * Ask the recording of that process; the text is copied to the descriptor `out`. The status, or -errno: -ENOENT: there is no
 * recording. -ETIMEDOUT: it has been silent for 5 s; for requests other than "status" it must have used no CPU time meanwhile.
 */
int control_socket_ask(pid_t pid, const char *line, int out, struct diag *d);

/* The processes that this user records in the background: how many, the first `room` in `pids`. */
size_t control_socket_list(pid_t *pids, size_t capacity);

#endif
