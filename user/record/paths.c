// SPDX-License-Identifier: BSD-2-Clause
#include "user/record/paths.h"
#include "user/record/path_calls.h"
#include "user/record/wait_events.h"

#include <stdio.h>
#include <stdlib.h>

#define CALLS	 1024u /* between two ticks */
#define SEGMENTS 1024u /* of a path */
#define THREADS	 FRT_MAX_THREADS
#define TASKS	 1024u /* the last ones */

#define STAMPS_DIFFER 1000 /* ns: of two stamps of one moment, as clocks are converted */

/* Stands for a thread without a history. */
#define UNSEEN UINT64_MAX

struct recent_task {
	struct path_task task;
	struct stream_vthread vthread;
};

/* The last ones. */
struct recent {
	struct recent_task task[TASKS];
	size_t count; /* in all; the last one is task[(count - 1) % TASKS] */
};

struct pending {
	struct path_call call;
	struct stream_vthread vthread;
	struct recent_task last; /* what ended the root, if that was after the call, and is known */
	bool has_last;
};

/* A thread as a waker, and the key of its waits; `earlier`: of those before `observed`, 0: none. */
struct followed {
	uint32_t tid, origin, key, earlier;
	int64_t since; /* the thread has been there from then on */
	int64_t observed;
};

struct paths {
	struct paths_setup setup;
	struct pending pending[CALLS];
	size_t count, due; /* due: the first ones, which have been there at the last tick */
	uint64_t left_out;
	struct followed followed[THREADS];    /* by tid; of two threads, the younger one has a history */
	struct followed observed[2][THREADS]; /* the same by key: serials, and keys of threads without a slot */
	struct path_calls calls;
	struct recent tasks;
	struct recent enders;	      /* calls that end a root, if the setup says that they do */
	const struct path_call *call; /* whose path is being computed */
	const struct path_task *last; /* and what ended it, behind it; NULL: there is none, or it is not known */
	struct path_segment segment[SEGMENTS];
};

struct paths *paths_new(const struct paths_setup *setup)
{
	struct paths *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->setup = *setup;
	p->calls.segment = setup->segment;
	p->calls.clock = setup->clock;
	return p;
}

void paths_free(struct paths *p)
{
	free(p);
}

static struct followed *path_observed_at(struct paths *p, uint32_t key)
{
	return &p->observed[!!(key & FRT_NATIVE_KEY)][key % THREADS];
}

void paths_note_thread(struct paths *p, const struct frt_slot_owner *o)
{
	struct followed *at = &p->followed[o->tid % THREADS];
	bool known = at->tid == o->tid && at->origin == o->started;
	struct followed now = {.tid = o->tid,
			       .origin = o->started,
			       .key = o->thread,
			       .earlier = known && at->key != o->thread ? at->key : 0,
			       .since = known && at->since < (int64_t)o->at ? at->since : (int64_t)o->at,
			       .observed = o->slot == FRT_NO_SLOT && !o->fresh ? INT64_MAX : (int64_t)o->at};
	uint32_t key = o->thread;

	*at = now;
	*path_observed_at(p, key) = *at;
}

static void recent_task_set(struct recent_task *at, const struct path_task *task)
{
	at->task = *task;
	if (!task->vthread)
		return;
	at->vthread = *task->vthread;
	at->task.vthread = &at->vthread;
}

static void recent_add(struct recent *r, const struct path_task *task)
{
	recent_task_set(&r->task[r->count++ % TASKS], task);
}

void paths_add_task(struct paths *p, const struct path_task *task)
{
	recent_add(&p->tasks, task);
}

/* A root has ended at that moment, with which one, as far as its stamps tell? NULL: it is not known. */
static const struct path_task *paths_ender(const struct paths *p, int64_t end)
{
	const struct recent *r = p->setup.named_ends ? &p->enders : &p->tasks;
	const struct path_task *best = NULL;

	for (size_t i = 0; i < TASKS && i < r->count; i++) {
		const struct path_task *t = &r->task[i].task;

		if (llabs(t->end - end) <= STAMPS_DIFFER && (!best || llabs(t->end - end) < llabs(best->end - end)))
			best = t;
	}
	return best;
}

/* `last`: NULL: it is not known. Its record comes before that of the root, and there may be many others before the path is computed. */
static void pending_note_last(struct pending *at, const struct path_task *last)
{
	at->has_last = last;
	if (last)
		recent_task_set(&at->last, last);
}

static void pending_move(struct pending *to, const struct pending *from)
{
	*to = *from;
	if (from->has_last)
		recent_task_set(&to->last, &from->last.task);
}

