// SPDX-License-Identifier: BSD-2-Clause
#include "user/view/slow_call.h"
#include "user/text/fold.h"
#include "user/trace/sum.h"
#include "user/text/java_number.h"
#include "user/text/log.h"
#include "user/text/memory.h"
#include "user/text/name_fit.h"
#include "user/trace/jfr_names.h"
#include "user/trace/user_values.h"
#include "user/trace/wait_place.h"
#include "user/print/user_values_text.h"
#include "user/view/views.h"
#include "user/view/wait_stack.h"

#include <stdlib.h>
#include <string.h>

#define INDENT 8  /* of all lines but the first */
#define LEAST  40 /* columns */

/* All numbers in a line use the unit of the longest time. */
struct unit {
	double ns;
	const char *name;
};

static struct unit slow_call_unit_of(int64_t ns)
{
	static const struct unit units[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}};

	for (int i = 0; i < 3; i++)
		if (ns >= units[i].ns)
			return units[i];
	return (struct unit){1, "ns"};
}

static void slow_call_put_part(struct bytes *out, int64_t ns, const struct unit *unit)
{
	put_fixed(out, ns / unit->ns, 1);
}

static int compare_reasons(const struct slow_call *s, int a, int b)
{
	return s->reason[a].total < s->reason[b].total;
}

static void sort_reasons(struct slow_call *s)
{
	for (int i = 1; i < SLOW_REASONS && s->reason[i].name; i++)
		for (int k = i; k > 0 && compare_reasons(s, k - 1, k); k--) {
			typeof(s->reason[0]) swap = s->reason[k];

			s->reason[k] = s->reason[k - 1];
			s->reason[k - 1] = swap;
		}
}

static bool would_print_as_zero(int64_t ns, const struct unit *unit)
{
	return ns < unit->ns / 20;
}

/* Append a text that bytes were composed of, on a new line if it does not fit into this one; clears it. */
static void put_composed(struct bytes *out, const char *separator, struct bytes *text, size_t width)
{
	fold_beside(out, separator, memory_text(text), width, INDENT);
	bytes_clear(text);
}

static void put_reasons(struct bytes *out, struct slow_call *s, const struct unit *unit, size_t width)
{
	bool first = true;
	struct bytes text;

	sort_reasons(s);
	bytes_init(&text);
	for (int i = 0; i < SLOW_REASONS && s->reason[i].name; i++) {
		if (would_print_as_zero(s->reason[i].total, unit))
			continue;
		if (first)
			bytes_put_u8(&text, '(');
		put_text(&text, s->reason[i].name);
		bytes_put_u8(&text, ' ');
		slow_call_put_part(&text, s->reason[i].total, unit);
		put_composed(out, first ? " " : ", ", &text, width - strlen(")]"));
		first = false;
	}
	if (!first)
		bytes_put_u8(out, ')');
	bytes_release(&text);
}

static void slow_call_put_split(struct bytes *out, struct slow_call *s, const struct unit *unit, size_t width)
{
	const struct call *c = &s->call;

	if (!call_has_split(c)) {
		put_text(out, c->split ? ", where is not known" : "");
		return;
	}
	put_text(out, " = ");
	slow_call_put_part(out, c->cpu, unit);
	put_text(out, " cpu + ");
	slow_call_put_part(out, c->run_queue, unit);
	put_text(out, " runq + ");
	slow_call_put_part(out, c->blocked, unit);
	put_text(out, " blocked");
	put_reasons(out, s, unit, width);
}

static void put_waker(struct bytes *out, const char *waker, const char *place, const struct holders *holders,
		      const struct held *held, size_t width)
{
	struct bytes text;

	bytes_init(&text);
	put_text(&text, "woken by \"");
	put_text(&text, waker);
	bytes_put_u8(&text, '"');
	put_composed(out, ", ", &text, width);
	if (*place) {
		put_text(&text, "in ");
		name_fit(&text, place, width - INDENT - strlen("in "), false);
		put_composed(out, " ", &text, width);
	}
	if (holders_put_waker(holders, held, *place, &text, width - INDENT))
		put_composed(out, " ", &text, width);
	bytes_release(&text);
}

static void slow_call_put_holder(struct bytes *out, const struct holders *holders, const struct held *held,
				 size_t width)
{
	struct bytes text;

	bytes_init(&text);
	if (holders_put(holders, held, &text, width - INDENT)) {
		put_spaces(out, INDENT);
		put_text(out, memory_text(&text));
		bytes_put_u8(out, '\n');
	}
	bytes_release(&text);
}

