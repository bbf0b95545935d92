// SPDX-License-Identifier: BSD-2-Clause
#include "user/record/path_calls.h"
#include "user/capture/open_calls.h"

void path_calls_add(struct path_calls *p, const struct path_recent_call *call)
{
	uint32_t *last = &p->last[call->thread % PATH_CHAINS];
	uint32_t n = ++p->count ?: ++p->count;

	p->call[n % PATH_CALLS] = *call;
	p->call[n % PATH_CALLS].before = *last;
	*last = n;
}

static void path_calls_note_open(void *context, const struct open_call *c)
{
	struct path_calls *p = context;

	if (p->open_count == PATH_OPEN_CALLS)
		return;
	p->open[p->open_count++] = (struct path_recent_call){
		.start = clock_ns(p->clock, c->start),
		.end = INT64_MAX,
		.thread = c->vthread.java_id ? frt_virtual_key(c->vthread.java_id) : c->thread,
		.method = c->method,
	};
}

void path_calls_read_open(struct path_calls *p)
{
	p->open_count = 0;
	if (p->segment)
		open_calls_each(p->segment, NULL, path_calls_note_open, p);
}

/* Room for call n has not been taken by a later one. */
static bool path_calls_has(const struct path_calls *p, uint32_t n)
{
	return n && p->count - n < PATH_CALLS;
}

static void path_place_add(struct path_place *at, const struct path_recent_call *c, int64_t end)
{
	int64_t moment = c->end < end ? c->end : c->start;

	if (moment >= end || moment < at->since)
		return;
	at->since = moment;
	at->method = c->end < end ? 0 : c->method;
}

/* The innermost of the calls around `end` is the one that began last. It was not the innermost before others in it ended. */
struct path_place path_calls_at_end(const struct path_calls *p, uint32_t thread, int64_t begin, int64_t end)
{
	struct path_place around = {.since = INT64_MIN}, ended = {.since = begin};
	unsigned int looked = 0;

	for (uint32_t n = p->last[thread % PATH_CHAINS]; path_calls_has(p, n); n = p->call[n % PATH_CALLS].before) {
		const struct path_recent_call *c = &p->call[n % PATH_CALLS];

		if (c->thread == thread && c->end <= begin)
			break;
		if (++looked > PATH_LOOKED_AT)
			return (struct path_place){.since = begin};
		if (c->thread == thread)
			path_place_add(c->end < end ? &ended : &around, c, end);
	}
	for (size_t i = 0; i < p->open_count; i++)
		if (p->open[i].thread == thread)
			path_place_add(&around, &p->open[i], end);
	around.since = around.since > ended.since ? around.since : ended.since;
	return around;
}

/* Calls come in the order of their ends: behind the first one that ended before, none is around the moment. */
bool path_calls_around(const struct path_calls *p, uint32_t thread, int64_t moment, int64_t *start, int64_t *end)
{
	const struct path_recent_call *found = NULL;

	for (uint32_t n = p->last[thread % PATH_CHAINS]; path_calls_has(p, n); n = p->call[n % PATH_CALLS].before) {
		const struct path_recent_call *c = &p->call[n % PATH_CALLS];

		if (c->thread != thread || c->start >= moment)
			continue;
		if (c->end >= moment && (!found || c->start < found->start))
			found = c;
		if (c->end >= moment)
			continue;
		found = found ?: c;
		break;
	}
	for (size_t i = 0; i < p->open_count; i++)
		if (p->open[i].thread == thread && p->open[i].start < moment &&
		    (!found || found->end < moment || p->open[i].start < found->start))
			found = &p->open[i];
	if (!found)
		return false;
	*start = found->start;
	*end = found->end;
	return true;
}

uint32_t path_calls_in(const struct path_calls *p, uint32_t thread, int64_t begin, int64_t end)
{
	int64_t middle = begin + (end - begin) / 2, from, to;
	const struct path_recent_call *best = NULL;

	for (uint32_t n = p->last[thread % PATH_CHAINS]; path_calls_has(p, n); n = p->call[n % PATH_CALLS].before) {
		const struct path_recent_call *c = &p->call[n % PATH_CALLS];

		if (c->thread != thread)
			continue;
		if (c->end < middle)
			break;
		from = c->start > begin ? c->start : begin;
		to = c->end < end ? c->end : end;
		if (to - from > (end - begin) / 2 && (!best || c->end - c->start < best->end - best->start))
			best = c;
	}
	for (size_t i = p->open_count; !best && i-- > 0;)
		if (p->open[i].thread == thread && p->open[i].start <= middle)
			best = &p->open[i];
	return best ? best->method : 0;
}
