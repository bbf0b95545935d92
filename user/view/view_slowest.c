// SPDX-License-Identifier: BSD-2-Clause
/* The longest calls: one entry for the outermost traced call of a thread, with what it called and waited for. */
#include "user/text/fold.h"
#include "user/text/html.h"
#include "user/text/java_number.h"
#include "user/text/log.h"
#include "user/text/memory.h"
#include "user/text/name_fit.h"
#include "user/trace/aggregate.h"
#include "user/trace/outermost.h"
#include "user/trace/sum.h"
#include "user/trace/texts.h"
#include "user/trace/user_values.h"
#include "user/view/slow_call.h"
#include "user/view/views.h"

#include <stdlib.h>
#include <string.h>

#define SHOWN	    20
#define TITLES_MOST 1000 /* new titles beyond these are ignored */
#define PARTS_MOST  (1u << 20)
#define STANDS_OUT  30	/* per cent of the time */
#define TEXT_MOST   120 /* columns of a statement */

/*
 * What slow calls have in common, in a sentence: the statement, or the call of a service, that most of their time went into,
 * with the calls in which that was more than half of it. If their titles differ by ids in a path only, these are `*`.
 *     83 % of the time of these 20 calls went into 24 of "select pg_sleep(?)", most of it in GET /checkout/17.
 */
struct slow_cause {
	struct texts titles;
	struct cause_part {
		struct span span;
		uint32_t title, slow; /* the index of the slow call */
	} *part;
	size_t parts, capacity;
};

static void slow_cause_release(struct slow_cause *c)
{
	texts_release(&c->titles);
	free(c->part);
}

/* Add a call that is inside the slow call of that index. Only calls that ask another service count (user_values_asks()). */
static void slow_cause_add(struct slow_cause *c, const struct call *inside, size_t index)
{
	struct bytes title;
	uint32_t number = 0;

	bytes_init(&title);
	if (user_values_asks(inside) && user_values_put_title(&title, inside))
		number = c->titles.count < TITLES_MOST ? texts_number(&c->titles, memory_text(&title))
						       : texts_find(&c->titles, memory_text(&title));
	if (number && c->parts < PARTS_MOST) {
		memory_reserve(&c->part, &c->capacity, c->parts + 1);
		c->part[c->parts++] = (struct cause_part){call_span(inside), number, index};
	}
	bytes_release(&title);
}

static int cause_compare_parts(const void *a, const void *b)
{
	const struct cause_part *x = a, *y = b;

	if (x->slow != y->slow)
		return (x->slow > y->slow) - (x->slow < y->slow);
	return span_compare(&x->span, &y->span);
}

/* Leave out what is inside another one: a driver may make a statement of several, a pool have events of its own. */
static void cause_keep_outer(struct slow_cause *c)
{
	size_t kept = 0;

	if (c->parts)
		qsort(c->part, c->parts, sizeof(*c->part), cause_compare_parts);
	for (size_t i = 0; i < c->parts; i++)
		if (!kept || c->part[kept - 1].slow != c->part[i].slow ||
		    !span_contains(&c->part[kept - 1].span, &c->part[i].span))
			c->part[kept++] = c->part[i];
	c->parts = kept;
}

/* The title with the most time in all calls: its number, how often it is there, and the time; 0: there is none. */
static uint32_t cause_find(const struct slow_cause *c, struct group *of_all)
{
	struct group *sum = memory_need(calloc(c->titles.count + 1, sizeof(*sum)));
	uint32_t found = 0;

	for (size_t i = 0; i < c->parts; i++)
		aggregate_add(&sum[c->part[i].title], c->part[i].span.duration, false);
	for (uint32_t title = 1; title <= c->titles.count; title++)
		found = sum[title].total > sum[found].total ? title : found;
	*of_all = sum[found];
	free(sum);
	return found;
}