/* Wait `n` of the call. A stack is shown once. */
static void slow_call_put_wait(struct bytes *out, const struct slow_call_wait *all, size_t n,
			       const struct holders *holders, size_t width, bool whole)
{
	const struct held *held = holders_of_number(holders, all[n].number);
	const struct thread_wait *w = &all[n].wait;
	struct unit unit = slow_call_unit_of(w->duration);
	char *reason = thread_wait_reason(w), *waker = thread_wait_waker(w), *place = wait_holder(w);
	bool above = false;
	struct bytes resource;

	for (size_t i = 0; i < n && !whole; i++)
		above |= thread_waits_are_alike(&all[i].wait, w);
	put_spaces(out, INDENT);
	slow_call_put_part(out, w->duration, &unit);
	put_text(out, unit.name);
	bytes_put_u8(out, ' ');
	put_text(out, reason);
	bytes_init(&resource);
	if (thread_wait_put_peer(&resource, w))
		put_composed(out, " ", &resource, width);
	bytes_release(&resource);
	if (w->ongoing)
		put_text(out, ", goes on");
	if (above)
		put_text(out, " at the same place");
	if (waker[0])
		put_waker(out, waker, place, holders, held, width);
	free(place);
	free(reason);
	free(waker);
	bytes_put_u8(out, '\n');
	slow_call_put_holder(out, holders, held, width);
	if (above)
		return;
	wait_stack_put(out, w->chunk, w->kernel_stack, width, whole);
	wait_stack_put_native(out, w->chunk, w->native_stack, width, whole);
	wait_stack_put(out, w->chunk, w->stack, width, whole);
}

static void put_when(struct bytes *out, const struct call *call, int64_t utc_offset)
{
	put_spaces(out, INDENT);
	view_put_time_of_day(out, call->start, utc_offset);
	put_text(out, "  \"");
	put_thread_name(out, call->chunk, call->thread, "?");
	put_text(out, "\"");
}

/* A method, with its line if that is known, in at most `width` columns. */
static void put_fitted(struct bytes *out, struct jfr_chunk *chunk, struct jfr_value method, int64_t line, size_t width)
{
	struct bytes name;

	jfr_resolve(chunk, &method);
	if (method.kind != VALUE_STRUCT)
		return;
	bytes_init(&name);
	put_method(&name, chunk, &method);
	if (line >= 0) {
		bytes_put_u8(&name, ':');
		put_integer(&name, line);
	}
	name_fit(out, memory_text(&name), width, false);
	bytes_release(&name);
}

/* What the call is, if readers know its event, in at most `width` columns. False: they do not. */
static bool put_title(struct bytes *out, const struct call *call, size_t width)
{
	struct bytes title;
	bool known;

	bytes_init(&title);
	known = user_values_put_title(&title, call);
	if (known)
		name_cut(out, memory_text(&title), width);
	bytes_release(&title);
	return known;
}

/* The names have lines of their own if they do not fit into the first one. */
static void put_names(struct bytes *out, const struct call *call, size_t width)
{
	struct jfr_value caller;
	struct bytes text;
	int64_t line;
	bool titled;

	bytes_init(&text);
	titled = put_title(&text, call, width - INDENT);
	if (titled)
		put_composed(out, " ", &text, width);
	put_fitted(&text, call->chunk, call->method, -1, width - INDENT);
	put_composed(out, titled ? "  " : " ", &text, width);
	if (call_caller(call, &caller, &line)) {
		put_text(&text, "<- ");
		put_fitted(&text, call->chunk, caller, line, width - INDENT - strlen("<- "));
		put_composed(out, "  ", &text, width);
	}
	bytes_release(&text);
}

static void put_system_calls(struct bytes *out, const struct call *call, const struct unit *unit)
{
	put_integer(out, call->system_calls);
	put_text(out, call->system_calls == 1 ? " system call of " : " system calls of ");
	slow_call_put_part(out, call->system_call_time, unit);
	put_text(out, unit->name);
}

