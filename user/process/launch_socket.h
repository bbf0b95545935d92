/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where the agent of a JVM that starts rings: the agent's file, and beside it a
 * SOCK_SEQPACKET socket. The JVM waits until it is let go, some seconds at most.
 *
 *	agent: connects			collector: "no" (it runs untraced), or
 *	the JVM has not made itself:	"prepare" -> result, the segment is there
 *					"flags" -> result, if there are any to be set; "boot"
 *	the JVM is up:			"init TAG" -> result, "run"; both close the connection
 *
 * A packet is text; its result, what a load of the agent would return, one of four bytes. From "init" on
 * commands go through the segment (user/capture/agent_commands.h).
 */
#ifndef USER_PROCESS_LAUNCH_SOCKET_H
#define USER_PROCESS_LAUNCH_SOCKET_H

#include "user/process/agent_file.h"

struct launch_socket {
	struct agent_file file;
	int fd; /* to poll on: readable, somebody rings */
	char path[108];
};

/* Remove what was left there by others that are gone; make both, in $TMPDIR or as agent_file.h says, for all users to read; only we can write there. `file_name` is to live as long as the door. */
int launch_socket_open(struct launch_socket *door, const char *file_name, const void *image, size_t size,
		       struct diag *d);

/* Remove them. With `keep` only stop listening: a JVM that is told to load a file that is gone does not start. */
void launch_socket_close(struct launch_socket *door, bool keep);

/* A connection, and whose it is; -EAGAIN: nobody rings. */
int launch_socket_accept(const struct launch_socket *door, pid_t *pid);

/* Say what has no answer. 0 or -errno, without a message. */
int launch_socket_say(int connection, const char *text);

/* Say what has one, and wait for that (timeout_ms, -1: as long as the JVM lives). */
int launch_socket_command(int connection, const char *text, int timeout_ms, int *result, struct diag *d);

#endif