static void paths_add_ender(struct paths *p, const struct path_call *call)
{
	if (p->setup.named_ends && call->key != FRT_NO_THREAD &&
	    *segment_rule(p->setup.segment, call->method) & FRT_RULE_UNTIL)
		recent_add(&p->enders, &(struct path_task){call->vthread, call->thread, 0, call->start, call->end});
}

void paths_add(struct paths *p, const struct path_call *call)
{
	struct pending *at;

	if (call->key != FRT_NO_THREAD)
		path_calls_add(&p->calls, &(struct path_recent_call){.start = call->start,
								     .end = call->end,
								     .thread = call->key,
								     .method = call->method});
	paths_add_ender(p, call);
	if (p->setup.roots && !call->root)
		return;
	if (p->count == CALLS) {
		p->left_out++;
		return;
	}
	at = &p->pending[p->count++];
	at->call = *call;
	if (call->vthread)
		at->vthread = *call->vthread;
	pending_note_last(at, call->tasks_end > call->end ? paths_ender(p, call->tasks_end) : NULL);
}

/* The key of the waits of the thread that ran the task. */
static uint32_t path_task_key(const struct path_task *t)
{
	return t->vthread ? frt_virtual_key(t->vthread->java_id) : t->thread;
}

static bool path_task_is_at(const struct path_task *t, uint32_t key, int64_t at)
{
	return path_task_key(t) == key && t->begin <= at && t->end > at;
}

/* The key of the class of the shortest task that this thread was running in most of [begin, end), as tasks may run others. 0: unknown. */
static uint64_t paths_task_in(const struct paths *p, uint32_t key, int64_t begin, int64_t end)
{
	int64_t middle = begin + (end - begin) / 2;
	bool last = p->last && !p->setup.named_ends && path_task_is_at(p->last, key, middle);
	const struct path_task *best = last ? p->last : NULL;

	for (size_t i = 0; i < TASKS && i < p->tasks.count; i++) {
		const struct path_task *t = &p->tasks.task[i].task;

		if (path_task_is_at(t, key, middle) && (!best || t->end - t->begin < best->end - best->begin))
			best = t;
	}
	return best ? method_keys_class(p->setup.methods, best->class_name) : 0;
}

bool paths_are_due(const struct paths *p)
{
	return p->count > 0;
}

uint64_t paths_left_out(const struct paths *p)
{
	return p->left_out;
}

/* Nobody woke this thread, which found a monitor free, but it is known who had it. */
static bool path_is_by_owner(const struct wait *w)
{
	return w->owner && !w->waker && !w->waker_origin;
}

/* The thread that had the monitor when this wait began. NULL: it is not known. */
static const struct followed *paths_owner(const struct paths *p, const struct wait *w, int64_t off)
{
	uint32_t tid = thread_keys_find_owner(p->setup.threads, w->owner, off);
	const struct followed *f = &p->followed[tid % THREADS];

	if (!tid || f->tid != tid || f->since > off)
		return NULL;
	return f->key & FRT_NATIVE_KEY || !thread_keys_is_carrier(p->setup.threads, f->key) ? f : NULL;
}

/* 0: no thread of the target has ended the wait, or it is not known which one. */
static uint64_t paths_waker(const struct paths *p, const void *details)
{
	struct wait w = wait_join_describe(details);
	const struct followed *f = &p->followed[w.waker % THREADS];
	bool carrier;

	if (w.stacks.waker_virtual)
		return frt_virtual_key(w.stacks.waker_virtual);
	if (!w.waker)
		return 0;
	thread_keys_of_waker(p->setup.threads, w.waker, w.waker_origin, w.waker_name, &carrier);
	return !carrier && f->tid == w.waker && f->origin == w.waker_origin ? f->key : UNSEEN;
}

/* Where the path goes on from a wait. */
static void path_enter_waker(const struct paths *p, struct path_gap *g)
{
	struct wait w = wait_join_describe(g->details);
	const struct followed *owner;

	if (!path_is_by_owner(&w)) {
		g->waker = paths_waker(p, g->details);
		g->woken = true;
		return;
	}
	owner = paths_owner(p, &w, g->off);
	if (owner)
		g->waker = owner->key;
	else
		g->kind = PATH_GAP_UNKNOWN;
}

/* A thread in a traced call has been observed since before it: without a wait it has run all the time. */
static int64_t paths_observed(struct paths *p, uint32_t thread)
{
	const struct followed *f = path_observed_at(p, thread);

	if (thread == p->call->key)
		return p->call->start;
	return f->key == thread ? f->observed : INT64_MAX;
}

/* A virtual thread is observed in its traced calls only. */
static struct path_gap paths_before_virtual(struct paths *p, uint32_t key, int64_t before)
{
	struct path_gap g = {.kind = PATH_GAP_UNKNOWN, .off = INT64_MIN, .on = before};
	int64_t start, end;

