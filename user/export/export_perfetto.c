// SPDX-License-Identifier: BSD-2-Clause
/*
 * A Perfetto trace: calls and waits are slices on the tracks of their threads. A packet has a beginning or an end, so all
 * of them are collected first and then put into order (timeline.h). A wait that another thread ended is linked with an
 * instant on the track of that thread, and so is a task with the moment when it was handed over. The critical paths of a thread's
 * calls have a track below it.
 */
#include "format/vec.h"
#include "user/export/export.h"
#include "user/export/perfetto_packet.h"
#include "user/export/timeline.h"
#include "user/text/java_number.h"
#include "user/trace/holders.h"
#include "user/trace/trace.h"
#include "user/trace/jfr_names.h"
#include "user/view/path_part.h"

#include <stdlib.h>
#include <string.h>

#define PERIODS		1000	  /* points of a counter, about */
#define SHORTEST_PERIOD 1000000ll /* ns */
#define SECOND		1000000000ll

enum {
	UUID_PROCESS = 1,
	UUID_VIRTUAL, /* the parent of virtual threads */
	UUID_RATE,
	UUID_OPEN,
	UUID_TRACKS, /* the first of them */
};
enum {
	TRACK_OF_PAUSES = 0
}; /* those of threads have the numbers of the threads, then come their paths, then the timeline's */
#define PATHS 0x40000000u /* while threads are being numbered, a path has the number of its thread and this */

/* An instant from which a flow leads to a span. */
struct arrow {
	int64_t time;
	uint32_t track, name, flow;
	enum perfetto_category category;
};

struct perfetto_export {
	struct export_names names;
	struct texts texts; /* names of slices; their numbers in the trace are higher by 1 */
	struct timeline timeline;
	struct bytes arguments; /* of the spans: length and bytes */
	struct threads threads;
	struct threads holder_threads; /* of `holders`, as `threads` knows those without an id, too */
	struct method_names holder_names;
	struct holders holders;
	struct event_reader path_reader;
	bool has_paths;
	struct arrow *arrow; /* flow - 1 is its place, before they are sorted */
	size_t arrows, arrow_capacity;
	int64_t first, last;  /* of all spans */
	int64_t to_monotonic; /* difference to the times in the file */
	bool has_clock;
	int64_t pid;
	char *program;
	struct perfetto out;
	int64_t period, period_begin; /* of the counters */
	uint64_t begun;		      /* calls in it */
	uint64_t open, most_open;
};

static void export_perfetto_release(struct perfetto_export *x)
{
	free(x->arrow);
	free(x->program);
	timeline_release(&x->timeline);
	threads_release(&x->threads);
	threads_release(&x->holder_threads);
	method_names_release(&x->holder_names);
	holders_release(&x->holders);
	export_names_release(&x->names);
	texts_release(&x->texts);
	bytes_release(&x->arguments);
}

/* ---- reading */

/* Begin the arguments of a span; span_add() ends them. */
static size_t arguments_begin(struct perfetto_export *x)
{
	bytes_put_be16(&x->arguments, 0);
	return x->arguments.size - 2;
}

static void arguments_end(struct perfetto_export *x, size_t begun)
{
	size_t size = x->arguments.size - begun - 2;

	if (x->arguments.failed)
		memory_exhausted();
	if (size > UINT16_MAX) { /* no text in a recording is that long, unless it is forged */
		x->arguments.size = begun + 2;
		size = 0;
	}
	memcpy(x->arguments.data + begun, &(uint16_t){size}, sizeof(uint16_t));
}

/* `span` lacks what is given beside it. */
static int span_add(struct perfetto_export *x, struct timeline_span span, int64_t start, int64_t duration,
		    size_t arguments)
{
	arguments_end(x, arguments);
	span.nested.span = timeline_cut(start, duration, arguments);
	x->first = span.nested.span.start < x->first ? span.nested.span.start : x->first;
	x->last = span_end(&span.nested.span) > x->last ? span_end(&span.nested.span) : x->last;
	if (timeline_add(&x->timeline, &span))
		memory_exhausted();
	return 0;
}

static void put_known_argument(struct perfetto_export *x, enum perfetto_argument name, int64_t value)
{
	if (value != INT64_MIN)
		perfetto_put_number(&x->arguments, name, value);
}