static void put_faults(struct bytes *out, const struct call *call)
{
	int64_t faults = call->major_faults + call->minor_faults;

	put_integer(out, faults);
	put_text(out, faults == 1 ? " page fault" : " page faults");
	if (call->major_faults <= 0)
		return;
	put_text(out, " (");
	put_integer(out, call->major_faults);
	put_text(out, " read from a disk)");
}

static void put_usage(struct bytes *out, const struct call *call, const struct unit *unit, size_t width)
{
	struct bytes text;

	bytes_init(&text);
	if (call->system_calls > 0) {
		put_system_calls(&text, call, unit);
		put_composed(out, ", ", &text, width);
	}
	if (call->major_faults + call->minor_faults > 0) {
		put_faults(&text, call);
		put_composed(out, ", ", &text, width);
	}
	bytes_release(&text);
}

static void put_pause(struct bytes *out, int64_t pause, const struct unit *unit, size_t width)
{
	struct bytes text;

	bytes_init(&text);
	put_text(&text, "the JVM paused for ");
	slow_call_put_part(&text, pause, unit);
	put_text(&text, unit->name);
	put_composed(out, ", ", &text, width);
	bytes_release(&text);
}

static int compare_inside(const void *a, const void *b)
{
	const struct span x = call_span(a), y = call_span(b);

	return span_compare(&x, &y);
}

static void put_inside(struct bytes *out, const struct call *call, unsigned int depth, int64_t utc_offset, size_t width)
{
	const char *end = call->thrown ? ", thrown" : "";
	struct unit unit = slow_call_unit_of(call->duration);
	struct bytes values;
	size_t used, left;

	bytes_init(&values);
	user_values_put_rest(&values, call, utc_offset);
	put_spaces(out, INDENT + 2 * depth);
	put_text(out, "> ");
	slow_call_put_part(out, call->duration, &unit);
	put_text(out, unit.name);
	bytes_put_u8(out, ' ');
	used = fold_columns(out) + strlen(end);
	left = width > used ? width - used : 0;
	left -= user_values_share(&values, left);
	if (!put_title(out, call, left))
		put_fitted(out, call->chunk, call->method, -1, left);
	put_text(out, end);
	user_values_put_beside(out, &values, width);
	bytes_put_u8(out, '\n');
	bytes_release(&values);
}

/*
 * The longest calls, those of 1 % and more, in the order of their starts. The calls around a call are at least as long
 * as it is, so they are shown, too.
 */
static void put_insides(struct bytes *out, struct slow_call *s, int64_t utc_offset, size_t width)
{
	struct span open[SLOW_INSIDE], next;
	unsigned int depth = 0, n = 0;

	while (n < SLOW_INSIDE && s->inside[n].chunk && s->inside[n].duration >= s->place.span.duration / 100)
		n++;
	qsort(s->inside, n, sizeof(s->inside[0]), compare_inside);
	for (unsigned int i = 0; i < n; i++) {
		next = call_span(&s->inside[i]);
		while (depth && !span_contains(&open[depth - 1], &next))
			depth--;
		put_inside(out, &s->inside[i], depth, utc_offset, width);
		open[depth++] = next;
	}
	if (s->insides <= n)
		return;
	put_text(out, "        > ");
	put_text(out, log_count(s->insides - n));
	put_text(out, " shorter\n");
}

/* ", thrown java.io.IOException" */
static void put_thrown(struct bytes *out, const struct call *call, size_t width)
{
	struct bytes text;

	bytes_init(&text);
	put_text(&text, "thrown ");
	if (!call_put_thrown(call, &text))
		text.size--;
	put_composed(out, ", ", &text, width);
	bytes_release(&text);
}

/* ", 1.2 MB allocated" */
static void put_allocated(struct bytes *out, const struct call *call, size_t width)
{
	struct bytes text;

	bytes_init(&text);
	put_text(&text, log_amount(call->allocated));
	put_text(&text, " allocated");
	put_composed(out, ", ", &text, width);
	bytes_release(&text);
}

/* ", 212 ms until its end" */
static void put_request(struct bytes *out, const struct call *call, size_t width)
{
	struct bytes text;

	bytes_init(&text);
	put_text(&text, log_time(call->request));
	put_text(&text, " until its end");
	put_composed(out, ", ", &text, width);
	bytes_release(&text);
}

/* ", trace 4bf92f3577b34da6a3ce929d0e0e4736" */
static void put_trace(struct bytes *out, const struct call *call, size_t width)
{
	struct bytes text;

	bytes_init(&text);
	put_text(&text, "trace ");
	call_put_trace(call, &text);
	put_composed(out, ", ", &text, width);
	bytes_release(&text);
}

