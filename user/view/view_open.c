// SPDX-License-Identifier: BSD-2-Clause
/* Calls that had not returned. */
#include "user/text/java_number.h"
#include "user/trace/jfr_names.h"
#include "user/view/views.h"
#include "user/trace/trace.h"

#include <errno.h>
#include <stdlib.h>

#define SHOWN 1000

/* A heap with the shortest call on top. Each call holds a reference to its chunk. */
struct open_calls {
	struct open_call {
		struct call call;
		char *wait; /* current wait of its thread: "42.0 s futex"; NULL: none or unknown */
	} *open;
	size_t count, capacity;
	bool waits; /* some call has one */
};

static void open_calls_sift_down(struct open_calls *s, size_t i)
{
	for (;;) {
		size_t least = i;

		for (size_t child = 2 * i + 1; child <= 2 * i + 2 && child < s->count; child++)
			if (s->open[child].call.duration < s->open[least].call.duration)
				least = child;
		if (least == i)
			return;
		struct open_call swap = s->open[i];
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
		s->open[s->count++].call = *call;
		for (size_t i = s->count / 2; s->count == s->capacity && i-- > 0;)
			open_calls_sift_down(s, i);
	} else if (call->duration > s->open[0].call.duration) {
		jfr_chunk_get(call->chunk);
		jfr_chunk_put(s->open[0].call.chunk);
		s->open[0].call = *call;
		open_calls_sift_down(s, 0);
	}
	return 0;
}

static int compare_open(const void *a, const void *b)
{
	const struct call *x = &((const struct open_call *)a)->call, *y = &((const struct open_call *)b)->call;

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

static bool open_print(const struct open_calls *s, int64_t utc_offset, const struct view_request *request,
		       struct bytes *out)
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
	struct table table;
	bool printed;

	table_init(&table, "Open Calls", columns, sizeof(columns) / sizeof(columns[0]) - !s->waits);
	for (size_t i = 0; i < s->count; i++) {
		const struct call *call = &s->open[i].call;

		view_put_start(&table, call, utc_offset);
		view_put_method(&table, call->chunk, call->method);
		put_thread_name(&table.cells, call->chunk, call->thread, "N/A");
		table_cell(&table);
		open_put_place(&table.cells, call);
		table_cell(&table);
		table_put_time(&table, call->duration);
		if (s->waits)
			table_put(&table, s->open[i].wait ?: "-");
	}
	printed = table_print(&table, &request->layout, out);
	table_release(&table);
	return printed;
}

static char *ongoing_text(const struct thread_wait *wait)
{
	char *reason = thread_wait_reason(wait);
	struct bytes text;

	bytes_init(&text);
	view_time(&text, wait->duration);
	bytes_put_u8(&text, ' ');
	put_text(&text, reason ?: "?");
	bytes_put_u8(&text, 0);
	free(reason);
	if (text.failed)
		bytes_release(&text);
	return (char *)text.data;
}

/* An ongoing wait applies to all open calls of its thread. */
static int add_ongoing(const struct thread_wait *wait, void *context)
{
	int64_t end = wait->start + wait->duration;
	struct open_calls *s = context;
	uint64_t thread = wait->ongoing ? thread_number(wait->chunk, wait->thread) : 0;

	for (size_t i = 0; thread && i < s->count; i++) {
		const struct call *call = &s->open[i].call;

		if (thread_number(call->chunk, call->thread) != thread || end < call->start ||
		    end > call->start + call->duration)
			continue;
		free(s->open[i].wait);
		s->open[i].wait = ongoing_text(wait);
		if (!s->open[i].wait)
			return -ENOMEM;
		s->waits = true;
	}
	return 0;
}

static void open_calls_release(struct open_calls *s)
{
	for (size_t i = 0; i < s->count; i++) {
		jfr_chunk_put(s->open[i].call.chunk);
		free(s->open[i].wait);
	}
	free(s->open);
}

int view_open(struct jfr_file *file, const struct view_request *request, struct bytes *out)
{
	struct open_calls s = {.capacity = request->top && request->top < SHOWN ? request->top : SHOWN};
	int err;

	s.open = calloc(s.capacity, sizeof(*s.open));
	if (!s.open)
		return -ENOMEM;
	err = trace_read_chosen(file, request->filter,
				&(struct trace_ops){.call = open_calls_add, .call_type = "frtrace.OpenCall"}, &s);
	qsort(s.open, s.count, sizeof(s.open[0]), compare_open);
	if (!err && s.count)
		err = trace_read_again(file, &(struct trace_ops){.wait = add_ongoing}, &s);
	if (!err)
		err = open_print(&s, file->utc_offset, request, out) ? 0 : -ENOMEM;
	open_calls_release(&s);
	return err;
}
