// SPDX-License-Identifier: BSD-2-Clause
/*
 * Requests over threads: the calls that have one value of a field of -e, such as the number of an order, in the order of
 * time, and the gaps between them. A gap is the time for which none of these calls had ended: in a queue, or in code that
 * has no such event.
 *
 *	     begin       gap  duration
 *	id=132: 229.0 ms, 139.9 ms of it in none of 3 calls on 2 threads, 21:31:53.333
 *	      0 ns              3.0 ms  shop.Front.handle(Request) "http-1"
 *	    2.0 ms              0.1 ms    shop.Front.submit(Request) "http-1"
 *	  142.9 ms  139.9 ms   86.1 ms  shop.Price.price(Request) "db-2" n=17
 */
#include "user/text/fold.h"
#include "user/text/java_number.h"
#include "user/text/log.h"
#include "user/text/memory.h"
#include "user/text/name_fit.h"
#include "user/trace/method_names.h"
#include "user/trace/nest.h"
#include "user/trace/threads.h"
#include "user/print/user_values_text.h"
#include "user/view/views.h"

#include <errno.h>
#include <stdlib.h>

#define SHOWN	    20 /* requests */
#define CALLS_SHOWN 50 /* of each, as text */
#define BEFORE	    32 /* columns before the name of a call */
#define MOST_DEPTH  8  /* indented */

struct joined_call {
	struct nested nested; /* the first member */
	uint32_t value;	      /* number of its text */
	uint32_t method, thread, depth;
	int64_t gap; /* ns; INT64_MIN: inside another one of its thread, or the first one */
	bool thrown;
	uint32_t values; /* number of a text: all its values; for requests that are shown */
};

struct joined_request {
	struct joined_call *call; /* in the order of time */
	size_t calls;
	int64_t start, end, inside; /* ns; inside: in some call */
	uint32_t threads;
};

struct joined {
	const struct view_request *request;
	struct value_filter *where; /* some call has to pass */
	struct method_names names;
	struct threads threads;
	struct texts values; /* without their types: 132 is the same order whether it is a number or a text */
	struct texts typed;  /* for JSON */
	uint32_t *typed_of;  /* by value: the number of its first form */
	bool *passed;	     /* by value: a call passes `where` */
	size_t known, known_capacity, passed_count, passed_capacity;
	struct texts texts;
	struct joined_call *call;
	size_t calls, capacity;
	uint64_t seen;
	struct joined_request *found;
	size_t count, found_capacity;
	int64_t utc_offset;
	struct bytes text; /* scratch */
};

static int joined_on_call(const struct call *call, void *context)
{
	struct joined *j = context;
	struct joined_call joined = {.nested.span = call_span(call), .thrown = call->thrown};

	j->seen++;
	bytes_clear(&j->text);
	if (!user_values_put_typed(&j->text, call, j->request->by))
		return 0;
	joined.value = texts_number(&j->values, memory_text(&j->text) + 1) + 1;
	memory_extend(&j->typed_of, &j->known, &j->known_capacity, joined.value);
	memory_extend(&j->passed, &j->passed_count, &j->passed_capacity, joined.value);
	if (!j->typed_of[joined.value - 1])
		j->typed_of[joined.value - 1] = texts_number(&j->typed, memory_text(&j->text));
	j->passed[joined.value - 1] |= value_filter_has(j->where, call);
	joined.method = method_names_number(&j->names, call->chunk, &call->method);
	joined.thread = threads_number(&j->threads, call->chunk, &call->thread);
	memory_reserve(&j->call, &j->capacity, j->calls + 1);
	j->call[j->calls++] = joined;
	return 0;
}

/* By value; there in the order of time. */
static int joined_compare_calls(const void *a, const void *b)
{
	const struct joined_call *x = a, *y = b;

	if (x->value != y->value)
		return (x->value > y->value) - (x->value < y->value);
	return span_compare(&x->nested.span, &y->nested.span);
}

