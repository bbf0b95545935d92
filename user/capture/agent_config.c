// SPDX-License-Identifier: BSD-2-Clause
#include "user/capture/agent_config.h"
#include "user/jvm/event_plan.h"

#include <stdlib.h>
#include <string.h>

#define GROW_BELOW_NS  2000000
#define RING_CAP       (4u << 20)
#define RING_CAP_LEAST (64u << 10)
#define FRAMES_LEAST   4096u

/* Rings get 1 % of the container's memory; with stacks they get half of that, and frames the rest. */
static uint64_t ring_cap(uint32_t stacks, uint64_t budget)
{
	uint64_t cap = stacks ? budget / 2 : budget;

	if (cap > RING_CAP)
		cap = RING_CAP;
	return cap < RING_CAP_LEAST ? RING_CAP_LEAST : cap;
}

static uint32_t stack_frames(uint64_t budget, uint64_t rings)
{
	uint64_t limit = budget > rings ? (budget - rings) / sizeof(struct frt_frame) : 0;
	uint32_t frames = FRT_STACK_FRAMES;

	while (frames > FRAMES_LEAST && frames > limit)
		frames /= 2;
	return frames;
}

int agent_config_write(const struct agent_config *from, const struct segment *to, struct diag *d)
{
	struct frt_config *c = segment_config(to);
	uint64_t budget = from->memory_limit / 100;
	void *program = NULL;
	size_t size, plan_at, plan_size;
	int err = filter_list_compile(from->settings->filters, &program, &size, d);

	if (err)
		return err;
	plan_at = (size + 7) / 8 * 8;
	plan_size = from->plan ? from->plan->bytes.size : 0;
	if (plan_at + plan_size > FRT_CONFIG_SIZE - sizeof(*c)) {
		free(program);
		return diag_usage(d, "too many filters or events: %zu bytes, at most %zu", plan_at + plan_size,
				  FRT_CONFIG_SIZE - sizeof(*c));
	}
	c->threshold = clock_ticks_of_ns(from->clock, from->settings->threshold_ns);
	c->ring_cap = ring_cap(from->stacks, budget);
	c->grow_ticks = clock_ticks_of_ns(from->clock, GROW_BELOW_NS);
	c->stack_depth = from->stacks ? from->settings->stack_depth : 0;
	c->stacks = from->stacks;
	c->open_dump_depth = from->settings->no_stack ? 0 : from->settings->stack_depth;
	c->stack_frames = stack_frames(budget, c->ring_cap);
	c->layout = *from->layout;
	c->cell_cap = 4 * c->ring_cap;
	c->tick_scale = clock_ticks_of_ns(from->clock, 1ULL << 32);
	c->flags = (from->settings->thrown ? FRT_CONFIG_THROWN : 0) |
		   (from->settings->interval_ns || from->settings->metrics ? FRT_CONFIG_TIMED : 0) |
		   (from->limited ? FRT_CONFIG_LIMITED : 0) | (from->mounts ? FRT_CONFIG_MOUNTS : 0) |
		   (from->settings->fields == SETTINGS_FIELDS_ALL ? FRT_CONFIG_THROWN_CLASS : 0) |
		   (settings_has_roots(from->settings) ? FRT_CONFIG_INSIDE : 0);
	c->keep = from->settings->keep;
	c->pattern_size = size;
	memcpy(c + 1, program, size);
	c->plan_size = plan_size;
	if (plan_size)
		memcpy((char *)(c + 1) + plan_at, from->plan->bytes.data, plan_size);
	free(program);
	return 0;
}
