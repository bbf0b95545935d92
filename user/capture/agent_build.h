/* SPDX-License-Identifier: BSD-2-Clause */
/* The agent image that is embedded in frtrace, and the names derived from its build. */
#ifndef USER_CAPTURE_AGENT_BUILD_H
#define USER_CAPTURE_AGENT_BUILD_H

#include <stddef.h>

extern const char agent_image[], agent_image_end[];

static inline size_t agent_image_size(void)
{
	return agent_image_end - agent_image;
}

/*
 * Tag and file name of this build. The tag keeps builds apart: files, classes and segments of another build are never
 * used.
 */
struct agent_build {
	char tag[16], file_name[48];
};
void agent_build_name(struct agent_build *b);

#endif