static void put_call_arguments(struct perfetto_export *x, const struct call *call)
{
	if (call->thrown)
		perfetto_put_number(&x->arguments, PERFETTO_THROWN, 1);
	if (*export_thrown(&x->names, call))
		perfetto_put_text(&x->arguments, PERFETTO_THROWN_CLASS, export_thrown(&x->names, call));
	if (call->split) {
		put_known_argument(x, PERFETTO_CPU, call->cpu);
		put_known_argument(x, PERFETTO_RUN_QUEUE, call->run_queue);
		put_known_argument(x, PERFETTO_BLOCKED, call->blocked);
		put_known_argument(x, PERFETTO_PAUSE, call->pause ?: INT64_MIN);
	}
	put_known_argument(x, PERFETTO_ALLOCATED, call->allocated);
	put_known_argument(x, PERFETTO_REQUEST, call->request);
	if (call->usage) {
		put_known_argument(x, PERFETTO_SYSTEM_CALLS, call->system_calls);
		put_known_argument(x, PERFETTO_SYSTEM_CALL_TIME, call->system_call_time);
		put_known_argument(x, PERFETTO_MAJOR_FAULTS, call->major_faults);
		put_known_argument(x, PERFETTO_MINOR_FAULTS, call->minor_faults);
	}
}

static int export_perfetto_add(const struct call *call, void *context)
{
	struct perfetto_export *x = context;
	size_t arguments = arguments_begin(x);
	struct timeline_span span = {
		.track = threads_named(&x->threads, call->chunk, &call->thread),
		.name = texts_number(&x->texts, export_method(&x->names, call->chunk, &call->method)),
		.kind = PERFETTO_CALL,
	};

	put_call_arguments(x, call);
	return span_add(x, span, call->start, call->duration, arguments);
}

/* Begin a flow on the track of a thread, at an instant with that name. `time` 0: set later. Returns its number, from 1 on. */
static uint32_t arrow_add(struct perfetto_export *x, enum perfetto_category category, struct jfr_chunk *chunk,
			  const struct jfr_value *thread, int64_t time, const char *verb, const char *what)
{
	char *name;

	if (asprintf(&name, "%s %s", verb, what) < 0)
		memory_exhausted();
	x->first = time && timeline_moment(time) < x->first ? timeline_moment(time) : x->first;
	memory_reserve(&x->arrow, &x->arrow_capacity, x->arrows + 1);
	x->arrow[x->arrows] = (struct arrow){.time = timeline_moment(time),
					     .track = threads_named(&x->threads, chunk, thread),
					     .name = texts_number(&x->texts, name),
					     .flow = x->arrows + 1,
					     .category = category};
	free(name);
	return ++x->arrows;
}

/* What the waker had done. */
static void put_waker_arguments(struct perfetto_export *x, const struct thread_wait *w)
{
	uint32_t thread = threads_number(&x->holder_threads, w->chunk, &w->thread);
	const struct held *held = holders_of_wait(&x->holders, thread, w->start, w->duration);
	struct bytes text;

	bytes_init(&text);
	if (holders_put_waker(&x->holders, held, false, &text, SIZE_MAX))
		perfetto_put_text(&x->arguments, PERFETTO_WAKER_CALL, memory_text(&text));
	else if (holders_put(&x->holders, held, &text, SIZE_MAX))
		perfetto_put_text(&x->arguments, PERFETTO_HELD_BY, memory_text(&text));
	bytes_release(&text);
}

/* The name is freed. "": there is none. */
static void put_name_argument(struct perfetto_export *x, enum perfetto_argument argument, char *name)
{
	if (name[0])
		perfetto_put_text(&x->arguments, argument, name);
	free(name);
}

static int perfetto_add_blocked(const struct thread_wait *w, void *context)
{
	struct perfetto_export *x = context;
	char *reason = thread_wait_reason(w), *waker = thread_wait_waker(w), *holder = wait_holder(w);
	size_t arguments = arguments_begin(x);
	struct timeline_span span = {
		.track = threads_named(&x->threads, w->chunk, &w->thread),
		.name = texts_number(&x->texts, reason),
		.kind = PERFETTO_WAIT,
		.wait = true,
	};

	put_name_argument(x, PERFETTO_RESOURCE, thread_wait_resource(w));
	put_name_argument(x, PERFETTO_SERVICE, thread_wait_service(w));
	put_name_argument(x, PERFETTO_PROCESS, thread_wait_process(w));
	put_name_argument(x, PERFETTO_CONTAINER, thread_wait_container(w));
	if (waker[0]) {
		perfetto_put_text(&x->arguments, PERFETTO_WOKEN_BY, waker);
		if (holder[0])
			perfetto_put_text(&x->arguments, PERFETTO_WOKEN_IN, holder);
		put_waker_arguments(x, w);
		span.link = arrow_add(x, PERFETTO_WAKEUP, w->chunk, &w->waker, 0, "wakes",
				      x->threads.thread[span.track - 1].name);
	}
	free(reason);
	free(waker);
	free(holder);
	return span_add(x, span, w->start, w->duration, arguments);
}

