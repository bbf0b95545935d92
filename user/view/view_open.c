// SPDX-License-Identifier: BSD-2-Clause
/* Calls that had not returned. */
#include "user/text/java_number.h"
#include "user/text/memory.h"
#include "user/trace/jfr_names.h"
#include "user/view/views.h"

#include <stdlib.h>

#define SHOWN	   1000
#define WAITS_MOST 100000

/* A heap with the shortest call on top. Each call holds a reference to its chunk. */
struct open_calls {
	struct call *open;
	size_t count, capacity;
	struct open_wait {
		uint64_t thread; /* thread_number() */
		int64_t end;
		char *text; /* "42.0 s futex" */
	} *wait;
	size_t waits, wait_capacity;
};

static void open_calls_sift_down(struct open_calls *s, size_t i)
{
	for (;;) {
		size_t least = i;

		for (size_t child = 2 * i + 1; child <= 2 * i + 2 && child < s->count; child++)
			if (s->open[child].duration < s->open[least].duration)
				least = child;
		if (least == i)
			return;
		struct call swap = s->open[i];
		s->open[i] = s->open[least];
		s->open[least] = swap;
		i = least;
	}
}

static int open_calls_add(const struct call *call, void *context)
{
	struct open_calls *s = context;

	if (s->count < s->capacity) {
		jfr_chunk_get(call->chunk);
		s->open[s->count++] = *call;
		for (size_t i = s->count / 2; s->count == s->capacity && i-- > 0;)
			open_calls_sift_down(s, i);
	} else if (call->duration > s->open[0].duration) {
		jfr_chunk_get(call->chunk);
		jfr_chunk_put(s->open[0].chunk);
		s->open[0] = *call;
		open_calls_sift_down(s, 0);
	}
	return 0;
}

static int compare_open(const void *a, const void *b)
{
	const struct call *x = a, *y = b;

	return x->duration != y->duration ? (x->duration < y->duration) - (x->duration > y->duration)
					  : (x->start > y->start) - (x->start < y->start);
}

/* The top of the stack: where the thread is. */
static void open_put_place(struct bytes *out, const struct call *call)
{
	struct jfr_value method;
	int64_t line;

	if (!call_caller(call, &method, &line)) {
		put_text(out, "N/A");
		return;
	}
	jfr_resolve(call->chunk, &method);
	put_method(out, call->chunk, &method);
	if (line >= 0) {
		bytes_put_u8(out, ':');
		put_integer(out, line);
	}
}

/* An ongoing wait applies to all open calls of its thread. */
static int open_calls_add_wait(const struct thread_wait *wait, void *context)
{
	struct open_calls *s = context;
	uint64_t thread = wait->ongoing ? thread_number(wait->chunk, wait->thread) : 0;
	struct bytes text;
	char *reason;

	if (!thread || s->waits == WAITS_MOST)
		return 0;
	reason = thread_wait_reason(wait);
	bytes_init(&text);
	view_time(&text, wait->duration);
	bytes_printf(&text, " %s", reason);
	free(reason);
	memory_reserve(&s->wait, &s->wait_capacity, s->waits + 1);
	s->wait[s->waits++] =
		(struct open_wait){thread, wait->start + wait->duration, memory_need(bytes_steal_text(&text))};
	return 0;
}

/* What the thread of a call was waiting for when the recording ended; NULL: nothing, or unknown. */
static const char *open_calls_wait(const struct open_calls *s, const struct call *call)
{
	uint64_t thread = thread_number(call->chunk, call->thread);

	for (size_t i = s->waits; i-- > 0;) {
		const struct open_wait *w = &s->wait[i];

		if (w->thread == thread && w->end >= call->start && w->end <= call->start + call->duration)
			return w->text;
	}
	return NULL;
}

static void open_calls_put(void *state, const struct view_request *request, struct bytes *out)
{
	static const struct table_column columns[] = {
		{"Start", NULL, TABLE_TEXT, 1},
		{NULL, "startTime", TABLE_TEXT, 0},
		{"Method", "method", TABLE_METHOD, 0},
		{"Thread", "thread", TABLE_TEXT, 0},
		{"At", "at", TABLE_METHOD, 0},
		{"Duration", "durationNs", TABLE_NUMBER, 0},
		{"Still Waits", "waitsFor", TABLE_WORDS, 0},
	};
	struct open_calls *s = state;
	struct table table;
	bool waits = false;

	qsort(s->open, s->count, sizeof(s->open[0]), compare_open);
	for (size_t i = 0; i < s->count; i++)
		waits |= open_calls_wait(s, &s->open[i]) != NULL;
	table_init(&table, "Open Calls", columns, sizeof(columns) / sizeof(columns[0]) - !waits);
	for (size_t i = 0; i < s->count; i++) {
		const struct call *call = &s->open[i];

		view_put_start(&table, call, request->utc_offset);
		view_put_method(&table, call->chunk, call->method);
		put_thread_name(&table.cells, call->chunk, call->thread, "N/A");
		table_cell(&table);
		open_put_place(&table.cells, call);
		table_cell(&table);
		table_put_time(&table, call->duration);
		if (waits)
			table_put(&table, open_calls_wait(s, call) ?: "-");
	}
	view_put_table(&table, s->count, request, out);
}

static void open_calls_begin(void *state, const struct view_request *request)
{
	struct open_calls *s = state;

	s->capacity = request->top && request->top < SHOWN ? request->top : SHOWN;
	s->open = memory_need(calloc(s->capacity, sizeof(*s->open)));
}

static void open_calls_release(void *state)
{
	struct open_calls *s = state;

	for (size_t i = 0; i < s->count; i++)
		jfr_chunk_put(s->open[i].chunk);
	for (size_t i = 0; i < s->waits; i++)
		free(s->wait[i].text);
	free(s->open);
	free(s->wait);
}

const struct view_pass view_open = {
	.size = sizeof(struct open_calls),
	.ops = {.wait = open_calls_add_wait, .call = open_calls_add, .call_type = "frtrace.OpenCall"},
	.begin = open_calls_begin,
	.put = open_calls_put,
	.release = open_calls_release};
