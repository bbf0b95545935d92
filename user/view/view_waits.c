// SPDX-License-Identifier: BSD-2-Clause
/* Waits of threads in traced calls: reasons, wakers, and the code that waited for locks. */
#include "filters/near.h"
#include "user/text/java_number.h"
#include "user/text/memory.h"
#include "user/trace/aggregate.h"
#include "user/trace/holders.h"
#include "user/trace/texts.h"
#include "user/trace/wait_place.h"
#include "user/view/views.h"
#include "user/view/wait_resources.h"
#include "user/view/wait_values.h"

#include <stdlib.h>

#define SHOWN 20

/* What the tables are about. */
enum wait_table { BY_REASON, BY_WAKER, BY_PLACE, BY_HOLDER, BY_RESOURCE, TABLES };

static const struct {
	const char *name, *title;
	struct table_column first;
} tables[TABLES] = {
	[BY_REASON] = {"reason", "Waits by Reason", {"Reason", "reason", TABLE_TEXT, 0}},
	[BY_WAKER] = {"waker", "Waits by Waker", {"Waker", "waker", TABLE_TEXT, 0}},
	[BY_PLACE] = {"place", "Waits for Locks by Place", {"Place", "place", TABLE_METHOD, 0}},
	[BY_HOLDER] = {"holder", "Waits for Locks by Holder", {"Holder", "holder", TABLE_METHOD, 0}},
	[BY_RESOURCE] = {"resource"}, /* wait_resources.c */
};

bool view_waits_have_table(const char *by)
{
	for (enum wait_table t = 0; t < TABLES; t++)
		if (strcmp(by, tables[t].name) == 0)
			return true;
	return false;
}

void view_waits_put_near(struct bytes *out, const char *by)
{
	const char *name[TABLES];

	for (enum wait_table t = 0; t < TABLES; t++)
		name[t] = tables[t].name;
	near_put(out, by, name, TABLES, 0);
}

struct wait_groups {
	const char *field;	   /* only by the values of this field; NULL: by `tables` */
	struct wait_values values; /* then */
	struct wait_resources resources;
	struct texts texts;
	struct aggregate by[TABLES]; /* by number of a text; BY_WAKER: and of that of the waker's call */
	struct threads threads;
	struct method_names names;
	struct holders holders;
	/* Waits whose waker may be known better after the second pass: numbers of holders_add(), and of texts. */
	struct waits_pending {
		uint32_t number, waker;
		uint32_t holder; /* what stands for it if nothing is known; 0: no lock, or its place is known */
		int64_t duration;
	} *pending;
	size_t count, capacity;
	struct wait_calls calls; /* of the longest wait of each group, by its `mark` */
	enum { READ_WAITS, READ_HOLDERS, READ_CALLS } pass;
	bool no_values; /* no call has any */
};

/* The number of what was put into `text`, which is released. */
static uint32_t waits_text(struct wait_groups *g, struct bytes *text)
{
	uint32_t number = texts_number(&g->texts, memory_text(text));

	bytes_release(text);
	return number;
}

static void waits_add_to(struct wait_groups *g, enum wait_table table, uint32_t first, uint32_t second,
			 int64_t duration, struct wait_call call)
{
	struct group *group = aggregate_of(&g->by[table], first, second);
	bool longest = !group->count || duration > group->most;

	aggregate_add(group, duration, false);
	if (longest)
		wait_calls_want(&g->calls, &group->mark, call);
}

/* The call that waits, and that of a thread in which it ended the wait. */
static struct wait_call waits_own_call(struct wait_groups *g, const struct thread_wait *w)
{
	return (struct wait_call){threads_number(&g->threads, w->chunk, &w->thread), wait_middle(w), -1};
}

static struct wait_call waits_wakers_call(struct wait_groups *g, const struct thread_wait *w)
{
	bool known = w->woken != INT64_MIN;

	return (struct wait_call){threads_number(&g->threads, w->chunk, &w->waker),
				  known ? w->woken : w->start + w->duration, -1};
}

