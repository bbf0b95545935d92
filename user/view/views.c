// SPDX-License-Identifier: BSD-2-Clause
#include "user/view/views.h"
#include "user/text/java_number.h"
#include "user/text/java_time.h"
#include "user/text/log.h"
#include "user/text/memory.h"
#include "user/trace/call_fields.h"
#include "user/trace/jfr_names.h"
#include "user/print/user_values_text.h"

#include <errno.h>
#include <stdlib.h>

#define CALLS (VIEW_METHODS | VIEW_CALLS)

const struct view views[] = {
	{"method-timing", "the last jdk.MethodTiming of each method", NULL, VIEW_METHODS | VIEW_SORTS, SCOPE_CALL,
	 &view_timing, NULL},
	{"method-trace", "traced methods: calls, times, where the time went, how many ended by an exception", NULL,
	 CALLS | VIEW_SORTS | VIEW_BY | VIEW_SPLIT, SCOPE_CALL, &view_methods, NULL},
	{"method-calls", "traced methods and who called them", NULL, CALLS | VIEW_BY, SCOPE_CALL, &view_calls, NULL},
	{"slowest", "the 20 longest requests, what they called, and where their time went", NULL, CALLS | VIEW_STACKS,
	 SCOPE_REQUEST, NULL, view_slowest},
	{"tree", "the 5 longest requests as trees of calls, and where the time of each part went", NULL,
	 CALLS | VIEW_TREE | VIEW_MERGES | VIEW_BY, SCOPE_REQUEST, NULL, view_tree},
	{"latency", "how long the calls of each method took, as histograms",
	 "'frtrace export --csv' has how long each call took", CALLS | VIEW_BY | VIEW_SPLIT, SCOPE_CALL, &view_latency,
	 NULL},
	{"callers", "the tree of callers of each traced method", "'frtrace export --collapsed' has who called",
	 CALLS | VIEW_TREE | VIEW_BY, SCOPE_CALL, &view_callers, NULL},
	{"waits", "what calls waited for, who woke them, which code waited for locks, and which held them", NULL,
	 CALLS | VIEW_BY | VIEW_SPLIT, SCOPE_WAITS, &view_waits, NULL},
	{"hot", "what the CPU time of calls was spent in, by samples (--cpu)", NULL, CALLS, SCOPE_CALL, &view_hot,
	 NULL},
	{"tasks", "tasks that calls handed to other threads: their time in queues, and how long they ran", NULL, 0,
	 SCOPE_CALL, &view_tasks, NULL},
	{"path", "the 5 longest calls, and whom they waited for, to the end of the chain", NULL,
	 VIEW_METHODS | VIEW_MERGES, SCOPE_CALL, &view_path, NULL},
	{"events", "'events NAME': events of that type; --by=FIELD: their times by its values", NULL,
	 CALLS | VIEW_BY | VIEW_EVENTS, SCOPE_CALL, NULL, view_events},
	{"request", "'request --by=FIELD': calls on all threads by a value, such as an id, and the gaps", NULL,
	 CALLS | VIEW_BY, SCOPE_CALL, NULL, view_request_by},
	{"open", "calls that had not returned at the end of the recording", NULL, CALLS, SCOPE_CALL, &view_open, NULL},
	{0},
};

const struct view *view_find(const char *name)
{
	const struct view *v = views;

	while (v->name && strcmp(v->name, name) != 0)
		v++;
	return v->name ? v : NULL;
}

const char *view_by_field(const struct view_request *request)
{
	return request->by && strcmp(request->by, BY_CLASS) != 0 ? request->by : NULL;
}

int view_check_by_class(const struct view_request *request)
{
	if (!view_by_field(request))
		return 0;
	return diag_usage(request->diag, "this view adds up classes only: --by=" BY_CLASS);
}

static int view_check_field(const struct view *view, const struct jfr_file *file, const struct view_request *request)
{
	const char *field = view_by_field(request);
	struct bytes near;
	bool found;
	int err = 0;

	if (!field || strcmp(field, "traceId") == 0 || (view->pass == &view_waits && view_waits_have_table(field)))
		return 0;
	bytes_init(&near);
	found = call_fields_have(file, NULL, field, &near);
	bytes_clear(&near);
	if (!found && view->pass == &view_waits)
		view_waits_put_near(&near, field);
	if (near.size)
		err = diag_set(request->diag, EINVAL, "waits have no table and no value '%s'%s", field,
			       memory_text(&near));
	else if (!found)
		err = view_refuse_by(file, request);
	bytes_release(&near);
	return err;
}

