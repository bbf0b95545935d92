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
	struct wait_join *samples; /* NULL: none are taken */
	struct breakdown_sums *sums;
	struct wait_events events;
	struct resources *resources;
	struct paths *paths;			 /* NULL: none are wanted */
	const struct stream_vthread *claimed_by; /* the virtual thread whose call is being split; NULL: none */
	breakdown_seen *seen;			 /* NULL: nobody watches */
	void *watcher;
	bool stopped;
};

static size_t open_moments(void *context, uint32_t thread, int64_t moments[WAIT_JOIN_MOMENTS])
{
	struct breakdown *b = context;
	uint64_t starts[WAIT_JOIN_MOMENTS];
	size_t n = thread & FRT_VIRTUAL_KEY ? open_calls_of_virtual(b->setup.segment, thread, starts)
					    : open_calls_of(b->setup.segment, thread, starts);

	for (size_t i = 0; i < n; i++) {
		clock_cover(b->setup.clock, starts[i]);
		moments[i] = clock_ns(b->setup.clock, starts[i]);
	}
	return n;
}

static void breakdown_put_wait(void *context, uint32_t thread, const struct wait *wait)
{
	struct breakdown *b = context;
	struct stream_vthread unnamed = {.java_id = thread & ~FRT_VIRTUAL_KEY};
	const struct stream_vthread *v = NULL;
	struct resource_names names;
	char waker[WAKER_NAME];

	if (b->stopped || wait->shown)
		return;
	if (thread & FRT_VIRTUAL_KEY)
		v = b->claimed_by ?: &unnamed;
	wait_events_put(&b->events, thread, v, wait);
	if (!b->seen || wait->wake <= wait->off)
		return;
	wait_events_name_waker(&b->events, wait, waker);
	names = resources_names(b->resources, wait->resource);
	b->seen(b->watcher, thread, wait, waker, &names);
}

/* A sample is kept as a wait of no time, until a call that is recorded claims it. */
static void breakdown_put_sample(void *context, uint32_t thread, const struct wait *sample)
{
	struct breakdown *b = context;
	struct stream_vthread unnamed = {.java_id = thread & ~FRT_VIRTUAL_KEY};
	const struct stream_vthread *v = thread & FRT_VIRTUAL_KEY ? b->claimed_by ?: &unnamed : NULL;

	if (!b->stopped && !sample->shown)
		wait_events_put_sample(&b->events, thread, v, sample);
}

/* Before the limit of a thread's samples is reached, put_ahead() has written those of calls that last. */
static void samples_dropped(void *context, uint32_t thread, const struct wait *sample)
{
}

static int make_paths(struct breakdown *b, struct diag *d)
{
	struct paths_setup setup = {.writer = b->setup.writer,
				    .threads = b->setup.threads,
				    .methods = b->setup.methods,
				    .frames = b->setup.frames,
				    .join = b->join,
				    .resources = b->resources,
				    .segment = b->setup.segment,
				    .roots = b->setup.path_roots,
				    .named_ends = b->setup.path_named_ends,
				    .clock = b->setup.clock,
				    .ticks_offset = b->setup.ticks_offset};

	b->paths = paths_new(&setup);
	return b->paths ? 0 : diag_errno(d, ENOMEM, "cannot make room for paths");
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
	b->events = (struct wait_events){.writer = setup->writer,
					 .threads = setup->threads,
					 .frames = setup->frames,
					 .ticks_offset = setup->ticks_offset};
	b->events.resources = b->resources = resources_new("/etc/services", &setup->peers);
	err = b->resources ? wait_join_new(&b->join, &join, d) : diag_errno(d, ENOMEM, "cannot make room for waits");
	join.dropped = samples_dropped;
	if (!err && setup->samples)
		err = wait_join_new(&b->samples, &join, d);
	if (!err)
		err = breakdown_sums_new(&b->sums, d);
	if (!err && setup->methods)
		err = make_paths(b, d);
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
	wait_join_free(b->samples);
	breakdown_sums_free(b->sums);
	resources_free(b->resources);
	paths_free(b->paths);
	free(b);
}