static int perfetto_add_ready(const struct thread_wait *w, void *context)
{
	struct perfetto_export *x = context;
	size_t arguments = arguments_begin(x);
	struct timeline_span span = {
		.track = threads_named(&x->threads, w->chunk, &w->thread),
		.name = texts_number(&x->texts, "run queue"),
		.kind = PERFETTO_RUNNABLE,
		.wait = true,
	};

	return span_add(x, span, w->start, w->duration, arguments);
}

static int perfetto_add_pause(const struct thread_wait *w, void *context)
{
	struct perfetto_export *x = context;
	char *what = thread_wait_reason(w);
	size_t arguments = arguments_begin(x);
	struct timeline_span span = {
		.track = TRACK_OF_PAUSES,
		.name = texts_number(&x->texts, what),
		.kind = PERFETTO_VM_PAUSE,
	};

	free(what);
	return span_add(x, span, w->start, w->duration, arguments);
}

/* The run of a task, around the calls in it. */
static int perfetto_add_task(const struct task *task, void *context)
{
	struct perfetto_export *x = context;
	struct timeline_span span = {.kind = PERFETTO_TASK};
	struct bytes class, name;
	size_t arguments;

	if (task->run == INT64_MIN)
		return 0;
	bytes_init(&class);
	bytes_init(&name);
	put_task_class(&class, task);
	put_text(&name, "task ");
	put_text(&name, memory_text(&class));
	span.track = threads_named(&x->threads, task->chunk, &task->thread);
	span.name = texts_number(&x->texts, memory_text(&name));
	if (thread_number(task->chunk, task->submitter))
		span.link = arrow_add(x, PERFETTO_SUBMIT, task->chunk, &task->submitter, task->start, "hands over",
				      memory_text(&class));
	bytes_release(&class);
	bytes_release(&name);
	arguments = arguments_begin(x);
	perfetto_put_number(&x->arguments, PERFETTO_QUEUED, task->duration);
	return span_add(x, span, timeline_moment(task->start) + timeline_moment(task->duration), task->run, arguments);
}

static int perfetto_add_path(struct jfr_chunk *chunk, const struct jfr_event *e, void *context)
{
	struct perfetto_export *x = context;
	struct path_part part = path_part_read(&x->path_reader, chunk, e);
	size_t arguments = arguments_begin(x);
	struct timeline_span span = {
		.track = PATHS + threads_named(&x->threads, chunk, &part.call_thread),
		.name = path_part_name(&x->texts, &part, NULL),
		.kind = PERFETTO_PATH,
	};
	struct bytes why;

	x->has_paths = true;
	bytes_init(&why);
	path_part_put_why(&why, &part);
	if (why.size)
		perfetto_put_text(&x->arguments, PERFETTO_WHY, memory_text(&why));
	bytes_release(&why);
	return span_add(x, span, part.start, part.duration, arguments);
}

static int64_t event_number(struct jfr_chunk *chunk, const struct jfr_value *event, const char *field)
{
	struct jfr_value v = jfr_field(chunk, event, field);

	return v.kind == VALUE_NUMBER ? v.number : 0;
}

static int perfetto_read_clock(struct jfr_chunk *chunk, const struct jfr_event *e, void *context)
{
	struct perfetto_export *x = context;
	struct jfr_value event = jfr_event_value(e);
	int64_t moment = jfr_timebase_moment(&chunk->clock, jfr_event_times(chunk, e).start);

	if (x->has_clock)
		return 0;
	x->to_monotonic = timeline_moment(event_number(chunk, &event, "monotonic")) - timeline_moment(moment);
	x->has_clock = true;
	return 0;
}

static int perfetto_read_program(struct jfr_chunk *chunk, const struct jfr_event *e, void *context)
{
	struct perfetto_export *x = context;
	struct jfr_value event = jfr_event_value(e), arguments = jfr_field(chunk, &event, "javaArguments");
	struct bytes text;

	if (x->program)
		return 0;
	x->pid = event_number(chunk, &event, "pid");
	bytes_init(&text);
	put_value_text(&text, &arguments);
	x->program = memory_need(bytes_steal_text(&text));
	x->program[strcspn(x->program, " ")] = 0;
	return 0;
}