int view_show(const struct view *view, struct jfr_file *file, const struct view_request *request, struct bytes *out)
{
	struct view_request whole = *request;
	void *state;
	int err;

	if (!view->pass) {
		err = view->takes & VIEW_EVENTS
			      ? 0
			      : call_scope_prepare(request->filter, view->scope, NULL, file, request->diag);
		return err ?: view->show(file, request, out);
	}
	err = view->pass->check ? view->pass->check(request) : 0;
	if (!err && view->takes & VIEW_SPLIT)
		err = view_check_field(view, file, request);
	if (!err)
		err = call_scope_prepare(request->filter, view->scope, view->pass->ops.call_type, file, request->diag);
	if (err)
		return err;
	state = memory_need(calloc(1, view->pass->size));
	if (view->pass->begin)
		view->pass->begin(state, request);
	err = trace_read_all(file, &(struct trace_reader){&view->pass->ops, state, request->filter}, 1);
	whole.utc_offset = file->utc_offset;
	while (!err && view->pass->between && view->pass->between(state))
		err = trace_read_again(file, &(struct trace_reader){&view->pass->again, state, NULL}, 1);
	if (!err)
		view->pass->put(state, &whole, out);
	view->pass->release(state);
	free(state);
	return err;
}

int view_refuse_by(const struct jfr_file *file, const struct view_request *request)
{
	struct bytes near;
	int err;

	bytes_init(&near);
	call_fields_have(file, NULL, request->by, &near);
	err = diag_set(request->diag, EINVAL, "no call has a value '%s' by -e to tell calls apart%s", request->by,
		       memory_text(&near));
	bytes_release(&near);
	return err;
}

void view_put_table(struct table *table, size_t rows, const struct view_request *request, struct bytes *out)
{
	table->more = request->top && rows > request->top ? rows - request->top : 0;
	if (!table_print(table, &request->layout, out))
		memory_exhausted();
	table_release(table);
}

void view_put_method(struct table *table, struct jfr_chunk *chunk, struct jfr_value method)
{
	put_method_or_none(&table->cells, chunk, method);
	table_cell(table);
}

static struct java_time view_java_time(int64_t moment)
{
	int64_t seconds = moment / 1000000000;

	return (struct java_time){.seconds = seconds, .nanos = moment - seconds * 1000000000};
}

void view_put_time_of_day(struct bytes *out, int64_t moment, int64_t utc_offset)
{
	struct java_time time = view_java_time(moment);
	struct bytes text;

	bytes_init(&text);
	put_moment(&text, &time, utc_offset, false);
	bytes_printf(out, "%.12s", memory_text(&text)); /* without the date */
	bytes_release(&text);
}

void view_put_iso(struct table *table, int64_t moment)
{
	struct java_time time = view_java_time(moment);

	put_moment_iso(&table->cells, &time, 0);
	table_cell(table);
}

void view_put_start(struct table *table, const struct call *call, int64_t utc_offset)
{
	view_put_time_of_day(&table->cells, call->start, utc_offset);
	table_cell(table);
	view_put_iso(table, call->start);
}

void view_put_values(struct table *table, const struct call *call)
{
	if (call->values) {
		bytes_put_u8(&table->cells, '#');
		user_values_put_json(&table->cells, call);
	}
	table_cell(table);
}

void view_count(struct bytes *out, uint64_t n)
{
	put_text(out, log_count(n));
}

void view_time(struct bytes *out, int64_t nanos)
{
	put_text(out, nanos == INT64_MIN ? "N/A" : log_time(nanos > 0 ? nanos : 0));
}

void view_put_more(struct bytes *out, uint64_t count, uint64_t shown, const char *noun)
{
	if (count <= shown)
		return;
	put_text(out, "\nand ");
	view_count(out, count - shown);
	put_text(out, " more ");
	put_text(out, noun);
	put_text(out, count - shown == 1 ? "\n" : "s\n");
}