/* Threads of the JVM itself have no Java stack, and of those of a pool it says nothing. */
static void put_wakers_name(struct bytes *text, const struct thread_wait *w)
{
	bool known = w->waker.kind == VALUE_KEY, java = w->waker_stack.kind == VALUE_KEY && w->waker_stack.key;

	put_text(text, "(");
	put_thread_kind(text, w->chunk, w->waker, "not known");
	put_text(text, !known ? ")" : java ? ", in the JDK's code)" : ", no Java stack)");
}

/* Virtual threads that wait for a monitor do so in the JVM, where their stack is not taken. */
static void put_no_place(struct bytes *text, const char *reason)
{
	put_text(text, strcmp(reason, "parked") != 0 ? "(no stack: shorter than --wait-stack)"
						     : "(no stack: short, or a virtual thread at a monitor)");
}

/* What stands for the place at which a lock was released. `placed`: where the thread waited is known. */
static void put_no_holder(struct bytes *text, const struct thread_wait *w, const char *reason, bool placed)
{
	if (thread_wait_by_interrupt(w))
		put_text(text, "(a timer or another interrupt)");
	else if (!placed)
		put_no_place(text, reason);
	else
		put_wakers_name(text, w);
}

/* Returns what stands for the holder until more is known, 0: nothing has to. */
static uint32_t waits_add_lock(struct wait_groups *g, const struct thread_wait *w, const char *reason, bool pending)
{
	struct bytes place, holder;
	bool placed, held;
	uint32_t number;

	bytes_init(&place);
	bytes_init(&holder);
	put_wait_place(&place, w);
	placed = place.size;
	if (!placed)
		put_no_place(&place, reason);
	waits_add_to(g, BY_PLACE, waits_text(g, &place), 0, w->duration, waits_own_call(g, w));
	put_wait_holder(&holder, w, reason);
	held = holder.size;
	if (!held)
		put_no_holder(&holder, w, reason, placed);
	number = waits_text(g, &holder);
	if (!held && pending)
		return number;
	waits_add_to(g, BY_HOLDER, number, 0, w->duration,
		     held ? waits_wakers_call(g, w) : (struct wait_call){.thread = 0});
	return 0;
}

static int waits_add(const struct thread_wait *w, void *context)
{
	struct wait_groups *g = context;
	uint32_t number, waker, holder = 0;
	char *reason = thread_wait_reason(w);
	struct bytes text;

	if (g->field) {
		wait_values_add_wait(&g->values, w, reason);
		free(reason);
		return 0;
	}
	wait_resources_add(&g->resources, w, reason);
	number = holders_add(&g->holders, w);
	bytes_init(&text);
	put_thread_kind(&text, w->chunk, w->waker,
			thread_wait_by_interrupt(w) ? "(a timer or another interrupt)"
						    : "(not known, or an interrupt)");
	waker = waits_text(g, &text);
	if (wait_is_for_lock(reason))
		holder = waits_add_lock(g, w, reason, number);
	waits_add_to(g, BY_REASON, texts_number(&g->texts, reason), 0, w->duration, waits_own_call(g, w));
	free(reason);
	if (!number) {
		waits_add_to(g, BY_WAKER, waker, 0, w->duration, (struct wait_call){.thread = 0});
		return 0;
	}
	holders_want_number(&g->holders, number);
	memory_reserve(&g->pending, &g->capacity, g->count + 1);
	g->pending[g->count++] = (struct waits_pending){number, waker, holder, w->duration};
	return 0;
}

static void waits_begin(void *state, const struct view_request *request)
{
	struct wait_groups *g = state;

	g->field = request->by && !view_waits_have_table(request->by) ? request->by : NULL;
	g->calls.json = request->layout.json;
	g->holders = (struct holders){.threads = &g->threads, .names = &g->names};
}

