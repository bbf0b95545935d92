// SPDX-License-Identifier: BSD-2-Clause
/* Waits of threads in traced calls: reasons, wakers, and the code that waited for locks. */
#include "user/trace/aggregate.h"
#include "user/text/java_number.h"
#include "user/trace/jfr_names.h"
#include "user/view/views.h"
#include "user/trace/wait.h"
#include "user/trace/wait_place.h"
#include "user/trace/trace.h"

#include <errno.h>
#include <stdlib.h>

#define SHOWN 20

/* What the tables are about. */
enum wait_table { BY_REASON, BY_WAKER, BY_PLACE, BY_HOLDER, TABLES };

static const struct {
	const char *name, *title;
	struct table_column first;
} tables[TABLES] = {
	[BY_REASON] = {"reason", "Waits by Reason", {"Reason", "reason", TABLE_TEXT, 0}},
	[BY_WAKER] = {"waker", "Waits by Waker", {"Waker", "waker", TABLE_TEXT, 0}},
	[BY_PLACE] = {"place", "Waits for Locks by Place", {"Place", "place", TABLE_METHOD, 0}},
	[BY_HOLDER] = {"holder", "Waits for Locks by Holder", {"Holder", "holder", TABLE_METHOD, 0}},
};

struct wait_groups {
	struct aggregate by[TABLES];
	struct call_filter *filter;
	const struct jfr_file *file;
};

static uint64_t waits_key_of(const char *text)
{
	uint64_t h = 0xcbf29ce484222325;

	for (; *text; text++)
		h = (h ^ (unsigned char)*text) * 0x100000001b3;
	return h;
}

/* Takes ownership of `text`. False: no memory, or text is NULL. */
static bool add_to(struct aggregate *aggregate, char *text, int64_t duration)
{
	struct group *g = text ? aggregate_of(aggregate, waits_key_of(text), 0) : NULL;

	if (!g) {
		free(text);
		return false;
	}
	if (g->count)
		free(text);
	else
		g->name = text;
	aggregate_add(g, duration, false);
	return true;
}

static char *waits_taken(struct bytes *text)
{
	bytes_put_u8(text, 0);
	if (text->failed)
		bytes_release(text);
	return (char *)text->data;
}

static char *waker_of(const struct thread_wait *w)
{
	struct bytes text;

	bytes_init(&text);
	put_waker_name(&text, w,
		       thread_wait_by_interrupt(w) ? "(a timer or another interrupt)" : "(not known, or an interrupt)");
	return waits_taken(&text);
}

static char *place_of(const struct thread_wait *w)
{
	struct bytes text;

	bytes_init(&text);
	put_wait_place(&text, w);
	if (!text.size)
		put_text(&text, "(no stack: shorter than --wait-stack)");
	return waits_taken(&text);
}

/* Threads of the JVM itself have no Java stack. */
static void put_wakers_name(struct bytes *text, const struct thread_wait *w)
{
	put_text(text, "(");
	put_waker_name(text, w, "not known");
	put_text(text, w->waker.kind == VALUE_KEY ? ", no Java stack)" : ")");
}

/* Where the lock was released, or what stands for it. */
static char *holder_of(const struct thread_wait *w, const char *reason)
{
	struct bytes text, place, own;

	bytes_init(&text);
	bytes_init(&place);
	bytes_init(&own);
	put_wait_holder(&place, w, reason);
	put_wait_place(&own, w);
	if (place.size)
		bytes_put(&text, place.data, place.size);
	else if (thread_wait_by_interrupt(w))
		put_text(&text, "(a timer or another interrupt)");
	else if (!own.size)
		put_text(&text, "(no stack: shorter than --wait-stack)");
	else
		put_wakers_name(&text, w);
	text.failed |= place.failed || own.failed;
	bytes_release(&place);
	bytes_release(&own);
	return waits_taken(&text);
}

static int waits_add(const struct thread_wait *w, void *context)
{
	struct wait_groups *g = context;
	int passed = call_filter_has_wait(g->filter, w, g->file->utc_offset);
	char *reason = passed > 0 ? thread_wait_reason(w) : NULL;
	bool is_lock = reason && wait_is_for_lock(reason), added;

	if (passed <= 0)
		return passed;
	added = add_to(&g->by[BY_WAKER], waker_of(w), w->duration);
	if (added && is_lock)
		added = add_to(&g->by[BY_PLACE], place_of(w), w->duration) &&
			add_to(&g->by[BY_HOLDER], holder_of(w, reason), w->duration);
	return add_to(&g->by[BY_REASON], reason, w->duration) && added ? 0 : -ENOMEM;
}

static int waits_compare(const void *a, const void *b)
{
	const struct group *x = a, *y = b;

	return x->total != y->total ? (x->total < y->total) - (x->total > y->total) : strcmp(x->name, y->name);
}

static bool waits_show(struct aggregate *aggregate, const struct view_request *request, struct bytes *out,
		       const char *title, const struct table_column *first)
{
	const struct table_column columns[] = {
		*first,
		{"Waits", "waits", TABLE_NUMBER, 0},
		{"Total", "totalNs", TABLE_NUMBER, 0},
		{"Average", "averageNs", TABLE_NUMBER, 2},
		{"Longest", "longestNs", TABLE_NUMBER, 1},
	};
	uint64_t shown = request->top ?: SHOWN;
	struct table table;
	bool printed;

	table_init(&table, title, columns, sizeof(columns) / sizeof(columns[0]));
	aggregate_sort(aggregate, waits_compare);
	for (size_t i = 0; i < aggregate->count && i < shown; i++) {
		const struct group *g = &aggregate->group[i];

		table_put(&table, g->name);
		table_put_count(&table, g->count);
		table_put_time(&table, g->total);
		table_put_time(&table, g->total / (int64_t)g->count);
		table_put_time(&table, g->most);
	}
	table.more = aggregate->count > shown ? aggregate->count - shown : 0;
	printed = table_print(&table, &request->layout, out);
	table_release(&table);
	return printed;
}

static bool is_wanted(const struct view_request *request, const struct wait_groups *g, unsigned int table)
{
	if (request->by)
		return strcmp(request->by, tables[table].name) == 0;
	return table == BY_REASON || g->by[table].count;
}

static bool is_wait_table(const char *name)
{
	for (unsigned int t = 0; t < TABLES; t++)
		if (strcmp(name, tables[t].name) == 0)
			return true;
	return false;
}

int view_waits(struct jfr_file *file, const struct view_request *request, struct bytes *out)
{
	struct wait_groups g = {.filter = request->filter, .file = file};
	bool shown;
	int err;

	if (request->by && !is_wait_table(request->by))
		return diag_usage(request->diag, "waits are not grouped by '%s': --by=reason, waker, place or holder",
				  request->by);
	err = trace_read(file, &(struct trace_ops){.wait = waits_add}, &g);
	shown = !err;
	for (unsigned int t = 0; t < TABLES; t++) {
		if (shown && is_wanted(request, &g, t))
			shown = waits_show(&g.by[t], request, out, tables[t].title, &tables[t].first);
		aggregate_release(&g.by[t]);
	}
	return err ? err : shown ? 0 : -ENOMEM;
}