/* Calls come first, as the tracks have the order in which threads appear. */
static void export_perfetto_read(struct perfetto_export *x, struct jfr_file *file, struct call_filter *filter)
{
	static const struct trace_event events[] = {
		{"frtrace.Clock", perfetto_read_clock}, {"jdk.JVMInformation", perfetto_read_program}, {NULL, NULL}};
	static const struct trace_ops calls = {.call = export_perfetto_add, .events = events};
	static const struct trace_event paths[] = {{PATH_EVENT, perfetto_add_path}, {NULL, NULL}};
	static const struct trace_ops waits = {.wait = perfetto_add_blocked,
					       .events = paths,
					       .run_queue = perfetto_add_ready,
					       .pause = perfetto_add_pause,
					       .task = perfetto_add_task};

	trace_read_all(file, &(struct trace_reader){&calls, x, filter}, 1);
	x->holders = (struct holders){.threads = &x->holder_threads, .names = &x->holder_names};
	holders_read_all(&x->holders, file);
	trace_read_again(file, &(struct trace_reader){&waits, x, filter}, 1);
}

/* ---- writing */

static int64_t trace_time(const struct perfetto_export *x, int64_t moment)
{
	return moment + (x->has_clock ? x->to_monotonic : 0);
}

static uint64_t track_uuid(uint32_t track)
{
	return UUID_TRACKS + track;
}

/* The least of 1, 2 and 5 times a power of ten that divides the recording into at most PERIODS. */
static int64_t counter_period(int64_t length)
{
	static const int steps[] = {1, 2, 5};
	int64_t unit = SHORTEST_PERIOD;

	for (;; unit *= 10)
		for (int i = 0; i < 3; i++)
			if (length / (unit * steps[i]) < PERIODS)
				return unit * steps[i];
}

static void write_thread(struct perfetto_export *x, uint32_t track, const struct threads_entry *t)
{
	bool named = strncmp(t->name, "thread #", strlen("thread #")) != 0;
	char *name = NULL;

	if (t->tid)
		perfetto_thread(&x->out, track_uuid(track), x->pid, t->tid, t->name);
	else if (!t->java_id) /* of another process */
		perfetto_track(&x->out, track_uuid(track), 0, t->name);
	else if (!named)
		perfetto_track(&x->out, track_uuid(track), UUID_VIRTUAL, t->name);
	else if (asprintf(&name, "#%lld %s", (long long)t->java_id, t->name) >= 0)
		perfetto_track(&x->out, track_uuid(track), UUID_VIRTUAL, name);
	free(name);
}

/* Threads whose calls overlap, because their events do not say which thread they are of, have several tracks. */
static void write_tracks(struct perfetto_export *x)
{
	perfetto_process(&x->out, UUID_PROCESS, x->pid, x->program ?: "JVM");
	perfetto_track(&x->out, UUID_VIRTUAL, UUID_PROCESS, "virtual threads");
	perfetto_counter_track(&x->out, UUID_RATE, UUID_PROCESS, "calls per second");
	perfetto_counter_track(&x->out, UUID_OPEN, UUID_PROCESS, "open calls");
	perfetto_track(&x->out, track_uuid(TRACK_OF_PAUSES), UUID_PROCESS, "JVM pauses");
	for (size_t i = 0; i < x->threads.count; i++)
		write_thread(x, i + 1, &x->threads.thread[i]);
	for (size_t i = 0; i < x->threads.count; i++)
		if (x->threads.thread[i].time)
			perfetto_track(&x->out, track_uuid(x->threads.count + i + 1), track_uuid(i + 1),
				       "critical path");
	for (size_t i = 0; i < x->timeline.extra; i++)
		perfetto_track(&x->out, track_uuid(x->timeline.tracks + i), track_uuid(x->timeline.added[i]),
			       "overlapping");
}

/* Write the counters of the periods that end before `time`. */
static void write_counters(struct perfetto_export *x, int64_t time)
{
	while (time >= x->period_begin + x->period) {
		int64_t at = trace_time(x, x->period_begin);

		perfetto_counter(&x->out, at, UUID_RATE, x->begun * (double)SECOND / x->period);
		perfetto_counter(&x->out, at, UUID_OPEN, x->most_open);
		x->begun = 0;
		x->most_open = x->open;
		x->period_begin += x->period;
	}
}

