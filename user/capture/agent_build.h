/* SPDX-License-Identifier: BSD-2-Clause */
/* The agent that is inside of frtrace, and what it is called in a target. */
#ifndef USER_CAPTURE_AGENT_BUILD_H
#define USER_CAPTURE_AGENT_BUILD_H

#include <stddef.h>

extern const char agent_image[], agent_image_end[];

static inline size_t agent_image_size(void)
{
	return agent_image_end - agent_image;
}

/* A file, a class and a segment of another build are not ours. */
struct agent_build {
	char tag[16], file_name[48];
};
void agent_build_name(struct agent_build *b);

#endif
