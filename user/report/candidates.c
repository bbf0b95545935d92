// SPDX-License-Identifier: BSD-2-Clause
#include "user/report/candidates.h"

#include <errno.h>
#include <stdlib.h>

int candidates_init(struct candidates *c, uint32_t methods)
{
	c->methods = methods;
	c->slice = calloc((size_t)methods * CANDIDATE_SLICES + 1, sizeof(*c->slice));
	return c->slice ? 0 : -ENOMEM;
}

void candidates_release(struct candidates *c)
{
	free(c->slice);
	*c = (struct candidates){0};
}

void candidates_offer(struct candidates *c, uint32_t method, unsigned int slice, const struct outermost_call *call)
{
	struct outermost_call *kept = c->slice[method * CANDIDATE_SLICES + slice].call;
	int i = CANDIDATE_EACH - 1;

	if (call->duration <= kept[i].duration)
		return;
	for (; i > 0 && kept[i - 1].duration < call->duration; i--)
		kept[i] = kept[i - 1];
	kept[i] = *call;
}

size_t candidates_take(const struct candidates *c, struct outermost_call *out, size_t wanted)
{
	size_t count = 0;

	for (int order = 0; order < CANDIDATE_EACH; order++)
		for (size_t i = 0; i < (size_t)c->methods * CANDIDATE_SLICES && count < wanted; i++)
			if (c->slice[i].call[order].duration > 0)
				out[count++] = c->slice[i].call[order];
	return count;
}
