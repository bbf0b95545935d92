// SPDX-License-Identifier: BSD-2-Clause
#include "user/record/breakdown.h"
#include "user/capture/open_calls.h"
#include "user/record/wait_events.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

struct where {
	struct where_setup setup;
	struct join *join;
	struct splits *splits;
	struct wait_events events;
	bool stopped;
};

static size_t open_moments(void *context, uint32_t thread, int64_t moments[JOIN_MOMENTS])
{
	struct where *w = context;
	uint64_t starts[JOIN_MOMENTS];
	size_t n = open_calls_of(w->setup.segment, thread, starts);

	for (size_t i = 0; i < n; i++) {
		clock_cover(w->setup.clock, starts[i]);
		moments[i] = clock_ns(w->setup.clock, starts[i]);
	}
	return n;
}

static void put_wait(void *context, uint32_t thread, const struct wait *wait)
{
	struct where *w = context;

	if (!w->stopped)
		wait_events_put(&w->events, thread, wait);
}

struct where *where_new(const struct where_setup *setup, struct diag *d)
{
	struct where *w = calloc(1, sizeof(*w));
	struct join_setup join = { .open = open_moments, .folded = put_wait, .context = w };

	if (!w) {
		diag_errno(d, ENOMEM, "cannot make room for waits");
		return NULL;
	}
	w->setup = *setup;
	w->events = (struct wait_events){ .writer = setup->writer,
					  .threads = setup->threads,
					  .ticks_offset = setup->ticks_offset };
	w->join = join_new(&join, d);
	w->splits = w->join ? splits_new(d) : NULL;
	if (w->splits)
		return w;
	where_free(w);
	return NULL;
}

void where_free(struct where *w)
{
	if (!w)
		return;
	join_free(w->join);
	splits_free(w->splits);
	free(w);
}

void where_take_stacks(struct where *w, uint64_t (*key)(void *context, uint32_t stack), void *context)
{
	w->events.stack_key = key;
	w->events.context = context;
}

void where_stop(struct where *w)
{
	w->stopped = true;
}

struct claim {
	struct where *where;
	uint32_t method;
};

static void on_claimed(void *context, uint32_t thread, const struct wait *wait)
{
	const struct claim *c = context;

	put_wait(c->where, thread, wait);
	splits_wait(c->where->splits, c->method, wait->on - wait->off);
}

static void fill(struct jfr_method_trace *e, const struct join_split *s)
{
	e->cpu = s->blocked == JOIN_MISSING ? JFR_MISSING : e->duration - s->blocked - s->run_queue;
	e->run_queue = s->run_queue;
	e->blocked = s->blocked;
	e->pause = s->pause;
	e->major_faults = s->major_faults;
	e->minor_faults = s->minor_faults;
	e->system_calls = s->calls;
	e->system_call_time = s->call_time;
}

/* Of a virtual thread, and of one that carries such, nothing but pauses is known. */
static uint32_t thread_known(const struct where *w, const struct frt_span *s)
{
	bool carries = s->flags & FRT_SPAN_VIRTUAL || thread_keys_is_carrier(w->setup.threads, s->thread);

	return carries ? FRT_NO_THREAD : s->thread;
}

void where_split(struct where *w, const struct frt_span *s, int64_t start, struct jfr_method_trace *e)
{
	struct claim claim = { .where = w, .method = s->method };
	uint32_t thread = thread_known(w, s);
	struct join_split split;

	join_split(w->join, thread, start, start + e->duration, &split);
	if (w->setup.no_pauses)
		split.pause = JOIN_MISSING;
	join_claim(w->join, thread, start, start + e->duration, on_claimed, &claim);
	splits_add(w->splits, s->method, e->duration, &split);
	fill(e, &split);
}

void where_claim_open(struct where *w, uint32_t thread, int64_t start)
{
	join_claim(w->join, thread, start, INT64_MAX, put_wait, w);
}

static void on_wait(void *context, const struct frt_wait *wait, uint32_t stack, uint32_t kernel_stack)
{
	struct where *w = context;

	join_wait(w->join, wait, stack, kernel_stack);
}

static void on_pause(void *context, const struct frt_pause *p)
{
	struct where *w = context;

	join_pause(w->join, p);
	if (!w->stopped)
		wait_events_put_pause(&w->events, p);
}

static void on_usage(void *context, const struct frt_usage *u)
{
	struct where *w = context;

	join_usage(w->join, u);
}

static void on_unseen(void *context, const struct frt_slot_owner *o)
{
	struct where *w = context;

	join_unseen(w->join, o);
}

static void on_lost(void *context)
{
	struct where *w = context;
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	join_lost(w->join, now.tv_sec * 1000000000LL + now.tv_nsec);
}

struct wait_sink where_sink(struct where *w)
{
	return (struct wait_sink){ .wait = on_wait,
				   .pause = on_pause,
				   .usage = on_usage,
				   .unseen = on_unseen,
				   .lost = on_lost,
				   .context = w };
}

struct splits *where_splits(const struct where *w)
{
	return w->splits;
}
