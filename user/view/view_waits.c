// SPDX-License-Identifier: BSD-2-Clause
/* Waits of threads in traced calls: reasons, wakers, and the code that waited for locks. */
#include "user/text/java_number.h"
#include "user/text/memory.h"
#include "user/trace/aggregate.h"
#include "user/trace/texts.h"
#include "user/trace/threads.h"
#include "user/trace/wait_place.h"
#include "user/view/views.h"

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
	struct texts texts;
	struct aggregate by[TABLES]; /* by number of a text */
};

/* Add to the group of what was put into `text`, and release that. */
static void waits_add_to(struct wait_groups *g, enum wait_table table, struct bytes *text, int64_t duration)
{
	uint32_t number = texts_number(&g->texts, memory_text(text));

	aggregate_add(aggregate_of(&g->by[table], number, 0), duration, false);
	bytes_release(text);
}

/* Threads of the JVM itself have no Java stack. */
static void put_wakers_name(struct bytes *text, const struct thread_wait *w)
{
	put_text(text, "(");
	put_thread_kind(text, w->chunk, w->waker, "not known");
	put_text(text, w->waker.kind == VALUE_KEY ? ", no Java stack)" : ")");
}

/* Where the lock was released, or what stands for it. `placed`: where the thread waited is known. */
static void put_holder_or_waker(struct bytes *text, const struct thread_wait *w, const char *reason, bool placed)
{
	put_wait_holder(text, w, reason);
	if (text->size)
		return;
	if (thread_wait_by_interrupt(w))
		put_text(text, "(a timer or another interrupt)");
	else if (!placed)
		put_text(text, "(no stack: shorter than --wait-stack)");
	else
		put_wakers_name(text, w);
}

static void waits_add_lock(struct wait_groups *g, const struct thread_wait *w, const char *reason)
{
	struct bytes place, holder;
	bool placed;

	bytes_init(&place);
	bytes_init(&holder);
	put_wait_place(&place, w);
	placed = place.size;
	put_text(&place, placed ? "" : "(no stack: shorter than --wait-stack)");
	put_holder_or_waker(&holder, w, reason, placed);
	waits_add_to(g, BY_PLACE, &place, w->duration);
	waits_add_to(g, BY_HOLDER, &holder, w->duration);
}

static int waits_add(const struct thread_wait *w, void *context)
{
	struct wait_groups *g = context;
	char *reason = thread_wait_reason(w);
	struct bytes text;

	bytes_init(&text);
	put_thread_kind(&text, w->chunk, w->waker,
			thread_wait_by_interrupt(w) ? "(a timer or another interrupt)"
						    : "(not known, or an interrupt)");
	waits_add_to(g, BY_WAKER, &text, w->duration);
	if (wait_is_for_lock(reason))
		waits_add_lock(g, w, reason);
	put_text(&text, reason);
	waits_add_to(g, BY_REASON, &text, w->duration);
	free(reason);
	return 0;
}

static int waits_compare(const void *a, const void *b, void *texts)
{
	const struct group *x = a, *y = b;
	char *const *text = ((const struct texts *)texts)->text;

	return x->total != y->total ? (x->total < y->total) - (x->total > y->total)
				    : strcmp(text[x->first], text[y->first]);
}

static void waits_put_table(struct wait_groups *groups, enum wait_table by, const struct view_request *request,
			    struct bytes *out)
{
	const struct table_column columns[] = {
		tables[by].first,
		{"Waits", "waits", TABLE_NUMBER, 0},
		{"Total", "totalNs", TABLE_NUMBER, 0},
		{"Average", "averageNs", TABLE_NUMBER, 2},
		{"Longest", "longestNs", TABLE_NUMBER, 1},
	};
	struct aggregate *all = &groups->by[by];
	struct view_request shown = *request;
	struct table table;

	shown.top = request->top ?: SHOWN;
	table_init(&table, tables[by].title, columns, sizeof(columns) / sizeof(columns[0]));
	if (all->count)
		qsort_r(all->group, all->count, sizeof(*all->group), waits_compare, &groups->texts);
	for (size_t i = 0; i < all->count && i < shown.top; i++) {
		const struct group *g = &all->group[i];

		table_put(&table, groups->texts.text[g->first]);
		table_put_count(&table, g->count);
		table_put_time(&table, g->total);
		table_put_time(&table, g->total / (int64_t)g->count);
		table_put_time(&table, g->most);
	}
	view_put_table(&table, all->count, &shown, out);
}

static void waits_put(void *state, const struct view_request *request, struct bytes *out)
{
	struct wait_groups *g = state;

	for (enum wait_table t = 0; t < TABLES; t++) {
		bool wanted = t == BY_REASON || g->by[t].count;

		if (request->by ? strcmp(request->by, tables[t].name) == 0 : wanted)
			waits_put_table(g, t, request, out);
	}
}

static void waits_release(void *state)
{
	struct wait_groups *g = state;

	for (enum wait_table t = 0; t < TABLES; t++)
		aggregate_release(&g->by[t]);
	texts_release(&g->texts);
}

static int waits_check(const struct view_request *request)
{
	bool known = !request->by;

	for (enum wait_table t = 0; t < TABLES && !known; t++)
		known = strcmp(request->by, tables[t].name) == 0;
	return known ? 0
		     : diag_usage(request->diag, "waits are not grouped by '%s': --by=reason, waker, place or holder",
				  request->by);
}

const struct view_pass view_waits = {.size = sizeof(struct wait_groups),
				     .ops = {.wait = waits_add},
				     .check = waits_check,
				     .put = waits_put,
				     .release = waits_release};