void breakdown_watch(struct breakdown *b, breakdown_seen *seen, void *context)
{
	b->seen = seen;
	b->watcher = context;
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

/*
 * Carriers have only pauses, and so have virtual threads that were not followed: the waits of a carrier belong to
 * whichever thread it carries.
 */
static uint32_t thread_known(const struct breakdown *b, const struct frt_span *s, const struct stream_vthread *v)
{
	if (!(s->flags & FRT_SPAN_VIRTUAL))
		return thread_keys_is_carrier(b->setup.threads, s->thread) ? FRT_NO_THREAD : s->thread;
	return s->flags & FRT_SPAN_FOLLOWED && v && v->java_id ? frt_virtual_key(v->java_id) : FRT_NO_THREAD;
}

/* A root that is over after its own call (--until). */
static bool has_tail(const struct frt_span *s, const struct jfr_method_trace *e)
{
	return s->flags & FRT_SPAN_ROOT && e->request != JFR_MISSING && e->request > e->duration;
}

void breakdown_split(struct breakdown *b, const struct frt_span *s, const struct stream_vthread *v, int64_t start,
		     struct jfr_method_trace *e)
{
	uint32_t thread = thread_known(b, s, v);
	struct wait_join_split split;
	int64_t longest;

	wait_join_split(b->join, thread, start, start + e->duration, &split);
	if (b->setup.no_pauses)
		split.pause = WAIT_JOIN_MISSING;
	if (s->flags & FRT_SPAN_NATIVE) /* system calls and faults are counted while a hooked call is open */
		split.major_faults = split.minor_faults = split.syscalls = split.syscall_ns = WAIT_JOIN_MISSING;
	b->claimed_by = v;
	longest = wait_join_claim(b->join, thread, start, start + e->duration, breakdown_put_wait, b);
	if (b->samples)
		wait_join_claim(b->samples, thread, start, start + e->duration, breakdown_put_sample, b);
	b->claimed_by = NULL;
	breakdown_sums_add(b->sums, s->method, e->duration, &split);
	breakdown_sums_note_longest(b->sums, s->method, longest);
	breakdown_fill(e, &split);
	if (b->paths)
		paths_add(b->paths,
			  &(struct path_call){.vthread = v,
					      .thread = s->thread,
					      .key = split.blocked == WAIT_JOIN_MISSING ? FRT_NO_THREAD : thread,
					      .method = s->method,
					      .root = s->flags & FRT_SPAN_ROOT,
					      .start = start,
					      .end = start + e->duration,
					      .tasks_end = has_tail(s, e) ? start + e->request : 0});
}

struct paths *breakdown_paths(const struct breakdown *b)
{
	return b->paths;
}

int64_t breakdown_runs_from(struct breakdown *b, uint32_t thread)
{
	int64_t quiet, sampled;

	if (b->setup.no_pauses || thread_keys_is_carrier(b->setup.threads, thread))
		return INT64_MAX;
	quiet = wait_join_quiet_from(b->join, thread);
	sampled = b->samples ? wait_join_quiet_from(b->samples, thread) : quiet;
	return sampled > quiet ? sampled : quiet;
}

void breakdown_ran(struct breakdown *b, const struct frt_span *s, const struct jfr_trace_call *calls, size_t n)
{
	breakdown_sums_add_ran(b->sums, s, calls, n);
}

void breakdown_claim_open(struct breakdown *b, const struct open_call *c, int64_t start)
{
	bool is_virtual = c->vthread.java_id;

	b->claimed_by = is_virtual ? &c->vthread : NULL;
	wait_join_claim(b->join, is_virtual ? frt_virtual_key(c->vthread.java_id) : c->thread, start, INT64_MAX,
			breakdown_put_wait, b);
	if (b->samples)
		wait_join_claim(b->samples, is_virtual ? frt_virtual_key(c->vthread.java_id) : c->thread, start,
				INT64_MAX, breakdown_put_sample, b);
	b->claimed_by = NULL;
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
	if (a->breakdown->samples)
		wait_join_show_open(a->breakdown->samples, c->thread, clock_ns(s->clock, c->start),
				    breakdown_put_sample, a->breakdown);
}

void breakdown_put_ahead(struct breakdown *b)
{
	struct ahead a = {.breakdown = b, .now = clock_last(b->setup.clock)->tsc};

	open_calls_each(b->setup.segment, NULL, show_ahead, &a);
}

void breakdown_look_on(struct breakdown *b)
{
	resources_look_on(b->resources);
}

static void on_wait(void *context, const struct frt_wait *wait, const struct wait_stack_ids *stacks)
{
	struct breakdown *b = context;
	struct frt_wait copy = *wait;

	thread_keys_see_waker(b->setup.threads, wait->waker, wait->waker_origin, wait->waker_name, (int64_t)wait->wake);
	/* a thread that waits for memory while a collector works beside the program */
	if (wait->reason == FRT_WAIT_FUTEX &&
	    thread_keys_is_collector(b->setup.threads, wait->waker, wait->waker_origin, wait->waker_name))
		copy.reason = FRT_WAIT_GC;
	else if (stacks->jvm)
		copy.reason = stacks->jvm;
	wait_join_wait(b->join, &copy, stacks);
}

static void on_sample(void *context, const struct frt_waker *s, uint32_t stack)
{
	struct breakdown *b = context;
	const struct frt_wait at = {.thread = s->thread, .off = s->at, .wake = s->at, .on = s->at + 1};

	if (b->samples)
		wait_join_wait(b->samples, &at, &(struct wait_stack_ids){.java = stack});
}

/* The thread that made a virtual thread ready, as a waker. */
static void name_waker(const struct breakdown *b, uint32_t waker, struct frt_wait *w, struct wait_stack_ids *ids)
{
	if (waker & FRT_VIRTUAL_KEY)
		ids->waker_virtual = waker & ~FRT_VIRTUAL_KEY;
	else if (waker)
		thread_keys_find_waker(b->setup.threads, waker, &w->waker, &w->waker_origin);
	ids->waker_exact = true;
}

static int64_t breakdown_ns(struct breakdown *b, uint64_t tsc)
{
	clock_cover(b->setup.clock, tsc);
	return clock_ns(b->setup.clock, tsc);
}

/*
 * First the thread is parked, then it waits for a carrier. Without the moment between the two, all of it has an
 * unknown reason.
 */
static void on_resumed(void *context, const struct frt_resumed *r)
{
	struct breakdown *b = context;
	struct frt_wait w = {.thread = r->mount.key, .syscall = FRT_NO_SYSCALL, .reason = FRT_WAIT_OTHER};
	struct wait_stack_ids ids = {.java = b->setup.walked ? r->mount.stack : 0, .agents = true};
	uint64_t off = breakdown_ns(b, r->mount.off), ready = r->on;

	if (r->mount.ready) {
		ready = breakdown_ns(b, r->mount.ready);
		w.reason = r->mount.reason;
		w.resource = r->resource;
		name_waker(b, r->mount.waker, &w, &ids);
		ids.woken = ready;
	}
	w.off = off;
	w.wake = w.on = ready < r->on ? ready : r->on;
	if (w.on > off)
		wait_join_wait(b->join, &w, &ids);
	if (w.on == r->on)
		return;
	w = (struct frt_wait){.thread = r->mount.key,
			      .off = ready,
			      .wake = r->on,
			      .on = r->on,
			      .syscall = FRT_NO_SYSCALL,
			      .reason = FRT_WAIT_CARRIER};
	wait_join_wait(b->join, &w, &(struct wait_stack_ids){0});
}

static void on_resource(void *context, const struct frt_resource *r)
{
	struct breakdown *b = context;

	resources_add(b->resources, r);
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

static void on_owner(void *context, const struct frt_slot_owner *o)
{
	struct breakdown *b = context;

	if (o->slot != FRT_NO_SLOT)
		thread_keys_note_owner(b->setup.threads, o->thread, o->started);
	if (b->paths && o->tid)
		paths_note_thread(b->paths, o);
}

static void on_unobserved(void *context, const struct frt_slot_owner *o)
{
	struct breakdown *b = context;
	bool carries = o && thread_keys_is_carrier(b->setup.threads, o->thread);

	/* any virtual thread may come to that carrier */
	wait_join_unobserved(b->join, carries && o->flags & FRT_OWNER_NO_WAITS ? NULL : o);
}

static void on_lost(void *context)
{
	struct breakdown *b = context;

	wait_join_lost(b->join, monotonic_ns());
}

struct kernel_sink breakdown_sink(struct breakdown *b)
{
	return (struct kernel_sink){.wait = on_wait,
				    .sample = on_sample,
				    .resumed = on_resumed,
				    .resource = on_resource,
				    .pause = on_pause,
				    .usage = on_usage,
				    .owner = on_owner,
				    .unobserved = on_unobserved,
				    .lost = on_lost,
				    .context = b};
}

struct breakdown_sums *breakdown_running_sums(const struct breakdown *b)
{
	return b->sums;
}
