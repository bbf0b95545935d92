/* SPDX-License-Identifier: BSD-2-Clause */
/* The part of the segment that tells the agent what to do (struct frt_config): read by it at its start. */
#ifndef USER_CAPTURE_AGENT_CONFIG_H
#define USER_CAPTURE_AGENT_CONFIG_H

#include "user/capture/clock.h"
#include "user/capture/segment.h"
#include "user/options/settings.h"

struct agent_config {
	const struct settings *settings;
	const struct clock *clock;
	uint32_t stacks;		 /* FRT_STACKS_*; 0: calls have no stacks */
	const struct frt_layout *layout; /* for FRT_STACKS_WALK */
	uint64_t memory_limit;		 /* of the target, bytes: 1 % of it is ours */
};

/* 0 or -errno: the filters take too much. */
int agent_config_write(const struct agent_config *from, const struct segment *to, struct diag *d);

#endif