/* After the pass in which holders were looked for. */
static void waits_add_pending(struct wait_groups *g)
{
	method_names_settle(&g->names);
	for (size_t i = 0; i < g->count; i++) {
		const struct waits_pending *p = &g->pending[i];
		const struct held *held = holders_of_number(&g->holders, p->number);
		struct held_answer answer = held_answer(held);
		struct wait_call named = {answer.how ? held->holder : 0, answer.start, answer.duration};
		bool by_holder = answer.how == HELD_BY;
		uint32_t call = 0;
		struct bytes text;

		bytes_init(&text);
		if (holders_put_kind(&g->holders, answer, &text))
			call = texts_number(&g->texts, memory_text(&text));
		bytes_release(&text);
		waits_add_to(g, BY_WAKER, p->waker, by_holder ? 0 : call, p->duration,
			     by_holder ? (struct wait_call){.thread = 0} : named);
		if (p->holder)
			waits_add_to(g, BY_HOLDER, call ?: p->holder, 0, p->duration, named);
	}
	g->count = 0;
}

/* The second pass finds out who held locks, or which value calls had; the third one, the values of the calls in rows. */
static bool waits_between(void *state)
{
	struct wait_groups *g = state;

	g->pass++;
	if (g->pass == READ_HOLDERS && (g->count || g->values.waits)) {
		holders_settle(&g->holders);
		g->no_values = true;
		return true;
	}
	if (g->pass > READ_CALLS || g->field)
		return false;
	g->pass = READ_CALLS;
	waits_add_pending(g);
	wait_calls_settle(&g->calls);
	return g->calls.count && !g->no_values;
}

static int waits_read_wait(const struct thread_wait *w, void *context)
{
	struct wait_groups *g = context;

	if (g->pass == READ_HOLDERS && !g->field)
		holders_read_wait(&g->holders, w);
	return 0;
}

static int waits_read_call(const struct call *call, void *context)
{
	struct wait_groups *g = context;

	g->no_values &= !call->values;
	if (g->pass == READ_CALLS)
		wait_calls_read(&g->calls, call, threads_number(&g->threads, call->chunk, &call->thread));
	else if (g->field)
		wait_values_add_call(&g->values, call, g->field);
	else
		holders_read_call(&g->holders, call);
	return 0;
}

static int waits_compare(const void *a, const void *b, void *texts)
{
	const struct group *x = a, *y = b;
	char *const *text = ((const struct texts *)texts)->text;

	if (x->total != y->total)
		return (x->total < y->total) - (x->total > y->total);
	return strcmp(text[x->first], text[y->first]) ?: strcmp(text[x->second], text[y->second]);
}

/* Is the column of the wakers' calls shown? In JSON it always is. */
static bool waits_have_calls(const struct aggregate *all, enum wait_table by, bool json)
{
	bool have = json;

	for (size_t i = 0; i < all->count; i++)
		have |= all->group[i].second > 0;
	return by == BY_WAKER && have;
}

/* Is the column of values shown? */
static bool waits_have_values(const struct wait_groups *groups, const struct aggregate *all, bool json)
{
	bool have = json;

	for (size_t i = 0; i < all->count; i++)
		have |= *wait_calls_text(&groups->calls, all->group[i].mark);
	return have;
}

static void waits_put_call_values(struct table *table, const char *values, bool json)
{
	put_text(&table->cells, json && *values ? "#" : "");
	table_put(table, values);
}

static void waits_put_table(struct wait_groups *groups, enum wait_table by, const struct view_request *request,
			    struct bytes *out)
{
	const bool json = request->layout.json;
	struct table_column columns[7] = {
		tables[by].first,
		{"Waits", "waits", TABLE_NUMBER, 0},
		{"Total", "totalNs", TABLE_NUMBER, 0},
		{"Average", "averageNs", TABLE_NUMBER, 2},
		{"Longest", "longestNs", TABLE_NUMBER, 1},
	};
	struct aggregate *all = &groups->by[by];
	bool calls = waits_have_calls(all, by, json), values = waits_have_values(groups, all, json);
	struct view_request shown = *request;
	struct table table;

