// SPDX-License-Identifier: BSD-2-Clause
#include "user/record/breakdown.h"
#include "user/capture/open_calls.h"
#include "user/capture/timing.h"
#include "user/record/wait_events.h"
#include "user/text/monotonic.h"

#include <errno.h>
#include <stdlib.h>

struct breakdown {
	struct breakdown_setup setup;
	struct wait_join *join;
	struct breakdown_sums *sums;
	struct wait_events events;
	bool stopped;
};

static size_t open_moments(void *context, uint32_t thread, int64_t moments[WAIT_JOIN_MOMENTS])
{
	struct breakdown *b = context;
	uint64_t starts[WAIT_JOIN_MOMENTS];
	size_t n = open_calls_of(b->setup.segment, thread, starts);

	for (size_t i = 0; i < n; i++) {
		clock_cover(b->setup.clock, starts[i]);
		moments[i] = clock_ns(b->setup.clock, starts[i]);
	}
	return n;
}

static void breakdown_put_wait(void *context, uint32_t thread, const struct wait *wait)
{
	struct breakdown *b = context;

	if (!b->stopped && !wait->shown)
		wait_events_put(&b->events, thread, wait);
}

int breakdown_new(struct breakdown **out, const struct breakdown_setup *setup, struct diag *d)
{
	struct breakdown *b = calloc(1, sizeof(*b));
	struct wait_join_setup join = {.open = open_moments, .dropped = breakdown_put_wait, .context = b};
	int err;

	*out = NULL;
	if (!b)
		return diag_errno(d, ENOMEM, "cannot make room for waits");
	b->setup = *setup;
	b->events = (struct wait_events){
		.writer = setup->writer, .threads = setup->threads, .ticks_offset = setup->ticks_offset};
	err = wait_join_new(&b->join, &join, d);
	if (!err)
		err = breakdown_sums_new(&b->sums, d);
	if (err)
		breakdown_free(b);
	else
		*out = b;
	return err;
}

void breakdown_free(struct breakdown *b)
{
	if (!b)
		return;
	wait_join_free(b->join);
	breakdown_sums_free(b->sums);
	free(b);
}

void breakdown_take_stacks(struct breakdown *b, uint64_t (*key)(void *context, uint32_t stack), void *context)
{
	b->events.stack_key = key;
	b->events.context = context;
}

void breakdown_stop(struct breakdown *b)
{
	b->stopped = true;
}

static void breakdown_fill(struct jfr_method_trace *e, const struct wait_join_split *s)
{
	e->cpu = s->blocked == WAIT_JOIN_MISSING ? JFR_MISSING : e->duration - s->blocked - s->run_queue;
	e->run_queue = s->run_queue;
	e->blocked = s->blocked;
	e->pause = s->pause;
	e->major_faults = s->major_faults;
	e->minor_faults = s->minor_faults;
	e->system_calls = s->syscalls;
	e->system_call_time = s->syscall_ns;
}

/* Virtual threads and their carriers have only pauses. */
static uint32_t thread_known(const struct breakdown *b, const struct frt_span *s)
{
	bool carries = s->flags & FRT_SPAN_VIRTUAL || thread_keys_is_carrier(b->setup.threads, s->thread);

	return carries ? FRT_NO_THREAD : s->thread;
}

void breakdown_split(struct breakdown *b, const struct frt_span *s, int64_t start, struct jfr_method_trace *e)
{
	uint32_t thread = thread_known(b, s);
	struct wait_join_split split;
	int64_t longest;

	wait_join_split(b->join, thread, start, start + e->duration, &split);
	if (b->setup.no_pauses)
		split.pause = WAIT_JOIN_MISSING;
	longest = wait_join_claim(b->join, thread, start, start + e->duration, breakdown_put_wait, b);
	breakdown_sums_add(b->sums, s->method, e->duration, &split);
	breakdown_sums_note_longest(b->sums, s->method, longest);
	breakdown_fill(e, &split);
}

void breakdown_claim_open(struct breakdown *b, uint32_t thread, int64_t start)
{
	wait_join_claim(b->join, thread, start, INT64_MAX, breakdown_put_wait, b);
}

struct ahead {
	struct breakdown *breakdown;
	uint64_t now;	 /* TSC */
	uint32_t thread; /* of the last call that will be recorded */
};

/* The calls of a thread come outermost first, so the first one that will be recorded has all waits of the others. */
static void show_ahead(void *context, const struct open_call *c)
{
	struct ahead *a = context;
	const struct breakdown_setup *s = &a->breakdown->setup;

	if (!c->thread || c->thread == a->thread || c->start > a->now ||
	    thread_keys_is_carrier(s->threads, c->thread) ||
	    !timing_will_record(s->segment, c->method, a->now - c->start))
		return;
	a->thread = c->thread;
	clock_cover(s->clock, c->start);
	wait_join_show_open(a->breakdown->join, c->thread, clock_ns(s->clock, c->start), breakdown_put_wait,
			    a->breakdown);
}

void breakdown_put_ahead(struct breakdown *b)
{
	struct ahead a = {.breakdown = b, .now = clock_last(b->setup.clock)->tsc};

	open_calls_each(b->setup.segment, NULL, show_ahead, &a);
}

static void on_wait(void *context, const struct frt_wait *wait, uint32_t stack, uint32_t kernel_stack)
{
	struct breakdown *b = context;
	struct frt_wait copy = *wait;

	/* a thread that waits for memory while a collector works beside the program */
	if (wait->reason == FRT_WAIT_FUTEX && thread_keys_is_collector(b->setup.threads, wait->waker, wait->waker_name))
		copy.reason = FRT_WAIT_GC;
	wait_join_wait(b->join, &copy, stack, kernel_stack);
}

static void on_pause(void *context, const struct frt_pause *p)
{
	struct breakdown *b = context;

	wait_join_pause(b->join, p);
	if (!b->stopped && (int64_t)p->begin >= b->setup.start)
		wait_events_put_pause(&b->events, p);
}

static void on_usage(void *context, const struct frt_thread_usage *u)
{
	struct breakdown *b = context;

	wait_join_usage(b->join, u);
}

static void on_unobserved(void *context, const struct frt_slot_owner *o)
{
	struct breakdown *b = context;

	wait_join_unobserved(b->join, o);
}

static void on_lost(void *context)
{
	struct breakdown *b = context;

	wait_join_lost(b->join, monotonic_ns());
}

struct kernel_sink breakdown_sink(struct breakdown *b)
{
	return (struct kernel_sink){.wait = on_wait,
				    .pause = on_pause,
				    .usage = on_usage,
				    .unobserved = on_unobserved,
				    .lost = on_lost,
				    .context = b};
}

struct breakdown_sums *breakdown_running_sums(const struct breakdown *b)
{
	return b->sums;
}