/* Append the title of the slow calls in which the cause has more than half of its time. False: there is none. */
static bool cause_put_place(struct bytes *out, const struct slow_cause *c, uint32_t title, int64_t total,
			    const struct slow_call *slow, bool (*put)(struct bytes *, const struct call *))
{
	struct aggregate sums = {0}; /* by place */
	struct texts places = {0};
	const struct group *most = NULL;

	for (size_t i = 0; i < c->parts; i++) {
		const struct cause_part *p = &c->part[i];
		struct bytes place;

		bytes_init(&place);
		if (p->title == title && slow[p->slow].call.chunk && put(&place, &slow[p->slow].call))
			aggregate_add(aggregate_of(&sums, texts_number(&places, memory_text(&place)), 0),
				      p->span.duration, false);
		bytes_release(&place);
	}
	for (size_t i = 0; i < sums.count; i++)
		if (sums.group[i].total > total / 2)
			most = &sums.group[i];
	if (most)
		name_cut(out, places.text[most->first], TEXT_MOST);
	aggregate_release(&sums);
	texts_release(&places);
	return most;
}

/* Of a request, until it had ended. */
static int64_t slow_call_time(const struct slow_call *s)
{
	int64_t own = s->place.span.duration;

	return s->place.charged > own ? s->place.charged : own;
}

/* Append the sentence; nothing if no title stands out. */
static void slow_cause_put(struct bytes *out, struct slow_cause *c, const struct slow_call *slow, size_t count)
{
	struct group cause;
	struct bytes where;
	int64_t time = 0;
	uint32_t title;

	cause_keep_outer(c);
	title = cause_find(c, &cause);
	for (size_t i = 0; i < count; i++)
		sum_add(&time, slow_call_time(&slow[i]));
	/* more than all of it: a slow call was in another one, by tasks; too many: what is missing may be more */
	if (!title || c->parts == PARTS_MOST || cause.total > time || cause.total < time / 100 * STANDS_OUT)
		return;
	bytes_init(&where);
	bytes_printf(out, "%.0f %% of the time of ", 100.0 * cause.total / time);
	bytes_printf(out, count == 1 ? "this call" : "these %zu calls", count);
	bytes_printf(out, " went into %s of \"", log_count(cause.count));
	name_cut(out, c->titles.text[title], TEXT_MOST);
	bytes_put_u8(out, '"');
	if (cause_put_place(&where, c, title, cause.total, slow, user_values_put_title) ||
	    cause_put_place(&where, c, title, cause.total, slow, user_values_put_place))
		bytes_printf(out, "%s in %s", count > 1 ? ", most of it" : "", memory_text(&where));
	bytes_put_u8(out, '.');
	bytes_release(&where);
}

struct slow_calls {
	struct slow_call *call;	     /* slowest first */
	struct slow_call **by_start; /* earliest first */
	size_t count;
	int64_t longest;       /* duration */
	struct jfr_file again; /* what is shown refers to it */
	struct threads threads;
	struct method_names names;
	struct holders holders;
	struct task_runs runs; /* its texts are those of all lines */
	struct event_reader reader;
	struct slow_cause cause;
};

static void slow_call_init(struct slow_call *s, const struct outermost_call *place)
{
	*s = (struct slow_call){.place = *place};
}

static void slow_call_release(struct slow_call *s)
{
	for (int i = 0; i < SLOW_REASONS; i++)
		free(s->reason[i].name);
	for (int i = 0; i < SLOW_WAITS && s->wait[i].wait.chunk; i++)
		jfr_chunk_put(s->wait[i].wait.chunk);
	for (int i = 0; i < SLOW_INSIDE && s->inside[i].chunk; i++)
		jfr_chunk_put(s->inside[i].chunk);
	if (s->call.chunk)
		jfr_chunk_put(s->call.chunk);
	call_samples_release(&s->samples);
	chain_end_release(&s->chain);
}

static bool inside_is_longer(const struct call *a, const struct call *b)
{
	const struct span x = call_span(a), y = call_span(b);

	return span_compare_durations(&x, &y) < 0;
}

