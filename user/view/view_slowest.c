// SPDX-License-Identifier: BSD-2-Clause
/* Individual calls: the slowest ones, and those that had not returned. */
#include "user/text/java_number.h"
#include "user/text/java_time.h"
#include "user/view/jfr_names.h"
#include "user/view/slow_call.h"
#include "user/view/views.h"

#include <errno.h>
#include <stdlib.h>

#define SHOWN	   20
#define OPEN_SHOWN 1000

/* A heap with the shortest call on top. Each call holds a reference to its chunk. */
struct slowest {
	struct call call[OPEN_SHOWN];
	size_t count, capacity;
	char *wait[OPEN_SHOWN]; /* current wait of its thread: "42.0 s futex"; NULL: none or unknown */
	bool waits;		/* some call has one */
};

static void sift_down(struct slowest *s, size_t i)
{
	for (;;) {
		size_t least = i;

		for (size_t child = 2 * i + 1; child <= 2 * i + 2 && child < s->count; child++)
			if (s->call[child].duration < s->call[least].duration)
				least = child;
		if (least == i)
			return;
		struct call swap = s->call[i];
		s->call[i] = s->call[least];
		s->call[least] = swap;
		i = least;
	}
}

static int slowest_add(const struct call *call, void *context)
{
	struct slowest *s = context;

	if (s->count < s->capacity) {
		jfr_chunk_get(call->chunk);
		s->call[s->count++] = *call;
		for (size_t i = s->count / 2; s->count == s->capacity && i-- > 0;)
			sift_down(s, i);
	} else if (call->duration > s->call[0].duration) {
		jfr_chunk_get(call->chunk);
		jfr_chunk_put(s->call[0].chunk);
		s->call[0] = *call;
		sift_down(s, 0);
	}
	return 0;
}

static int slowest_compare(const void *a, const void *b)
{
	const struct call *x = a, *y = b;

	return x->duration != y->duration ? (x->duration < y->duration) - (x->duration > y->duration)
					  : (x->start > y->start) - (x->start < y->start);
}

static void slowest_put_caller(struct bytes *out, const struct call *call)
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

static void put_call(struct table *table, const struct call *call, int64_t utc_offset)
{
	int64_t seconds = call->start / 1000000000;
	struct java_time start = {.seconds = seconds, .nanos = call->start - seconds * 1000000000};
	struct jfr_value method = call->method;
	struct bytes *cells = &table->cells;
	size_t begin = cells->size;

	put_moment(cells, &start, utc_offset, false);
	if (!cells->failed)
		cells->size = begin + strlen("20:08:35.749"); /* drop the date */
	table_cell(table);
	view_time(cells, call->duration);
	table_cell(table);
	jfr_resolve(call->chunk, &method);
	if (method.kind == VALUE_STRUCT)
		put_method(cells, call->chunk, &method);
	table_cell(table);
	put_thread_name(cells, call->chunk, call->thread, "N/A");
	table_cell(table);
	slowest_put_caller(cells, call);
	table_cell(table);
}

static struct slowest *slowest_find(struct jfr_file *file, const char *type, size_t capacity, int *err)
{
	struct slowest *s = calloc(1, sizeof(*s));

	if (!s) {
		*err = -ENOMEM;
		return NULL;
	}
	s->capacity = capacity;
	*err = call_iter_each(file, type, slowest_add, s);
	qsort(s->call, s->count, sizeof(s->call[0]), slowest_compare);
	return s;
}

static void slowest_free(struct slowest *s)
{
	for (size_t i = 0; s && i < s->count; i++) {
		jfr_chunk_put(s->call[i].chunk);
		free(s->wait[i]);
	}
	free(s);
}

