/* SPDX-License-Identifier: BSD-2-Clause */
/* Commands to the agent's thread in the target, through the segment (struct frt_command). */
#ifndef USER_CAPTURE_AGENT_COMMANDS_H
#define USER_CAPTURE_AGENT_COMMANDS_H

#include "user/capture/segment.h"

#define AGENT_TIMEOUT_MS 15000

/*
 * Have the agent carry out one command, and wait for its result. The segment must be locked by us. A command that
 * makes progress (header.progress) gets more time than `timeout_ms`: four times that for each step, forty times in all.
 * 0, or -errno: -ETIMEDOUT no answer, -ESRCH the target has ended, -EINTR interrupted(), -EPROTO the agent refuses; the message says why.
 */
int agent_command(const struct segment *s, const struct target *t, enum frt_command_kind kind, int timeout_ms,
		  struct diag *d);

/* What a result (enum frt_result) of the agent means, for a message. */
const char *agent_result_text(int result);

#endif