static void keep_inside(struct slow_call *s, const struct call *call)
{
	int i = SLOW_INSIDE - 1;

	s->insides++;
	if (s->inside[i].chunk && !inside_is_longer(call, &s->inside[i]))
		return;
	jfr_chunk_get(call->chunk);
	if (s->inside[i].chunk)
		jfr_chunk_put(s->inside[i].chunk);
	for (; i > 0 && (!s->inside[i - 1].chunk || inside_is_longer(call, &s->inside[i - 1])); i--)
		s->inside[i] = s->inside[i - 1];
	s->inside[i] = *call;
}

/*
 * Set the call, or add one that is inside it; then it is true. `thread`: its thread_number(). Takes a reference to the call's
 * chunk.
 */
static bool slow_call_take(struct slow_call *s, const struct call *call, uint64_t thread)
{
	const struct span span = call_span(call);

	if (call->number == s->place.span.number) {
		s->call = *call;
		jfr_chunk_get(call->chunk);
	} else if (thread && thread == s->place.thread && span_contains(&s->place.span, &span)) {
		keep_inside(s, call);
		return true;
	}
	return false;
}

/* The last entry collects all reasons beyond the first SLOW_REASONS - 1. */
static void add_reason(struct slow_call *s, const struct thread_wait *wait)
{
	char *name = thread_wait_reason(wait);
	int i = 0;

	while (i < SLOW_REASONS - 1 && s->reason[i].name && strcmp(s->reason[i].name, name) != 0)
		i++;
	sum_add(&s->reason[i].total, wait->duration);
	if (s->reason[i].name)
		free(name);
	else
		s->reason[i].name = name;
}

static void keep_longest(struct slow_call *s, const struct thread_wait *wait, uint32_t number)
{
	struct slow_call_wait *w = s->wait;
	int i = SLOW_WAITS - 1;

	if (w[i].wait.chunk && w[i].wait.duration >= wait->duration)
		return;
	jfr_chunk_get(wait->chunk);
	if (w[i].wait.chunk)
		jfr_chunk_put(w[i].wait.chunk);
	for (; i > 0 && (!w[i - 1].wait.chunk || w[i - 1].wait.duration < wait->duration); i--)
		w[i] = w[i - 1];
	w[i] = (struct slow_call_wait){*wait, number};
}

/* Add a wait if it belongs to the call. `thread`: thread_number() of the waiting thread; `number`: that of holders_add(). */
static void slow_call_add(struct slow_call *s, const struct thread_wait *wait, uint64_t thread, uint32_t number)
{
	if (thread != s->place.thread || !span_has_moment(&s->place.span, wait_middle(wait)))
		return;
	keep_longest(s, wait, number);
	add_reason(s, wait);
}

/*
 * Add a part of a critical path, if it is the call's: of other calls that began with it the length differs. That of a request
 * ends with its last task. `thread`: thread_number() of the thread of the part's call.
 */
static void slow_call_add_part(struct slow_call *s, const struct path_part *part, uint64_t thread, struct texts *texts)
{
	int64_t from_start = part->start - part->offset - s->place.span.start;
	int64_t own = part->call_duration - s->place.span.duration, request = part->call_duration - s->place.charged;
	struct chain_kind *kind;

	if (thread != s->place.thread || llabs(from_start) > PATH_STAMPS_DIFFER ||
	    (llabs(own) > PATH_STAMPS_DIFFER && (request >= own || llabs(request) > PATH_STAMPS_DIFFER)))
		return;
	kind = chain_end_add(&s->chain, texts, part, NULL);
	if (kind)
		chain_kind_keep_stack(kind, part);
}

/* Add a task if it was handed over by the call's thread during the call. The run must stay. */
static void slow_call_add_task(struct slow_call *s, const struct task_run *run)
{
	int i = SLOW_TASKS - 1;

	if (run->submitter != s->place.thread || !run->submitter || !span_has_moment(&s->place.span, run->submitted))
		return;
	s->tasks++;
	if (s->task[i] && task_run_length(run) <= task_run_length(s->task[i]))
		return;
	for (; i > 0 && (!s->task[i - 1] || task_run_length(run) > task_run_length(s->task[i - 1])); i--)
		s->task[i] = s->task[i - 1];
	s->task[i] = run;
}