	if (!path_calls_around(&p->calls, key, before, &start, &end))
		return g;
	if (end < before) {
		g.off = end;
		return g;
	}
	g = wait_join_before(p->setup.join, key, before, start);
	return g.on > start ? g : (struct path_gap){.kind = PATH_GAP_UNKNOWN, .off = INT64_MIN, .on = start};
}

static struct path_gap paths_before(void *context, uint64_t thread, int64_t before)
{
	struct paths *p = context;
	struct path_gap g = {.kind = PATH_GAP_UNKNOWN, .off = INT64_MIN, .on = before};
	const struct followed *f;
	uint32_t earlier;

	if (thread == UNSEEN || thread == FRT_NO_THREAD)
		return g;
	f = path_observed_at(p, thread);
	earlier = f->key == thread ? f->earlier : 0;
	if (earlier && before <= f->observed) {
		thread = earlier;
		earlier = 0;
	}
	if (thread & FRT_VIRTUAL_KEY && thread != p->call->key)
		g = paths_before_virtual(p, thread, before);
	else
		g = wait_join_before(p->setup.join, thread, before, paths_observed(p, thread));
	if (earlier && g.kind == PATH_GAP_UNKNOWN && !g.details && g.on >= f->observed)
		g.off = g.on = f->observed; /* it goes on there */
	if (g.kind == PATH_GAP_WAIT)
		path_enter_waker(p, &g);
	return g;
}

static uint64_t path_owner_key(const struct paths *p, const struct wait *w)
{
	uint32_t tid = thread_keys_find_owner(p->setup.threads, w->owner, INT64_MIN);
	const struct followed *f = &p->followed[tid % THREADS];

	if (!tid || f->tid != tid) /* it has ended since */
		return 0;
	return f->key & FRT_NATIVE_KEY ? thread_keys_of_owner(p->setup.threads, tid)
				       : thread_keys_of(p->setup.threads, f->key, NULL);
}

static uint64_t path_waker_key(const struct paths *p, const void *details)
{
	struct wait w = wait_join_describe(details);
	bool carrier;

	if (path_is_by_owner(&w))
		return path_owner_key(p, &w);
	if (w.stacks.waker_virtual)
		return thread_keys_of_virtual_waker(p->setup.threads, w.stacks.waker_virtual);
	return thread_keys_of_waker(p->setup.threads, w.waker, w.waker_origin, w.waker_name, &carrier);
}

static uint64_t path_stack_key(const struct paths *p, enum frames_source source, uint32_t stack)
{
	return stack && p->setup.frames ? frames_key(p->setup.frames, source, stack, FRT_NO_METHOD) : 0;
}

/* Why the chain ends with this wait. */
static const char *path_end(const struct paths *p, const struct wait *w, char text[WAKER_NAME + 16])
{
	char name[WAKER_NAME] = "";
	bool carrier;

	if (w->by_interrupt)
		return "ended by an interrupt or a timer";
	if (!w->waker && !w->waker_origin)
		return "it is not known who ended it";
	thread_keys_name_waker(p->setup.threads, w->waker, w->waker_origin, w->waker_name, name, &carrier);
	snprintf(text, WAKER_NAME + 16, "ended by %s", name);
	return text;
}

static void path_describe(const struct paths *p, const struct path_segment *s, struct jfr_path_segment *e,
			  char text[WAKER_NAME + 16])
{
	static const char *const states[] = {[PATH_CPU] = "cpu",
					     [PATH_RUN_QUEUE] = "runQueue",
					     [PATH_UNKNOWN] = "unknown",
					     [PATH_UNLISTED] = "unknown"};
	struct wait w = {0};

	e->state = states[s->state];
	if (s->state == PATH_UNKNOWN)
		e->end = s->details ? "it found the lock free when it looked; who had it is not known"
				    : "nothing is known of this thread then";
	if (s->state == PATH_UNLISTED)
		e->end = "the path has too many parts";
	if (!s->details)
		return;
	w = wait_join_describe(s->details);
	e->stack = path_stack_key(p, w.stacks.agents ? FRAMES_AGENTS : FRAMES_OURS, w.stacks.java);
	if (s->state != PATH_WAIT)
		return;
	e->state = wait_reason(w.reason);
	e->resource = resources_text(p->setup.resources, w.resource);
	e->end = path_end(p, &w, text);
}

static bool path_is_of_thread(const struct path_segment *s)
{
	return s->thread != UNSEEN && s->thread != FRT_NO_THREAD;
}

