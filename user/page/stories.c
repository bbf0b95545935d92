// SPDX-License-Identifier: BSD-2-Clause
#include "user/page/stories.h"
#include "user/trace/jfr_names.h"
#include "user/trace/sum.h"
#include "user/trace/wait.h"
#include "user/text/java_number.h"
#include "user/print/value_text.h"
#include "user/trace/wait_place.h"
#include "user/trace/trace.h"
#include "user/trace/user_values.h"

#include <stdlib.h>
#include <string.h>

#define TASKS_DEEP 256 /* tasks that hand over tasks, one after the other */

static int stories_compare_places(const void *a, const void *b)
{
	return outermost_compare_places(&(*(struct story *const *)a)->place, &(*(struct story *const *)b)->place);
}

static int stories_compare_lengths(const void *a, const void *b)
{
	const struct span *x = &((const struct story *)a)->place.span, *y = &((const struct story *)b)->place.span;

	return x->duration != y->duration ? (x->duration < y->duration) - (x->duration > y->duration)
					  : (x->number > y->number) - (x->number < y->number);
}

/* Drop those that are there twice. */
static void stories_unique(struct stories *s)
{
	size_t n = 0;

	if (s->count)
		qsort(s->story, s->count, sizeof(*s->story), stories_compare_lengths);
	for (size_t i = 0; i < s->count; i++)
		if (!n || s->story[n - 1].place.span.number != s->story[i].place.span.number)
			s->story[n++] = s->story[i];
	s->count = n;
}

void stories_init(struct stories *s, const struct outermost_call *wanted, size_t count)
{
	s->story = memory_need(calloc(count + 1, sizeof(*s->story)));
	s->by_place = memory_need(calloc(count + 1, sizeof(struct story *)));
	s->reach = memory_need(calloc(count + 1, sizeof(*s->reach)));
	for (s->count = 0; s->count < count; s->count++)
		s->story[s->count] = (struct story){.place = wanted[s->count], .values = -1};
	stories_unique(s);
	for (size_t i = 0; i < s->count; i++)
		s->by_place[i] = &s->story[i];
	qsort(s->by_place, s->count, sizeof(struct story *), stories_compare_places);
	for (size_t i = 0; i < s->count; i++) {
		const struct outermost_call *place = &s->by_place[i]->place;
		bool same = i && s->by_place[i - 1]->place.thread == place->thread;
		int64_t end = span_end(&place->span);

		s->reach[i] = same && s->reach[i - 1] > end ? s->reach[i - 1] : end;
	}
}

void stories_release(struct stories *s)
{
	for (size_t i = 0; i < s->stacks; i++)
		free(s->stack[i].frame);
	free(s->stack);
	for (size_t i = 0; i < s->count; i++)
		call_samples_release(&s->story[i].samples);
	free(s->story);
	free(s->by_place);
	free(s->reach);
	free(s->longest);
	texts_release(&s->text);
	chunk_map_release(&s->stack_keys);
}

/* The number of stories that are before a moment of a thread: those that it can lie in are the last of them. */
static size_t stories_before(const struct stories *s, uint32_t thread, int64_t moment)
{
	return lower_bound(i, s->count,
			   s->by_place[i]->place.thread > thread || (s->by_place[i]->place.thread == thread &&
								     s->by_place[i]->place.span.start > moment));
}

static bool stories_may_reach(const struct stories *s, size_t i, uint32_t thread, int64_t moment)
{
	return s->by_place[i]->place.thread == thread && s->reach[i] >= moment;
}

/* The place for a part among the longest ones; NULL: it is too short. */
static struct story_part *parts_slot(struct story_parts *parts, const struct story_part *part)
{
	unsigned int i;

	parts->all++;
	sum_add(&parts->total, part->span.duration);
	if (parts->count == STORY_PARTS && span_compare_durations(&part->span, &parts->part[STORY_PARTS - 1].span) >= 0)
		return NULL;
	i = parts->count < STORY_PARTS ? parts->count++ : STORY_PARTS - 1;
	for (; i > 0 && span_compare_durations(&part->span, &parts->part[i - 1].span) < 0; i--)
		parts->part[i] = parts->part[i - 1];
	parts->part[i] = *part;
	return &parts->part[i];
}

/* A story has the task if the thread was in it at that moment, and not in a task that began inside of it. */
static void stories_offer_task(struct stories *s, const struct task_run *from, const struct task_run *outer,
			       const struct story_part *part)
{
	uint32_t thread = threads_of_id(s->threads, from->submitter);

	for (size_t i = thread ? stories_before(s, thread, from->submitted) : 0; i-- > 0;) {
		struct story *story = s->by_place[i];

		if (!stories_may_reach(s, i, thread, from->submitted))
			break;
		if (span_has_moment(&story->place.span, from->submitted) &&
		    !(outer && outer->nested.span.start > story->place.span.start))
			parts_slot(&story->kind[STORY_TASK], part);
	}
}