/* Add a sample of a thread if it belongs to the call. `method`: what ran, as for call_samples_add(). */
static void slow_call_add_sample(struct slow_call *s, uint64_t thread, int64_t moment, uint32_t method)
{
	if (thread == s->place.thread && span_has_moment(&s->place.span, moment))
		call_samples_add(&s->samples, method);
}

static int compare_starts(const void *a, const void *b)
{
	const struct outermost_call *x = &(*(struct slow_call *const *)a)->place;
	const struct outermost_call *y = &(*(struct slow_call *const *)b)->place;

	return span_compare(&x->span, &y->span);
}

static void slow_calls_new(struct slow_calls *s, const struct outermost *o)
{
	s->call = memory_need(calloc(o->count + 1, sizeof(*s->call)));
	s->by_start = memory_need(calloc(o->count + 1, sizeof(struct slow_call *)));
	for (s->count = 0; s->count < o->count; s->count++) {
		slow_call_init(&s->call[s->count], &o->call[s->count]);
		s->by_start[s->count] = &s->call[s->count];
	}
	for (size_t i = 0; i < o->count; i++)
		s->longest = o->call[i].span.duration > s->longest ? o->call[i].span.duration : s->longest;
	qsort(s->by_start, s->count, sizeof(*s->by_start), compare_starts);
}

static void slow_calls_release(struct slow_calls *s)
{
	for (size_t i = 0; s->call && i < s->count; i++)
		slow_call_release(&s->call[i]);
	free(s->call);
	free(s->by_start);
	jfr_file_release(&s->again);
	holders_release(&s->holders);
	task_runs_release(&s->runs);
	threads_release(&s->threads);
	method_names_release(&s->names);
	slow_cause_release(&s->cause);
}

/* The number of calls that started by then: those that a moment can lie in are the last of them. */
static size_t started_by(const struct slow_calls *s, int64_t moment)
{
	return lower_bound(i, s->count, s->by_start[i]->place.span.start > moment);
}

static bool may_reach(const struct slow_calls *s, size_t i, int64_t moment)
{
	return moment - s->by_start[i]->place.span.start <= s->longest;
}

static int slowest_on_call(const struct call *call, void *context)
{
	struct slow_calls *s = context;
	uint64_t thread = 0;

	for (size_t i = started_by(s, call->start); i-- > 0 && may_reach(s, i, call->start);) {
		if (!thread)
			thread = thread_number(call->chunk, call->thread);
		if (slow_call_take(s->by_start[i], call, thread))
			slow_cause_add(&s->cause, call, s->by_start[i] - s->call);
	}
	return 0;
}

static int slowest_on_wait(const struct thread_wait *wait, void *context)
{
	int64_t middle = wait_middle(wait);
	struct slow_calls *s = context;
	uint64_t thread = 0;
	uint32_t number = holders_add(&s->holders, wait);

	for (size_t i = started_by(s, middle); i-- > 0 && may_reach(s, i, middle);) {
		if (!thread)
			thread = thread_number(wait->chunk, wait->thread);
		slow_call_add(s->by_start[i], wait, thread, number);
	}
	return 0;
}

static int slowest_on_sample(struct jfr_chunk *chunk, const struct jfr_event *e, void *context)
{
	struct jfr_value event = jfr_event_value(e);
	int64_t moment = jfr_event_span(chunk, e).start;
	struct slow_calls *s = context;
	uint64_t thread = 0;
	uint32_t method = 0;

	for (size_t i = started_by(s, moment); i-- > 0 && may_reach(s, i, moment);) {
		if (!thread) {
			thread = thread_number(chunk, jfr_field(chunk, &event, "sampledThread"));
			method = sample_method(&s->names, chunk, jfr_field(chunk, &event, "stackTrace"));
		}
		slow_call_add_sample(s->by_start[i], thread, moment, method);
	}
	return 0;
}

