// SPDX-License-Identifier: BSD-2-Clause
/* Waits of threads in traced calls: reasons, wakers, and the code that waited for locks. */
#include "user/view/aggregate.h"
#include "user/text/java_number.h"
#include "user/view/jfr_names.h"
#include "user/view/wait_iter.h"
#include "user/view/views.h"

#include <errno.h>
#include <stdlib.h>

#define SHOWN 20

struct wait_groups {
	struct aggregate reasons, wakers, sites;
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
	put_thread_name(&text, w->chunk, w->waker, "(not known, or an interrupt)");
	return waits_taken(&text);
}

/* JDK methods that wrap a wait; the interesting frame is their caller. */
static bool is_machinery(const char *method)
{
	static const char *const begins[] = {
		"java.lang.Object.wait",       "jdk.internal.misc.Unsafe.park(", "sun.misc.Unsafe.park(",
		"java.util.concurrent.locks.", "java.lang.Thread.sleep",	 "java.lang.VirtualThread.",
	};

	for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); i++)
		if (strncmp(method, begins[i], strlen(begins[i])) == 0)
			return true;
	return false;
}

/* Replace `text` by "a.b.C.m(int):17". */
static void put_site(struct bytes *text, struct jfr_chunk *chunk, struct jfr_value *frame)
{
	struct jfr_value method = frame_method(chunk, frame), line = jfr_field(chunk, frame, "lineNumber");

	bytes_clear(text);
	jfr_resolve(chunk, &method);
	if (method.kind == VALUE_STRUCT)
		put_method(text, chunk, &method);
	if (line.kind == VALUE_NUMBER && line.number >= 0) {
		bytes_put_u8(text, ':');
		put_integer(text, line.number);
	}
	bytes_put_u8(text, 0);
}

/* The innermost frame outside the JDK's wait machinery, or the outermost frame. */
static char *site_of(const struct thread_wait *w)
{
	struct jfr_value stack = w->stack, frames, frame;
	struct bytes text;
	struct cursor c;

	bytes_init(&text);
	jfr_resolve(w->chunk, &stack);
	frames = jfr_field(w->chunk, &stack, "frames");
	if (frames.kind != VALUE_ARRAY || !frames.place.count) {
		put_text(&text, "(no stack: shorter than --wait-stack)");
		return waits_taken(&text);
	}
	c = jfr_enter(w->chunk, &frames);
	for (uint64_t i = 0; i < frames.place.count && (!text.size || is_machinery((const char *)text.data)); i++) {
		jfr_take_element(&c, &frames, &frame);
		put_site(&text, w->chunk, &frame);
		if (text.failed)
			break;
	}
	return waits_taken(&text);
}

static int waits_add(const struct thread_wait *w, void *context)
{
	struct wait_groups *g = context;
	int passed = call_filter_has_wait(g->filter, w, g->file->utc_offset);
	char *reason = passed > 0 ? thread_wait_reason(w) : NULL;
	bool is_futex = reason && strcmp(reason, "futex") == 0;

	if (passed <= 0)
		return passed;
	if (!add_to(&g->reasons, reason, w->duration) || !add_to(&g->wakers, waker_of(w), w->duration))
		return -ENOMEM;
	return !is_futex || add_to(&g->sites, site_of(w), w->duration) ? 0 : -ENOMEM;
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

int view_waits(struct jfr_file *file, const struct view_request *request, struct bytes *out)
{
	static const struct table_column reason = {"Reason", "reason", TABLE_TEXT, 0};
	static const struct table_column waker = {"Waker", "waker", TABLE_TEXT, 0};
	static const struct table_column place = {"Place", "place", TABLE_METHOD, 0};
	struct wait_groups g = {.filter = request->filter, .file = file};
	int err = wait_iter_each(file, "frtrace.ThreadWait", waits_add, &g);
	bool shown = !err && waits_show(&g.reasons, request, out, "Waits by Reason", &reason);

	if (shown && g.reasons.count)
		shown = waits_show(&g.wakers, request, out, "Waits by Waker", &waker);
	if (shown && g.sites.count)
		shown = waits_show(&g.sites, request, out, "Waits for Locks by Place", &place);
	aggregate_release(&g.reasons);
	aggregate_release(&g.wakers);
	aggregate_release(&g.sites);
	return err ? err : shown ? 0 : -ENOMEM;
}