/* A task that is handed over by another one is of the call that handed over that one, too. */
void stories_add_tasks(struct stories *s)
{
	const struct task_runs *r = s->runs;

	s->longest = memory_need(calloc(r->count + 1, sizeof(*s->longest)));
	for (size_t i = 0; i < r->count; i++) {
		const struct task_run *run = &r->run[i], *from = run, *outer;
		struct story_part part = {.span = {run->submitted, 0, i},
					  .what = texts_number(&s->text, r->texts.text[run->task]),
					  .queued = run->nested.span.start - run->submitted,
					  .thread = texts_number(&s->text, r->texts.text[run->name]),
					  .run = i};

		part.span.duration = part.queued;
		sum_add(&part.span.duration, run->nested.span.duration);
		for (int n = 0; from && n < TASKS_DEEP; n++, from = outer) {
			outer = task_runs_at(r, from->submitter, from->submitted);
			stories_offer_task(s, from, outer, &part);
		}
	}
}

/* Note the call if it is in a task. */
static void stories_note_longest(struct stories *s, const struct call *call, uint32_t method)
{
	const struct task_run *run =
		s->runs->count ? task_runs_at(s->runs, thread_number(call->chunk, call->thread), call->start) : NULL;
	struct story_longest *longest = run ? &s->longest[run - s->runs->run] : NULL;

	if (longest && call->duration >= longest->duration)
		*longest = (struct story_longest){method, call->duration};
}

static uint32_t stories_frame(struct stories *s, struct jfr_chunk *chunk, struct jfr_value *frame)
{
	uint32_t number;
	struct bytes text;

	bytes_init(&text);
	put_frame(&text, chunk, frame, "?");
	number = texts_number(&s->text, memory_text(&text));
	bytes_release(&text);
	return number;
}

static void stories_read_stack(struct stories *s, struct jfr_chunk *chunk, struct jfr_value stack)
{
	struct stories_stack *to;
	struct jfr_value frames, frame;
	struct cursor c;

	memory_reserve(&s->stack, &s->stack_capacity, s->stacks + 1);
	to = &s->stack[s->stacks++];
	*to = (struct stories_stack){0};
	jfr_resolve(chunk, &stack);
	frames = jfr_field(chunk, &stack, "frames");
	if (frames.kind != VALUE_ARRAY || !frames.place.count)
		return;
	to->frame = memory_need(calloc(STORY_FRAMES, sizeof(*to->frame)));
	c = jfr_enter(chunk, &frames);
	for (uint64_t i = 0; i < frames.place.count && to->count < STORY_FRAMES && cursor_ok(&c); i++) {
		jfr_take_element(&c, &frames, &frame);
		to->frame[to->count++] = stories_frame(s, chunk, &frame);
	}
}

/* The number of a stack; 0: there is none. */
static uint32_t stories_stack(struct stories *s, struct jfr_chunk *chunk, const struct jfr_value *stack)
{
	uint32_t *number;

	if (stack->kind != VALUE_KEY)
		return 0;
	number = chunk_map_at(&s->stack_keys, chunk, stack, 0);
	if (!*number) {
		stories_read_stack(s, chunk, *stack);
		*number = s->stacks;
	}
	return *number;
}

struct story_values {
	struct printer p;
	const char *between;
};

/* "shop.Order: id = 7, user = "x"" */
static void put_story_value(const struct meta_type *event, const struct meta_field *f, struct jfr_value *v,
			    void *context)
{
	struct story_values *to = context;
	struct bytes *out = &to->p.out;

	if (!f) {
		put_text(out, out->size ? "; " : "");
		put_text(out, event->name);
		to->between = ": ";
		return;
	}
	put_text(out, to->between);
	put_text(out, f->name);
	put_text(out, " = ");
	if (v->kind == VALUE_STRUCT)
		put_class(out, to->p.chunk, v);
	else
		value_text_put(&to->p, v, f);
	to->between = ", ";
}

static void story_take_values(struct stories *s, struct story *story, const struct call *call)
{
	struct story_values to;

	printer_init(&to.p, -1);
	to.p.chunk = call->chunk;
	user_values_each(call, put_story_value, &to);
	story->values = texts_number(&s->text, memory_text(&to.p.out));
	printer_release(&to.p);
}

static void story_begin(struct stories *s, struct story *story, const struct call *call, uint32_t method)
{
	struct jfr_value caller;

	story->found = true;
	story->method = method;
	story->thrown = call->thrown;
	story->known = call_has_split(call);
	story->cpu = call->cpu;
	story->run_queue = call->run_queue;
	story->pause = call->split ? call->pause : INT64_MIN;
	story->system_calls = call->usage ? call->system_calls : INT64_MIN;
	story->system_call_time = call->usage ? call->system_call_time : INT64_MIN;
	story->faults = call->usage && call->major_faults >= 0 ? call->major_faults + call->minor_faults : INT64_MIN;
	story->line = -1;
	if (call->values)
		story_take_values(s, story, call);
	if (call_caller(call, &caller, &story->line))
		story->caller = method_names_number(s->names, call->chunk, &caller);
}

