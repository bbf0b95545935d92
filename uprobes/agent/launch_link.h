/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A JVM that frtrace has started: the agent is in it from the beginning, and
 * takes what it is to do before the program runs from a socket (user/process/launch_socket.h
 * has the conversation).
 */
#ifndef AGENT_LAUNCH_LINK_H
#define AGENT_LAUNCH_LINK_H

#include "uprobes/agent/sys.h"

/* Ring at the collector's door, a UNIX socket's path. False: nobody is there, or others have stood there for so long. */
bool launch_link_connect(const char *path, unsigned int seconds);

/* Is there a connection? */
bool launch_link_is_open(void);

/* The next command, 0-terminated, ours until the next call; NULL: none came within `ms`. One that has gone closes the connection. */
const char *launch_link_command(unsigned int ms);

void launch_link_answer(int result);
void launch_link_close(void);

#endif