/* `frame`: what the top frame of a call's stack is. */
static int slowest_show(const struct slowest *s, int64_t utc_offset, const struct table_layout *layout,
			struct bytes *out, const char *title, const char *frame)
{
	const struct table_column columns[] = {
		{"Start", true, false},	 {"Duration", false, false}, {"Method", true, true},
		{"Thread", true, false}, {frame, true, true},	     {"Still Waits", true, false},
	};
	struct table table;
	int err = 0;

	table_init(&table, title, columns, sizeof(columns) / sizeof(columns[0]) - !s->waits);
	for (size_t i = 0; i < s->count; i++) {
		put_call(&table, &s->call[i], utc_offset);
		if (s->waits)
			table_put(&table, s->wait[i] ?: "-");
	}
	if (!table_print(&table, layout, out))
		err = -ENOMEM;
	table_release(&table);
	return err;
}

/* Read the file a second time: waits may come before the calls they belong to. */
static int waits_again(struct jfr_file *file, thread_wait_visit *visit, void *context)
{
	struct jfr_file again;
	int err;

	jfr_file_again(&again, file);
	err = wait_iter_each(&again, "frtrace.ThreadWait", visit, context);
	jfr_file_release(&again);
	return err;
}

struct slow_calls {
	struct slow_call call[SHOWN];
	size_t count;
	int64_t first, last; /* ns since the epoch */
};

static int add_wait(const struct thread_wait *wait, void *context)
{
	struct slow_calls *s = context;
	uint64_t thread;

	if (wait->start < s->first || wait->start > s->last)
		return 0;
	thread = thread_number(wait->chunk, wait->thread);
	for (size_t i = 0; i < s->count; i++)
		if (!slow_call_add(&s->call[i], wait, thread))
			return -ENOMEM;
	return 0;
}

/* Append the breakdown of each call. */
static int show_split(struct jfr_file *file, const struct slowest *calls, struct bytes *out)
{
	struct slow_calls s = {.first = INT64_MAX};
	int err;

	for (; s.count < calls->count; s.count++) {
		const struct call *c = &calls->call[s.count];

		slow_call_init(&s.call[s.count], c);
		s.first = c->start < s.first ? c->start : s.first;
		s.last = c->start + c->duration > s.last ? c->start + c->duration : s.last;
	}
	err = waits_again(file, add_wait, &s);
	put_text(out, "\nSlowest Calls\n\n");
	for (size_t i = 0; i < s.count; i++) {
		if (!err)
			slow_call_put(out, &s.call[i], file->utc_offset);
		slow_call_release(&s.call[i]);
	}
	return err;
}

int view_slowest(struct jfr_file *file, const struct table_layout *layout, struct bytes *out)
{
	int err;
	struct slowest *s = slowest_find(file, "jdk.MethodTrace", SHOWN, &err);

	if (!err && s->count && s->call[0].split && !layout->json)
		err = show_split(file, s, out);
	else if (!err)
		err = slowest_show(s, file->utc_offset, layout, out, "Slowest Calls", "Caller");
	slowest_free(s);
	return err;
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
	struct slowest *s = context;
	uint64_t thread = wait->ongoing ? thread_number(wait->chunk, wait->thread) : 0;

	for (size_t i = 0; thread && i < s->count; i++) {
		const struct call *call = &s->call[i];

		if (thread_number(call->chunk, call->thread) != thread || end < call->start ||
		    end > call->start + call->duration)
			continue;
		free(s->wait[i]);
		s->wait[i] = ongoing_text(wait);
		if (!s->wait[i])
			return -ENOMEM;
		s->waits = true;
	}
	return 0;
}

int view_open(struct jfr_file *file, const struct table_layout *layout, struct bytes *out)
{
	int err;
	struct slowest *s = slowest_find(file, "frtrace.OpenCall", OPEN_SHOWN, &err);

	if (!err && s->count)
		err = waits_again(file, add_ongoing, s);
	if (!err)
		err = slowest_show(s, file->utc_offset, layout, out, "Open Calls", "At");
	slowest_free(s);
	return err;
}