	columns[5] = (struct table_column){"Its Call", "call", TABLE_METHOD, 3};
	columns[5 + calls] = (struct table_column){"Its Values", "values", json ? TABLE_TYPED : TABLE_VALUE, 0};
	shown.top = request->top ?: SHOWN;
	table_init(&table, tables[by].title, columns, 5 + calls + values);
	if (all->count)
		qsort_r(all->group, all->count, sizeof(*all->group), waits_compare, &groups->texts);
	for (size_t i = 0; i < all->count && i < shown.top; i++) {
		const struct group *g = &all->group[i];

		table_put(&table, groups->texts.text[g->first]);
		table_put_count(&table, g->count);
		table_put_time(&table, g->total);
		table_put_time(&table, g->total / (int64_t)g->count);
		table_put_time(&table, g->most);
		if (calls)
			table_put(&table, g->second ? groups->texts.text[g->second] : "");
		if (values)
			waits_put_call_values(&table, wait_calls_text(&groups->calls, g->mark), json);
	}
	view_put_table(&table, all->count, &shown, out);
}

static void waits_put_values(struct wait_values *v, const struct view_request *request, struct bytes *out)
{
	const struct table_column columns[] = {
		{request->by, NULL, TABLE_VALUE, 0},	   {NULL, "value", TABLE_TYPED, 0},
		{"Reason", "reason", TABLE_TEXT, 0},	   {"Waits", "waits", TABLE_NUMBER, 0},
		{"Total", "totalNs", TABLE_NUMBER, 0},	   {"Average", "averageNs", TABLE_NUMBER, 2},
		{"Longest", "longestNs", TABLE_NUMBER, 1},
	};
	struct view_request shown = *request;
	struct bytes title;
	struct table table;

	wait_values_settle(v);
	shown.top = request->top ?: SHOWN;
	bytes_init(&title);
	bytes_printf(&title, "Waits by %s", request->by);
	table_init(&table, memory_text(&title), columns, sizeof(columns) / sizeof(columns[0]));
	for (size_t i = 0; i < v->sums.count && i < shown.top; i++) {
		const struct group *g = &v->sums.group[i];
		const char *value = g->first ? v->texts.text[g->first] : "#null";

		table_put(&table, g->first ? value + 1 : "N/A");
		table_put(&table, value);
		table_put(&table, v->texts.text[g->second]);
		table_put_count(&table, g->count);
		table_put_time(&table, g->total);
		table_put_time(&table, g->total / (int64_t)g->count);
		table_put_time(&table, g->most);
	}
	view_put_table(&table, v->sums.count, &shown, out);
	bytes_release(&title);
}

static void waits_put(void *state, const struct view_request *request, struct bytes *out)
{
	struct wait_groups *g = state;

	if (g->field) {
		waits_put_values(&g->values, request, out);
		return;
	}
	for (enum wait_table t = 0; t < TABLES; t++) {
		bool wanted = t == BY_REASON || g->by[t].count || (t == BY_RESOURCE && g->resources.count);

		if (request->by ? strcmp(request->by, tables[t].name) != 0 : !wanted)
			continue;
		if (t == BY_RESOURCE)
			wait_resources_put(&g->resources, request, out);
		else
			waits_put_table(g, t, request, out);
	}
}

static void waits_release(void *state)
{
	struct wait_groups *g = state;

	for (enum wait_table t = 0; t < TABLES; t++)
		aggregate_release(&g->by[t]);
	wait_values_release(&g->values);
	wait_calls_release(&g->calls);
	wait_resources_release(&g->resources);
	holders_release(&g->holders);
	threads_release(&g->threads);
	method_names_release(&g->names);
	texts_release(&g->texts);
	free(g->pending);
}

static int waits_check(const struct view_request *request)
{
	if (!request->by || view_by_field(request))
		return 0;
	return diag_usage(request->diag,
			  "waits are not grouped by '%s': --by=reason, waker, place, holder, resource, or a field",
			  request->by);
}

const struct view_pass view_waits = {.size = sizeof(struct wait_groups),
				     .ops = {.wait = waits_add},
				     .again = {.wait = waits_read_wait, .call = waits_read_call},
				     .between = waits_between,
				     .check = waits_check,
				     .begin = waits_begin,
				     .put = waits_put,
				     .release = waits_release};