static void count_call(struct perfetto_export *x, const struct timeline_edge *edge)
{
	write_counters(x, edge->time);
	x->open += edge->begin ? 1 : -1;
	x->begun += edge->begin;
	x->most_open = x->open > x->most_open ? x->open : x->most_open;
}

static void write_edge(struct perfetto_export *x, const struct timeline_edge *edge)
{
	const struct timeline_span *s = edge->span;
	const unsigned char *arguments = x->arguments.data + s->nested.span.number;
	int64_t time = trace_time(x, edge->time);
	uint16_t size;

	memcpy(&size, arguments, sizeof(size));
	if (s->kind == PERFETTO_CALL)
		count_call(x, edge);
	if (edge->begin)
		perfetto_slice_begin(&x->out, time, track_uuid(s->track), s->kind, s->name + 1,
				     arguments + sizeof(size), size, s->kind == PERFETTO_TASK ? s->link : 0);
	else
		perfetto_slice_end(&x->out, time, track_uuid(s->track), s->kind == PERFETTO_TASK ? 0 : s->link);
}

static int compare_arrows(const void *a, const void *b)
{
	const struct arrow *x = a, *y = b;

	return x->time != y->time ? (x->time > y->time) - (x->time < y->time)
				  : (x->flow > y->flow) - (x->flow < y->flow);
}

/* Write the arrows up to `time`: a flow begins before it leads to a span. */
static void write_arrows(struct perfetto_export *x, size_t *next, int64_t time)
{
	for (; *next < x->arrows && x->arrow[*next].time <= time; ++*next) {
		const struct arrow *a = &x->arrow[*next];

		perfetto_instant(&x->out, trace_time(x, a->time), track_uuid(a->track), a->category, a->name + 1,
				 a->flow);
	}
}

static void write_edges(struct perfetto_export *x)
{
	struct timeline_edge edge;
	size_t next = 0;

	while (timeline_next(&x->timeline, &edge)) {
		write_arrows(x, &next, edge.time);
		write_edge(x, &edge);
		if (ferror(x->out.to))
			return;
	}
	write_arrows(x, &next, INT64_MAX);
	write_counters(x, x->last + 2 * x->period);
}

static void export_perfetto_begin(struct perfetto_export *x, FILE *to)
{
	struct perfetto_clock clock = {.monotonic = x->has_clock};

	x->first = x->first == INT64_MAX ? 0 : x->first;
	clock.start = trace_time(x, x->first);
	clock.realtime = x->first; /* as in views, also if the clock was set later */
	perfetto_begin(&x->out, to, &clock, (const char *const *)x->texts.text, x->texts.count);
	write_tracks(x);
	x->period = counter_period(x->last - x->first);
	x->period_begin = x->first;
}

/* A wake-up is at the end of the wait, which may have become earlier. */
static void wakeups_follow_spans(struct perfetto_export *x)
{
	for (size_t i = 0; i < x->timeline.count; i++) {
		const struct timeline_span *s = &x->timeline.span[i];

		if (s->link && s->kind != PERFETTO_TASK)
			x->arrow[s->link - 1].time = span_end(&s->nested.span);
	}
}

/* All threads are known now. Those with paths are marked by time in calls. Returns the number of tracks. */
static uint32_t place_paths(struct perfetto_export *x)
{
	for (size_t i = 0; i < x->timeline.count; i++) {
		struct timeline_span *s = &x->timeline.span[i];

		if (s->kind != PERFETTO_PATH)
			continue;
		s->track -= PATHS;
		x->threads.thread[s->track - 1].time += s->nested.span.duration;
		s->track += x->threads.count;
	}
	return 1 + (x->has_paths ? 2 : 1) * x->threads.count;
}

static void export_perfetto_write(struct perfetto_export *x, FILE *to)
{
	if (timeline_arrange(&x->timeline, place_paths(x)))
		memory_exhausted();
	wakeups_follow_spans(x);
	if (x->arrows)
		qsort(x->arrow, x->arrows, sizeof(*x->arrow), compare_arrows);
	export_perfetto_begin(x, to);
	write_edges(x);
	if (!perfetto_finish(&x->out))
		memory_exhausted();
}

void export_perfetto(struct jfr_file *file, struct call_filter *filter, bool normalize, FILE *to)
{
	struct perfetto_export x = {.first = INT64_MAX, .last = INT64_MIN};

	export_names_init(&x.names, normalize);
	bytes_init(&x.arguments);
	export_perfetto_read(&x, file, filter);
	export_perfetto_write(&x, to);
	export_perfetto_release(&x);
}
