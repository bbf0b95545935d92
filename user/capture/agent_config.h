/* SPDX-License-Identifier: BSD-2-Clause */
/* The agent's configuration (struct frt_config), the part of the segment that the agent reads when it starts. */
#ifndef USER_CAPTURE_AGENT_CONFIG_H
#define USER_CAPTURE_AGENT_CONFIG_H

#include "user/capture/clock.h"
#include "user/segment/segment.h"
#include "user/options/settings.h"

struct event_plan;

struct agent_config {
	const struct event_plan *plan; /* NULL: there are no events */
	const struct settings *settings;
	const struct clock *clock;
	uint32_t stacks;		 /* FRT_STACKS_*; 0: no stacks */
	const struct frt_layout *layout; /* for FRT_STACKS_WALK */
	bool mounts;			 /* follow virtual threads from carrier to carrier */
	bool limited;			 /* the JVM has a limit for its metaspace: struct frt_room */
	uint64_t memory_limit;		 /* of the target, bytes; frtrace takes up to 1 % of it */
};

/* Write the configuration to the segment. Returns 0, or -errno with the message when the filters do not fit. */
int agent_config_write(const struct agent_config *from, const struct segment *to, struct diag *d);

#endif