static int slowest_on_part(struct jfr_chunk *chunk, const struct jfr_event *e, void *context)
{
	struct slow_calls *s = context;
	struct path_part part = path_part_read(&s->reader, chunk, e);
	int64_t begun = part.start - part.offset + PATH_STAMPS_DIFFER;
	uint64_t thread = 0;

	for (size_t i = started_by(s, begun); i-- > 0 && may_reach(s, i, begun);) {
		if (!thread)
			thread = thread_number(chunk, part.call_thread);
		slow_call_add_part(s->by_start[i], &part, thread, &s->runs.texts);
	}
	return 0;
}

static void slowest_add_tasks(struct slow_calls *s)
{
	for (size_t r = 0; r < s->runs.count; r++) {
		int64_t moment = s->runs.run[r].submitted;

		for (size_t i = started_by(s, moment); i-- > 0 && may_reach(s, i, moment);)
			slow_call_add_task(s->by_start[i], &s->runs.run[r]);
	}
}

static void slowest_find_holders(struct slow_calls *s, struct jfr_file *file)
{
	for (size_t i = 0; i < s->count; i++)
		for (int k = 0; k < SLOW_WAITS; k++)
			holders_want_number(&s->holders, s->call[i].wait[k].number);
	holders_read(&s->holders, file);
}

static void slowest_put_row(struct table *table, const struct call *call, int64_t utc_offset)
{
	struct jfr_value caller = {.kind = VALUE_NULL};
	int64_t line = TABLE_UNKNOWN;
	bool split = call_has_split(call);

	view_put_start(table, call, utc_offset);
	view_put_method(table, call->chunk, call->method);
	put_thread_name(&table->cells, call->chunk, call->thread, "N/A");
	table_cell(table);
	if (!call_caller(call, &caller, &line) || line < 0)
		line = TABLE_UNKNOWN;
	view_put_method(table, call->chunk, caller);
	table_put_count(table, line);
	table_put_time(table, call->duration);
	table_put_time(table, split ? call->cpu : TABLE_UNKNOWN);
	table_put_time(table, split ? call->run_queue : TABLE_UNKNOWN);
	table_put_time(table, split ? call->blocked : TABLE_UNKNOWN);
	table_put_time(table, call->split ? call->pause : TABLE_UNKNOWN);
	table_put_amount(table, call->allocated);
	table_put_time(table, call->request == INT64_MIN ? TABLE_UNKNOWN : call->request);
	table_put_count(table, call->thrown);
	put_text(&table->cells, "\"");
	if (!call_put_thrown(call, &table->cells))
		table->cells.size -= table->cells.size > table->complete;
	table_cell(table);
	put_text(&table->cells, "\"");
	if (call_has_trace(call))
		call_put_trace(call, &table->cells);
	else
		table->cells.size -= table->cells.size > table->complete;
	table_cell(table);
	view_put_values(table, call);
}

enum { ALLOCATED_COLUMN = 11, REQUEST_COLUMN };

static void slowest_print_table(const struct slow_calls *s, int64_t utc_offset, const struct view_request *request,
				struct bytes *out)
{
	struct table_column columns[] = {
		{"Began", NULL, TABLE_TEXT, 0},
		{NULL, "startTime", TABLE_TEXT, 0},
		{"Method", "method", TABLE_METHOD, 0},
		{"Thread", "thread", TABLE_TEXT, 0},
		{"Caller", "caller", TABLE_METHOD, 0},
		{"Line", "line", TABLE_NUMBER, 0},
		{"Duration", "durationNs", TABLE_NUMBER, 0},
		{"CPU", "cpuNs", TABLE_NUMBER, 0},
		{"Run Queue", "runQueueNs", TABLE_NUMBER, 0},
		{"Blocked", "blockedNs", TABLE_NUMBER, 0},
		{"Paused", "pauseNs", TABLE_NUMBER, 0},
		{NULL, "allocatedBytes", TABLE_NUMBER, 0},
		{NULL, "requestNs", TABLE_NUMBER, 0},
		{"Thrown", "thrown", TABLE_NUMBER, 0},
		{NULL, "thrownClass", TABLE_TYPED, 0},
		{NULL, "traceId", TABLE_TYPED, 0},
		{NULL, "values", TABLE_TYPED, 0},
	};
	struct table table;

