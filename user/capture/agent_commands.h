/* SPDX-License-Identifier: BSD-2-Clause */
/* Commands to the agent's thread in the target, sent through the segment (struct frt_command). */
#ifndef USER_CAPTURE_AGENT_COMMANDS_H
#define USER_CAPTURE_AGENT_COMMANDS_H

#include "user/jvm/metaspace.h"
#include "user/segment/segment.h"

#define AGENT_TIMEOUT_MS 15000

/*
 * Send one command to the agent and wait for its result. The caller must hold the segment's lock. An agent that
 * reports progress (header.progress) gets four times `timeout_ms` for each step, and forty times in all. Meanwhile it may
 * ask for metaspace (struct frt_room); with `m` NULL, or without a limit, it gets none.
 *
 * Returns 0 or -errno with the message: -ETIMEDOUT when there is no answer, -ESRCH when the target has ended, -EINTR
 * on interrupted(), -EPROTO when the agent refuses.
 */
int agent_command(const struct segment *s, const struct target *t, struct metaspace *m, enum frt_command_kind kind,
		  int timeout_ms, struct diag *d);

/* Text of a result of the agent (enum frt_result), for messages, perhaps in `out`. Never NULL. */
#define AGENT_RESULT_TEXT 160
const char *agent_result_text(int result, char out[AGENT_RESULT_TEXT]);

#endif
