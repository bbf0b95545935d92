// SPDX-License-Identifier: BSD-2-Clause
#include "user/capture/agent_build.h"

#include <stdint.h>
#include <stdio.h>

void agent_build_name(struct agent_build *b)
{
	uint64_t h = 0xcbf29ce484222325ULL;

	for (const char *c = agent_image; c < agent_image_end; c++)
		h = (h ^ (unsigned char)*c) * 0x100000001b3ULL;
	snprintf(b->tag, sizeof(b->tag), "%08x", (unsigned int)(h ^ h >> 32));
	snprintf(b->file_name, sizeof(b->file_name), "libfrtrace-%s.so", b->tag);
}