static int joined_compare_moments(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Put each call below those of its own thread that it is in. A thread without a number may be any. */
static void joined_nest(struct joined_request *q)
{
	struct map last = {0}; /* thread -> index of its last call + 1 */

	for (size_t i = 0; i < q->calls; i++) {
		struct joined_call *c = &q->call[i];
		uint32_t *before = c->thread ? memory_map_at(&last, c->thread, 0) : NULL;
		struct nested *inner = before && *before ? &q->call[*before - 1].nested : NULL;

		q->threads += !before || !*before;
		c->nested.around = nest_around(inner, &c->nested.span);
		if (c->nested.around)
			c->depth = ((struct joined_call *)c->nested.around)->depth + 1;
		if (before)
			*before = i + 1;
	}
	map_release(&last);
}

/* The time since the last end before a call, or else since the request began. */
static void joined_find_gaps(struct joined_request *q)
{
	int64_t *end = memory_need(calloc(q->calls, sizeof(*end)));
	size_t ended = 0;

	for (size_t i = 0; i < q->calls; i++)
		end[i] = span_end(&q->call[i].nested.span);
	qsort(end, q->calls, sizeof(*end), joined_compare_moments);
	for (size_t i = 0; i < q->calls; i++) {
		struct joined_call *c = &q->call[i];
		int64_t start = c->nested.span.start, since;

		while (ended < q->calls && end[ended] <= start + SPAN_ROUNDING)
			ended++;
		since = ended ? end[ended - 1] : q->start;
		c->gap = i == 0 || c->nested.around ? INT64_MIN : start > since ? start - since : 0;
	}
	free(end);
}

static void joined_make(struct joined *j, struct joined_call *first, size_t calls)
{
	struct joined_request q = {.call = first, .calls = calls, .start = first->nested.span.start};
	int64_t reached = q.start;

	for (size_t i = 0; i < calls; i++) {
		const struct span *s = &first[i].nested.span;
		int64_t from = s->start > reached ? s->start : reached, to = span_end(s);

		q.inside += to > from ? to - from : 0;
		reached = to > reached ? to : reached;
	}
	q.end = reached;
	if ((uint64_t)(q.end - q.start) < j->request->filter->slower_ns)
		return;
	memory_reserve(&j->found, &j->found_capacity, j->count + 1);
	j->found[j->count++] = q;
}

/* The longest first. */
static int joined_compare(const void *a, const void *b)
{
	const struct joined_request *x = a, *y = b;
	int64_t own = x->end - x->start, other = y->end - y->start;

	return own != other ? (own < other) - (own > other) : (x->start > y->start) - (x->start < y->start);
}

/* Make the requests, and what is shown of the first `shown`. */
static size_t joined_settle(struct joined *j, size_t shown)
{
	size_t from = 0;

	if (j->calls)
		qsort(j->call, j->calls, sizeof(*j->call), joined_compare_calls);
	for (size_t i = 1; i <= j->calls; i++) {
		if (i < j->calls && j->call[i].value == j->call[from].value)
			continue;
		if (j->passed[j->call[from].value - 1])
			joined_make(j, &j->call[from], i - from);
		from = i;
	}
	if (j->count)
		qsort(j->found, j->count, sizeof(*j->found), joined_compare);
	shown = shown < j->count ? shown : j->count;
	for (size_t i = 0; i < shown; i++) {
		joined_nest(&j->found[i]);
		joined_find_gaps(&j->found[i]);
	}
	method_names_settle(&j->names);
	return shown;
}

/* For a pass over the calls. */
struct joined_values {
	struct joined *j;
	struct map call; /* number of a call -> index + 1 */
};

static int joined_on_shown(const struct call *call, void *context)
{
	struct joined_values *v = context;
	uint32_t at = call->values ? map_get(&v->call, call->number, 0) : 0;

	if (!at)
		return 0;
	bytes_clear(&v->j->text);
	if (v->j->request->layout.json) {
		bytes_put_u8(&v->j->text, '#');
		user_values_put_json(&v->j->text, call);
	} else {
		user_values_put(&v->j->text, call, NULL, v->j->utc_offset);
	}
	v->j->call[at - 1].values = texts_number(&v->j->texts, memory_text(&v->j->text));
	return 0;
}

static void joined_find_values(struct joined *j, size_t shown, struct jfr_file *file)
{
	static const struct trace_ops ops = {.call = joined_on_shown};
	struct joined_values v = {.j = j};

	for (size_t i = 0; i < shown; i++)
		for (size_t k = 0; k < j->found[i].calls; k++)
			*memory_map_at(&v.call, j->found[i].call[k].nested.span.number, 0) =
				&j->found[i].call[k] - j->call + 1;
	trace_read_again(file, &(struct trace_reader){.ops = &ops, .context = &v}, 1);
	map_release(&v.call);
}

static const char *joined_text(const struct joined *j, uint32_t number)
{
	return number ? j->texts.text[number] : "";
}

static const char *joined_thread(const struct joined *j, const struct joined_call *c)
{
	return c->thread ? j->threads.thread[c->thread - 1].name : "?";
}

static void joined_put_right(struct bytes *out, const char *text)
{
	size_t length = strlen(text);

	put_spaces(out, length < 10 ? 10 - length : 1);
	put_text(out, text);
}

static void joined_put_call(const struct joined *j, const struct joined_request *q, const struct joined_call *c,
			    struct bytes *out)
{
	size_t width = j->request->layout.width, left, thread;
	struct bytes values;

	bytes_init(&values);
	put_text(&values, joined_text(j, c->values));
	joined_put_right(out, log_time(c->nested.span.start - q->start));
	joined_put_right(out, c->gap == INT64_MIN ? "" : log_time(c->gap));
	joined_put_right(out, log_time(c->nested.span.duration));
	put_spaces(out, 2 + 2 * (c->depth < MOST_DEPTH ? c->depth : MOST_DEPTH));
	thread = name_columns(joined_thread(j, c)) + strlen(" \"\"") + (c->thrown ? strlen(", thrown") : 0);
	left = fold_columns(out) + thread;
	left = width > left ? width - left : 0;
	name_fit(out, method_names_text(&j->names, c->method), left - user_values_share(&values, left),
		 method_names_overloaded(&j->names, c->method));
	put_text(out, c->thrown ? ", thrown \"" : " \"");
	put_text(out, joined_thread(j, c));
	bytes_put_u8(out, '"');
	user_values_put_beside(out, &values, width);
	bytes_put_u8(out, '\n');
	bytes_release(&values);
}

/* "id=132: 229.0 ms, 139.9 ms of it in none of 3 calls on 2 threads, 21:31:53.333" */
static void joined_put_request(const struct joined *j, const struct joined_request *q, struct bytes *out)
{
	int64_t outside = q->end - q->start - q->inside;
	struct bytes line;

	bytes_init(&line);
	bytes_printf(&line, "%s=", j->request->by);
	put_text(&line, j->values.text[q->call->value - 1]);
	put_text(&line, ": ");
	put_text(&line, log_time(q->end - q->start));
	put_text(&line, ", ");
	put_text(&line, log_time(outside));
	put_text(&line, " of it in none of ");
	put_text(&line, log_count(q->calls));
	put_text(&line, q->calls == 1 ? " call on " : " calls on ");
	put_text(&line, log_count(q->threads));
	put_text(&line, q->threads == 1 ? " thread, " : " threads, ");
	view_put_time_of_day(&line, q->start, j->utc_offset);
	for (size_t i = 0; i < line.size; i++)
		line.data[i] = line.data[i] < ' ' ? ' ' : line.data[i];
	fold_words(out, memory_text(&line), j->request->layout.width, 8);
	bytes_put_u8(out, '\n');
	bytes_release(&line);
	for (size_t i = 0; i < q->calls && i < CALLS_SHOWN; i++)
		joined_put_call(j, q, &q->call[i], out);
	if (q->calls > CALLS_SHOWN)
		bytes_printf(out, "%*sand %s more calls\n", BEFORE, "", log_count(q->calls - CALLS_SHOWN));
}

static void joined_print(const struct joined *j, size_t shown, struct bytes *out)
{
	if (!shown) {
		put_text(out, "\nNo events found for 'Requests'.\n");
		return;
	}
	bytes_printf(out, "\nRequests by %s\n\n", j->request->by);
	joined_put_right(out, "begin");
	joined_put_right(out, "gap");
	joined_put_right(out, "duration");
	bytes_put_u8(out, '\n');
	for (size_t i = 0; i < shown; i++)
		joined_put_request(j, &j->found[i], out);
	view_put_more(out, j->count, shown, "request");
	if (j->seen > j->calls) {
		bytes_put_u8(out, '\n');
		view_count(out, j->seen - j->calls);
		put_text(out, j->seen - j->calls == 1 ? " other call has no value\n" : " other calls have no value\n");
	}
}

static void joined_put_row(const struct joined *j, size_t number, const struct joined_call *c, struct table *table)
{
	const struct joined_request *q = &j->found[number];

	table_put_count(table, number + 1);
	table_put(table, j->typed.text[j->typed_of[c->value - 1]]);
	table_put_time(table, q->end - q->start);
	table_put_time(table, q->end - q->start - q->inside);
	view_put_iso(table, c->nested.span.start);
	table_put_time(table, c->nested.span.start - q->start);
	table_put_time(table, c->gap);
	table_put_time(table, c->nested.span.duration);
	table_put_count(table, c->depth);
	table_put(table, joined_thread(j, c));
	table_put(table, method_names_text(&j->names, c->method));
	table_put_count(table, c->thrown);
	table_put(table, joined_text(j, c->values));
}

static void joined_print_json(const struct joined *j, size_t shown, struct bytes *out)
{
	static const struct table_column columns[] = {
		{NULL, "request", TABLE_NUMBER, 0}, {NULL, "value", TABLE_TYPED, 0},
		{NULL, "totalNs", TABLE_NUMBER, 0}, {NULL, "outsideNs", TABLE_NUMBER, 0},
		{NULL, "startTime", TABLE_TEXT, 0}, {NULL, "beginNs", TABLE_NUMBER, 0},
		{NULL, "gapNs", TABLE_NUMBER, 0},   {NULL, "durationNs", TABLE_NUMBER, 0},
		{NULL, "depth", TABLE_NUMBER, 0},   {NULL, "thread", TABLE_TEXT, 0},
		{NULL, "method", TABLE_METHOD, 0},  {NULL, "thrown", TABLE_NUMBER, 0},
		{NULL, "values", TABLE_TYPED, 0},
	};
	struct table table;

	table_init(&table, "Requests", columns, sizeof(columns) / sizeof(columns[0]));
	for (size_t i = 0; i < shown; i++)
		for (size_t k = 0; k < j->found[i].calls; k++)
			joined_put_row(j, i, &j->found[i].call[k], &table);
	view_put_table(&table, 0, j->request, out);
}

static void joined_release(struct joined *j)
{
	method_names_release(&j->names);
	threads_release(&j->threads);
	texts_release(&j->values);
	texts_release(&j->typed);
	texts_release(&j->texts);
	bytes_release(&j->text);
	free(j->typed_of);
	free(j->passed);
	free(j->call);
	free(j->found);
}

/* Other options than --where and --slower say which calls take part; those, which requests are shown. */
static void joined_read(struct joined *j, struct jfr_file *file)
{
	static const struct trace_ops ops = {.call = joined_on_call};
	struct call_filter *filter = j->request->filter;
	struct value_filter where = filter->value;
	uint64_t slower_ns = filter->slower_ns;

	j->where = &where;
	filter->value = (struct value_filter){0};
	filter->slower_ns = 0;
	trace_read_all(file, &(struct trace_reader){&ops, j, filter}, 1);
	filter->value = where;
	filter->slower_ns = slower_ns;
}

int view_request_by(struct jfr_file *file, const struct view_request *request, struct bytes *out)
{
	struct joined j = {.request = request};
	size_t shown;
	int err = 0;

	if (!request->by)
		return diag_usage(request->diag, "the field that calls of a request have in common: --by=id");
	bytes_init(&j.text);
	joined_read(&j, file);
	j.utc_offset = file->utc_offset;
	if (j.seen && !j.calls)
		err = view_refuse_by(file, request);
	shown = joined_settle(&j, request->top ?: SHOWN);
	joined_find_values(&j, shown, file);
	if (err)
		;
	else if (request->layout.json)
		joined_print_json(&j, shown, out);
	else
		joined_print(&j, shown, out);
	joined_release(&j);
	return err;
}