static int stories_on_call(const struct call *call, void *context)
{
	struct stories *s = context;
	uint32_t thread = threads_number(s->threads, call->chunk, &call->thread);
	struct story_part part = {.span = call_span(call),
				  .what = method_names_number(s->names, call->chunk, &call->method),
				  .thrown = call->thrown};

	holders_on_call(s->holders, thread, part.what, call->start, call->duration);
	stories_note_longest(s, call, part.what);
	for (size_t i = stories_before(s, thread, call->start); i-- > 0;) {
		struct story *story = s->by_place[i];

		if (!stories_may_reach(s, i, thread, call->start))
			break;
		if (story->place.span.number == part.span.number)
			story_begin(s, story, call, part.what);
		else if (thread && span_contains(&story->place.span, &part.span))
			parts_slot(&story->kind[STORY_CALL], &part);
	}
	return 0;
}

static void story_add_wait(struct stories *s, struct story *story, const struct thread_wait *w, struct story_part *part)
{
	struct story_part *kept = parts_slot(&story->kind[STORY_WAIT], part);
	struct jfr_value method;
	char *reason, *resource;

	if (!kept)
		return;
	reason = thread_wait_reason(w);
	resource = thread_wait_peer(w);
	kept->what = texts_number(&s->text, reason);
	kept->resource = texts_number(&s->text, resource);
	free(reason);
	free(resource);
	kept->waker = threads_number(s->threads, w->chunk, &w->waker);
	kept->woken_in = wait_holder_method(w, &method) ? method_names_number(s->names, w->chunk, &method) : 0;
	kept->stack = stories_stack(s, w->chunk, &w->stack);
	kept->kernel_stack = stories_stack(s, w->chunk, &w->kernel_stack);
}

static int stories_add_part(struct stories *s, const struct thread_wait *w, enum story_kind kind)
{
	uint32_t thread = threads_number(s->threads, w->chunk, &w->thread);
	struct story_part part = {.span = {w->start, w->duration, 0}};
	int64_t middle = wait_middle(w);

	for (size_t i = thread ? stories_before(s, thread, middle) : 0; i-- > 0;) {
		struct story *story = s->by_place[i];

		if (!stories_may_reach(s, i, thread, middle))
			break;
		if (!span_has_moment(&story->place.span, middle))
			continue;
		if (kind == STORY_WAIT)
			story_add_wait(s, story, w, &part);
		else
			parts_slot(&story->kind[kind], &part);
	}
	return 0;
}

static int stories_on_wait(const struct thread_wait *w, void *context)
{
	holders_read_wait(((struct stories *)context)->holders, w);
	return stories_add_part(context, w, STORY_WAIT);
}

static int stories_on_run_queue(const struct thread_wait *w, void *context)
{
	return stories_add_part(context, w, STORY_RUN_QUEUE);
}

static int stories_on_sample(struct jfr_chunk *chunk, const struct jfr_event *e, void *context)
{
	struct jfr_value event = jfr_event_value(e);
	struct stories *s = context;
	uint32_t thread = threads_of_id(s->threads, thread_number(chunk, jfr_field(chunk, &event, "sampledThread")));
	int64_t at = jfr_event_span(chunk, e).start;

	for (size_t i = thread ? stories_before(s, thread, at) : 0; i-- > 0;) {
		struct story *story = s->by_place[i];

		if (!stories_may_reach(s, i, thread, at))
			break;
		if (span_has_moment(&story->place.span, at))
			call_samples_add(&story->samples,
					 sample_method(s->names, chunk, jfr_field(chunk, &event, "stackTrace")));
	}
	return 0;
}

static const struct trace_event stories_events[] = {{"jdk.ExecutionSample", stories_on_sample}, {NULL, NULL}};

const struct trace_ops stories_ops = {
	.wait = stories_on_wait, .run_queue = stories_on_run_queue, .call = stories_on_call, .events = stories_events};

/* Where the lock was released stands for the call that held it if that is not known. */
static void story_part_answer(struct story_part *p, const struct held *held)
{
	struct held_answer answer = held_answer(held);

	if (held->what != WAIT_FOR_LOCK) {
		p->call = answer;
		return;
	}
	p->holder = held->holder;
	p->held_in = answer.method;
	if (!p->held_in && held->holder == p->waker)
		p->held_in = p->woken_in;
}

void stories_end(struct stories *s)
{
	for (size_t i = 0; i < s->count; i++) {
		struct story_parts *waits = &s->story[i].kind[STORY_WAIT], *tasks = &s->story[i].kind[STORY_TASK];

		for (unsigned int n = 0; n < tasks->count; n++) {
			const struct story_longest *longest = &s->longest[tasks->part[n].run];

			tasks->part[n].call.method = longest->method;
			tasks->part[n].call.duration = longest->duration;
		}

		for (unsigned int n = 0; n < waits->count && n < STORY_HELD; n++) {
			struct story_part *p = &waits->part[n];
			const struct held *held =
				holders_of_wait(s->holders, s->story[i].place.thread, p->span.start, p->span.duration);

			if (held)
				story_part_answer(p, held);
		}
	}
}
