// SPDX-License-Identifier: BSD-2-Clause
#include "user/record/breakdown_sums.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define OCTAVE_LOG2 4 /* 16 buckets per power of two: 6 % error */
#define BUCKETS	    ((64u - OCTAVE_LOG2 + 1) << OCTAVE_LOG2)

struct bucket {
	struct breakdown_sum sums;
	uint64_t least;
	uint64_t blocked_on[FRT_WAIT_REASONS];
};

struct breakdown_sums {
	struct bucket bucket[BUCKETS]; /* by duration */
	struct breakdown_sum method[FRT_MAX_METHODS];
	uint64_t worst[FRT_MAX_METHODS]; /* since the last query */
	uint64_t blocked_on[FRT_MAX_METHODS][FRT_WAIT_REASONS];
};

int breakdown_sums_new(struct breakdown_sums **out, struct diag *d)
{
	*out = calloc(1, sizeof(**out));
	for (unsigned int i = 0; *out && i < BUCKETS; i++)
		(*out)->bucket[i].least = UINT64_MAX;
	return *out ? 0 : diag_errno(d, ENOMEM, "cannot make room for sums");
}

void breakdown_sums_free(struct breakdown_sums *s)
{
	free(s);
}

static unsigned int breakdown_sums_bucket_of(uint64_t ns)
{
	unsigned int top;

	if (ns < 1u << OCTAVE_LOG2)
		return ns;
	top = 63 ^ __builtin_clzll(ns);
	return ((top - OCTAVE_LOG2 + 1) << OCTAVE_LOG2) + (ns >> (top - OCTAVE_LOG2)) - (1u << OCTAVE_LOG2);
}

static void add_call(struct breakdown_sum *to, int64_t duration, const struct wait_join_split *split)
{
	to->calls++;
	to->duration += duration;
	to->run_queue += split->run_queue;
	to->blocked += split->blocked;
}

/* A call is as slow as it would have been without what frtrace did to it. */
static void add_to_bucket(struct breakdown_sums *s, int64_t duration, struct wait_join_split split)
{
	int64_t own = split.blocked_on[FRT_WAIT_TRACER], left = duration - own;
	struct bucket *b = &s->bucket[breakdown_sums_bucket_of(left < 0 ? 0 : left)];

	split.blocked -= own;
	split.blocked_on[FRT_WAIT_TRACER] = 0;
	if ((uint64_t)left < b->least)
		b->least = left;
	add_call(&b->sums, left, &split);
	for (unsigned int i = 0; i < FRT_WAIT_REASONS; i++)
		b->blocked_on[i] += split.blocked_on[i];
}

void breakdown_sums_add(struct breakdown_sums *s, uint32_t method, int64_t duration,
			const struct wait_join_split *split)
{
	if (split->blocked == WAIT_JOIN_MISSING)
		return;
	method %= FRT_MAX_METHODS;
	add_to_bucket(s, duration, *split);
	add_call(&s->method[method], duration, split);
	for (unsigned int i = 0; split->blocked && i < FRT_WAIT_REASONS; i++)
		s->blocked_on[method][i] += split->blocked_on[i];
}

static void add_ran(struct breakdown_sum *to, uint64_t calls, int64_t duration)
{
	to->calls += calls;
	to->duration += duration;
}

void breakdown_sums_add_ran(struct breakdown_sums *s, const struct frt_span *spans, const struct jfr_trace_call *calls,
			    size_t n)
{
	int64_t sum = 0;
	size_t since = 0; /* the first of the calls of one method */

	for (size_t i = 0; i < n; i++) {
		int64_t duration = calls[i].duration;
		struct bucket *b = &s->bucket[breakdown_sums_bucket_of(duration)];

		if ((uint64_t)duration < b->least)
			b->least = duration;
		add_ran(&b->sums, 1, duration);
		sum += duration;
		if (i + 1 < n && spans[i + 1].method == spans[i].method)
			continue;
		add_ran(&s->method[spans[i].method % FRT_MAX_METHODS], i + 1 - since, sum);
		since = i + 1;
		sum = 0;
	}
}

void breakdown_sums_note_longest(struct breakdown_sums *s, uint32_t method, int64_t ns)
{
	uint64_t *late = &s->worst[method % FRT_MAX_METHODS], *ever = &s->method[method % FRT_MAX_METHODS].worst;

	if (ns > 0 && (uint64_t)ns > *late)
		*late = ns;
	if (*late > *ever)
		*ever = *late;
}

const struct breakdown_sum *breakdown_sums_of(const struct breakdown_sums *s, uint32_t method)
{
	return &s->method[method % FRT_MAX_METHODS];
}

const uint64_t *breakdown_sums_blocked_on(const struct breakdown_sums *s, uint32_t method)
{
	return s->blocked_on[method % FRT_MAX_METHODS];
}

uint64_t breakdown_sums_take_worst(struct breakdown_sums *s, uint32_t method)
{
	uint64_t *late = &s->worst[method % FRT_MAX_METHODS], worst = *late;

	*late = 0;
	return worst;
}

static void add_bucket(struct breakdown_slowest *to, const struct bucket *b)
{
	to->calls += b->sums.calls;
	to->least = b->least;
	to->sums.duration += b->sums.duration;
	to->sums.run_queue += b->sums.run_queue;
	to->sums.blocked += b->sums.blocked;
	for (unsigned int i = 0; i < FRT_WAIT_REASONS; i++)
		to->blocked_on[i] += b->blocked_on[i];
}

bool breakdown_sums_slowest(const struct breakdown_sums *s, struct breakdown_slowest *out)
{
	uint64_t wanted;

	memset(out, 0, sizeof(*out));
	for (unsigned int i = 0; i < BUCKETS; i++)
		out->of += s->bucket[i].sums.calls;
	wanted = out->of / 100 ?: 1;
	for (unsigned int i = BUCKETS; i-- > 0 && out->calls < wanted;)
		if (s->bucket[i].sums.calls)
			add_bucket(out, &s->bucket[i]);
	out->sums.calls = out->calls;
	return out->of;
}
