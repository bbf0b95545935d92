/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The launch socket: the agent's file, and beside it a SOCK_SEQPACKET socket to which the agent of a starting JVM
 * connects. The JVM waits until it may continue, for some seconds at most.
 *
 *	agent: connects			collector: "no" (the JVM runs untraced), or
 *	before VMInit:			"prepare" -> result, the segment exists
 *					"flags" -> result, if flags have to be set; "boot"
 *	after VMInit:			"init TAG" -> result, "run"; both close the connection
 *
 * A packet is text. Its result has four bytes and is what loading the agent would return. From "init" on, commands
 * go through the segment (user/capture/agent_commands.h).
 */
#ifndef USER_PROCESS_LAUNCH_SOCKET_H
#define USER_PROCESS_LAUNCH_SOCKET_H

#include "user/process/agent_file.h"

struct launch_socket {
	struct agent_file file;
	int fd; /* for poll(): readable when an agent connects */
	char path[108];
};

/*
 * Remove directories of dead processes, then create both in $TMPDIR or as described in agent_file.h. All users can
 * read them, only this one can write. `file_name` must live as long as the socket.
 */
int launch_socket_open(struct launch_socket *listener, const char *file_name, const void *image, size_t size,
		       struct diag *d);

/* Remove both. With `keep` only stop listening: a JVM fails to start if its -agentpath file is missing. */
void launch_socket_close(struct launch_socket *listener, bool keep);

/* Accept a connection, with the peer's pid. Returns -EAGAIN if there is none. */
int launch_socket_accept(const struct launch_socket *listener, pid_t *pid);

/* Send a command without answer. Returns 0 or -errno, without a message. */
int launch_socket_say(int connection, const char *text);

/* Send a command and wait for its answer (timeout_ms, -1: as long as the JVM lives). */
int launch_socket_command(int connection, const char *text, int timeout_ms, int *result, struct diag *d);

#endif