	for (size_t i = 0; i < s->count; i++) {
		if (s->call[i].call.chunk && s->call[i].call.allocated != INT64_MIN)
			columns[ALLOCATED_COLUMN].label = "Allocated";
		if (s->call[i].call.chunk && s->call[i].call.request != INT64_MIN)
			columns[REQUEST_COLUMN].label = "Request Time";
	}
	table_init(&table, "Slowest Calls", columns, sizeof(columns) / sizeof(columns[0]));
	for (size_t i = 0; i < s->count; i++)
		if (s->call[i].call.chunk)
			slowest_put_row(&table, &s->call[i].call, utc_offset);
	view_put_table(&table, s->count, request, out);
}

static void slowest_print(struct slow_calls *s, int64_t utc_offset, unsigned int width, bool whole, struct bytes *out)
{
	struct bytes cause;

	method_names_settle(&s->names);
	put_text(out, "\nSlowest Calls\n\n");
	bytes_init(&cause);
	slow_cause_put(&cause, &s->cause, s->call, s->count);
	if (cause.size) {
		fold_words(out, memory_text(&cause), width, 0);
		put_text(out, "\n\n");
	}
	bytes_release(&cause);
	for (size_t i = 0; i < s->count; i++)
		if (s->call[i].call.chunk)
			slow_call_put(out, &s->call[i], &s->holders, &s->runs.texts, utc_offset, width, whole);
}

static void slowest_rows_begin(void *state, const struct view_request *request)
{
	struct outermost shown = *request->calls;

	shown.count = shown.count < SHOWN ? shown.count : SHOWN;
	slow_calls_new(state, &shown);
}

static void slowest_rows_put(void *state, const struct view_request *request, struct bytes *out)
{
	struct slow_calls *s = state;
	struct bytes cause;

	bytes_init(&cause);
	slow_cause_put(&cause, &s->cause, s->call, s->count);
	if (cause.size) {
		put_text(out, "<p>");
		html_put(out, memory_text(&cause));
		put_text(out, "</p>\n");
	}
	bytes_release(&cause);
	slowest_print_table(state, request->utc_offset, request, out);
}

static void slowest_rows_release(void *state)
{
	slow_calls_release(state);
}

const struct view_pass view_slowest_rows = {.size = sizeof(struct slow_calls),
					    .ops = {.call = slowest_on_call},
					    .begin = slowest_rows_begin,
					    .put = slowest_rows_put,
					    .release = slowest_rows_release};

/* Passes over the file: which calls; what is inside them and what they waited for; what the threads that ended it did. */
int view_slowest(struct jfr_file *file, const struct view_request *request, struct bytes *out)
{
	static const struct trace_event events[] = {
		{"jdk.ExecutionSample", slowest_on_sample}, {PATH_EVENT, slowest_on_part}, {NULL, NULL}};
	static const struct trace_ops lines = {.wait = slowest_on_wait, .call = slowest_on_call, .events = events};
	static const struct trace_ops rows = {.call = slowest_on_call};
	bool as_table = request->layout.json || request->layout.html;
	struct slow_calls s = {.holders = {.threads = &s.threads, .names = &s.names}};
	struct outermost o;

	outermost_find(&o, &s.runs, file, request->filter, request->top ?: SHOWN);
	jfr_file_again(&s.again, file);
	slow_calls_new(&s, &o);
	slowest_add_tasks(&s);
	trace_read(&s.again, as_table ? &rows : &lines, &s);
	if (!as_table)
		slowest_find_holders(&s, file);
	if (as_table)
		slowest_print_table(&s, file->utc_offset, request, out);
	else if (s.count)
		slowest_print(&s, file->utc_offset, request->layout.width, request->whole, out);
	else
		put_text(out, "\nNo events found for 'Slowest Calls'.\n");
	if (!file->fault.what)
		file->fault = s.again.fault;
	slow_calls_release(&s);
	outermost_release(&o);
	return 0;
}