/* `call`: members that all parts share; its thread is that of parts of depth 0. */
static void path_write(const struct paths *p, const struct path_segment *s, uint32_t inside,
		       const struct jfr_path_segment *call)
{
	struct jfr_path_segment e = *call;
	char text[WAKER_NAME + 16];
	struct wait waited;

	e.start = s->begin + p->setup.ticks_offset;
	e.duration = s->end - s->begin;
	e.offset = s->begin - p->call->start;
	e.depth = call->depth + s->depth;
	e.task = path_is_of_thread(s) ? paths_task_in(p, s->thread, s->begin, s->end) : 0;
	e.inside = inside ? method_keys_traced(p->setup.methods, inside) : 0;
	path_describe(p, s, &e, text);
	if (s->depth) {
		waited = wait_join_describe(s->waited);
		e.thread = path_waker_key(p, s->waited);
		e.waited = path_is_by_owner(&waited) ? "monitor" : wait_reason(waited.reason);
		e.waker_stack = path_stack_key(p, FRAMES_OURS, waited.stacks.waker_java);
		e.waiter = s->above ? path_waker_key(p, s->above) : call->thread;
	}
	jfr_path_segment(p->setup.writer, &e);
}

#define PIECES	 16u   /* of a segment */
#define PIECE_NS 50000 /* shorter ones are added to what was before them */
#define LOOKS	 64u

/* What most of the last piece of [begin, end) was in. */
static struct path_place paths_last_piece(const struct paths *p, uint32_t thread, int64_t begin, int64_t end)
{
	struct path_place piece = {.since = end}, at;
	int64_t longest = 0;

	for (unsigned int i = 0; i < LOOKS && piece.since > begin && end - piece.since < PIECE_NS; i++) {
		at = path_calls_at_end(&p->calls, thread, begin, piece.since);
		if (piece.since - at.since > longest) {
			longest = piece.since - at.since;
			piece.method = at.method;
		}
		piece.since = at.since;
	}
	return piece;
}

/* Write a segment, and if its thread ran, each traced call that it was in by itself. The last one comes first. */
static void path_write_pieces(const struct paths *p, const struct path_segment *s, const struct jfr_path_segment *call)
{
	struct path_segment rest = *s, piece;
	struct path_place last;

	for (unsigned int i = 1; i < PIECES && s->state == PATH_CPU && path_is_of_thread(s); i++) {
		last = paths_last_piece(p, s->thread, rest.begin, rest.end);
		if (last.since - rest.begin < PIECE_NS)
			break;
		piece = rest;
		piece.begin = rest.end = last.since;
		path_write(p, &piece, last.method, call);
	}
	path_write(p, &rest, path_is_of_thread(s) ? path_calls_in(&p->calls, s->thread, rest.begin, rest.end) : 0,
		   call);
}

static void path_follow_thread(struct paths *p, uint32_t key, int64_t begin, int64_t end,
			       const struct jfr_path_segment *call)
{
	const struct path_histories histories = {paths_before, p};
	size_t n = critical_path(&histories, key, begin, end, p->segment, SEGMENTS);

	for (size_t i = n; i-- > 0;)
		path_write_pieces(p, &p->segment[i], call);
}

/* From the end of the call on, the path is what the thread did that ran the last task, or made the call that ends the root. */
static void path_compute_tail(struct paths *p, const struct jfr_path_segment *call)
{
	const struct path_task *last = p->last;
	struct jfr_path_segment tail = *call;

	tail.thread = last ? thread_keys_of(p->setup.threads, last->thread, last->vthread) : 0;
	tail.depth = 1;
	tail.waiter = call->call_thread;
	tail.waited = p->setup.named_ends ? "request" : "task";
	path_follow_thread(p, last ? path_task_key(last) : FRT_NO_THREAD, p->call->end, p->call->tasks_end, &tail);
}

static void path_compute(struct paths *p, const struct pending *at)
{
	const struct path_call *c = p->call = &at->call;
	uint64_t key = thread_keys_of(p->setup.threads, c->thread, c->vthread ? &at->vthread : NULL);
	int64_t end = c->tasks_end > c->end ? c->tasks_end : c->end;
	struct jfr_path_segment call = {.thread = key,
					.method = method_keys_traced(p->setup.methods, c->method),
					.call_thread = key,
					.call_start = c->start + p->setup.ticks_offset,
					.call_duration = end - c->start};

	if (c->end <= c->start)
		return;
	p->last = at->has_last ? &at->last.task : NULL;
	if (end > c->end)
		path_compute_tail(p, &call);
	path_follow_thread(p, c->key, c->start, c->end, &call);
}

void paths_tick(struct paths *p, bool all)
{
	size_t n = all ? p->count : p->due;

	if (n)
		path_calls_read_open(&p->calls);
	for (size_t i = 0; i < n; i++)
		path_compute(p, &p->pending[i]);
	for (size_t i = n; i < p->count; i++)
		pending_move(&p->pending[i - n], &p->pending[i]);
	p->count -= n;
	p->due = p->count;
}
