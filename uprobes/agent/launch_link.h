/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The agent's end of the launch socket. In a JVM that frtrace has started, the agent is present from the beginning
 * and receives its commands through this socket until the program runs. See user/process/launch_socket.h for the
 * protocol.
 */
#ifndef AGENT_LAUNCH_LINK_H
#define AGENT_LAUNCH_LINK_H

#include "uprobes/agent/sys.h"

/*
 * Connect to the collector's launch socket, a UNIX socket at `path`. Returns false if nobody listens, or if the
 * queue stays full for `seconds`.
 */
bool launch_link_connect(const char *path, unsigned int seconds);

/* True while there is a connection. */
bool launch_link_is_open(void);

/*
 * The next command, 0-terminated, valid until the next call. NULL: none arrived within `ms`. If the collector is
 * gone, the connection is closed.
 */
const char *launch_link_command(unsigned int ms);

void launch_link_answer(int result);
void launch_link_close(void);

#endif