static void put_when_line(struct bytes *out, const struct call *call, const struct unit *unit, int64_t utc_offset,
			  size_t width)
{
	put_when(out, call, utc_offset);
	if (call->pause > 0 && !would_print_as_zero(call->pause, unit))
		put_pause(out, call->pause, unit, width);
	if (call->usage && call->system_calls >= 0)
		put_usage(out, call, unit, width);
	if (call->request > call->duration)
		put_request(out, call, width);
	if (call->allocated != INT64_MIN)
		put_allocated(out, call, width);
	if (call->thrown)
		put_thrown(out, call, width);
	if (call_has_trace(call))
		put_trace(out, call, width);
	bytes_put_u8(out, '\n');
}

static void put_task(struct bytes *out, const struct task_run *run, const struct texts *texts, size_t width)
{
	struct bytes text;

	bytes_init(&text);
	put_text(&text, "handed over: ");
	put_text(&text, log_time(run->nested.span.duration));
	put_text(&text, " on \"");
	put_text(&text, texts->text[run->name]);
	put_text(&text, "\" after ");
	put_text(&text, log_time(run->nested.span.start - run->submitted));
	put_text(&text, " in the queue, ");
	put_text(&text, texts->text[run->task]);
	put_spaces(out, INDENT);
	fold_words(out, memory_text(&text), width - INDENT, INDENT + 2);
	bytes_put_u8(out, '\n');
	bytes_release(&text);
}

/* Those of 1 % of the call and more. */
static void put_tasks(struct bytes *out, const struct slow_call *s, const struct texts *texts, size_t width)
{
	unsigned int n = 0;

	while (n < SLOW_TASKS && s->task[n] && task_run_length(s->task[n]) >= s->place.span.duration / 100)
		put_task(out, s->task[n++], texts, width);
	if (s->tasks <= n)
		return;
	put_spaces(out, INDENT);
	put_text(out, "handed over: ");
	put_text(out, log_count(s->tasks - n));
	put_text(out, s->tasks - n == 1 ? " shorter task\n" : " shorter tasks\n");
}

/* What took a tenth of the call and more. */
static void put_chain_end(struct bytes *out, const struct slow_call *s, const struct texts *texts, size_t width,
			  bool whole)
{
	const struct chain_kind *longest = chain_end_longest(&s->chain);
	struct unit unit = slow_call_unit_of(s->call.duration);
	struct bytes text;

	if (!longest || longest->total < s->call.duration / 10)
		return;
	bytes_init(&text);
	slow_call_put_part(&text, longest->total, &unit);
	put_text(&text, unit.name);
	put_text(&text, " at the end of the chain: ");
	put_text(&text, texts->text[longest->what]);
	put_spaces(out, INDENT);
	fold_words(out, memory_text(&text), width - INDENT, INDENT + 2);
	bytes_put_u8(out, '\n');
	bytes_release(&text);
	wait_stack_put(out, longest->chunk, longest->stack, width, whole);
}

void slow_call_put(struct bytes *out, struct slow_call *s, const struct holders *holders, const struct texts *texts,
		   int64_t utc_offset, unsigned int columns, bool whole)
{
	struct unit unit = slow_call_unit_of(s->call.duration);
	size_t width = columns > LEAST ? columns : LEAST;

	bytes_put_u8(out, '[');
	slow_call_put_part(out, s->call.duration, &unit);
	put_text(out, unit.name);
	slow_call_put_split(out, s, &unit, width);
	bytes_put_u8(out, ']');
	put_names(out, &s->call, width);
	bytes_put_u8(out, '\n');
	put_when_line(out, &s->call, &unit, utc_offset, width);
	put_chain_end(out, s, texts, width, whole);
	user_values_put_call(out, &s->call, utc_offset, INDENT, whole ? SIZE_MAX : width);
	put_insides(out, s, utc_offset, width);
	call_samples_put(out, &s->samples, holders->names, width, INDENT);
	put_tasks(out, s, texts, width);
	for (int i = 0; i < SLOW_WAITS && s->wait[i].wait.chunk; i++)
		if (s->wait[i].wait.duration >= s->call.duration / 100)
			slow_call_put_wait(out, s->wait, i, holders, width, whole);
}
