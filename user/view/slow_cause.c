// SPDX-License-Identifier: BSD-2-Clause
#include "user/view/slow_cause.h"
#include "user/text/log.h"
#include "user/text/memory.h"
#include "user/trace/aggregate.h"
#include "user/trace/sum.h"
#include "user/trace/user_values.h"
#include "user/view/user_values_text.h"

#include <stdlib.h>

#define TITLES_MOST 1000 /* new titles beyond these are ignored */
#define PARTS_MOST  (1u << 20)
#define STANDS_OUT  30	/* per cent of the time */
#define TEXT_MOST   120 /* columns of a statement */

void slow_cause_release(struct slow_cause *c)
{
	texts_release(&c->titles);
	free(c->part);
}

void slow_cause_add(struct slow_cause *c, const struct call *inside, size_t index)
{
	struct bytes title;
	uint32_t number = 0;

	bytes_init(&title);
	if (user_values_asks(inside) && user_values_put_title(&title, inside))
		number = c->titles.count < TITLES_MOST ? texts_number(&c->titles, memory_text(&title))
						       : texts_find(&c->titles, memory_text(&title));
	if (number && c->parts < PARTS_MOST) {
		memory_reserve(&c->part, &c->capacity, c->parts + 1);
		c->part[c->parts++] = (struct cause_part){call_span(inside), number, index};
	}
	bytes_release(&title);
}

/* Those of one slow call, an outer one before what is inside it. */
static int cause_compare_parts(const void *a, const void *b)
{
	const struct cause_part *x = a, *y = b;

	if (x->slow != y->slow)
		return (x->slow > y->slow) - (x->slow < y->slow);
	return span_compare(&x->span, &y->span);
}

/* Leave out what is inside another one: a driver may make a statement of several, a pool have events of its own. */
static void cause_keep_outer(struct slow_cause *c)
{
	size_t kept = 0;

	if (c->parts)
		qsort(c->part, c->parts, sizeof(*c->part), cause_compare_parts);
	for (size_t i = 0; i < c->parts; i++)
		if (!kept || c->part[kept - 1].slow != c->part[i].slow ||
		    !span_contains(&c->part[kept - 1].span, &c->part[i].span))
			c->part[kept++] = c->part[i];
	c->parts = kept;
}

/* The title with the most time in all calls: its number, how often it is there, and the time; 0: there is none. */
static uint32_t cause_find(const struct slow_cause *c, struct group *of_all)
{
	struct group *sum = memory_need(calloc(c->titles.count + 1, sizeof(*sum)));
	uint32_t found = 0;

	for (size_t i = 0; i < c->parts; i++)
		aggregate_add(&sum[c->part[i].title], c->part[i].span.duration, false);
	for (uint32_t title = 1; title <= c->titles.count; title++)
		found = sum[title].total > sum[found].total ? title : found;
	*of_all = sum[found];
	free(sum);
	return found;
}

/* Append the title of the slow calls in which the cause has more than half of its time. False: there is none. */
static bool cause_put_place(struct bytes *out, const struct slow_cause *c, uint32_t title, int64_t total,
			    const struct slow_call *slow, bool (*put)(struct bytes *, const struct call *))
{
	struct aggregate sums = {0}; /* by place */
	struct texts places = {0};
	const struct group *most = NULL;

	for (size_t i = 0; i < c->parts; i++) {
		const struct cause_part *p = &c->part[i];
		struct bytes place;

		bytes_init(&place);
		if (p->title == title && slow[p->slow].call.chunk && put(&place, &slow[p->slow].call))
			aggregate_add(aggregate_of(&sums, texts_number(&places, memory_text(&place)), 0),
				      p->span.duration, false);
		bytes_release(&place);
	}
	for (size_t i = 0; i < sums.count; i++)
		if (sums.group[i].total > total / 2)
			most = &sums.group[i];
	if (most)
		user_values_put_cut(out, places.text[most->first], TEXT_MOST);
	aggregate_release(&sums);
	texts_release(&places);
	return most;
}

/* Of a request, until its last task had ended. */
static int64_t slow_call_time(const struct slow_call *s)
{
	int64_t own = s->place.span.duration;

	return s->place.charged > own ? s->place.charged : own;
}

void slow_cause_put(struct bytes *out, struct slow_cause *c, const struct slow_call *slow, size_t count)
{
	struct group cause;
	struct bytes where;
	int64_t time = 0;
	uint32_t title;

	cause_keep_outer(c);
	title = cause_find(c, &cause);
	for (size_t i = 0; i < count; i++)
		sum_add(&time, slow_call_time(&slow[i]));
	/* more than all of it: a slow call was in another one, by tasks; too many: what is missing may be more */
	if (!title || c->parts == PARTS_MOST || cause.total > time || cause.total < time / 100 * STANDS_OUT)
		return;
	bytes_init(&where);
	bytes_printf(out, "%.0f %% of the time of ", 100.0 * cause.total / time);
	bytes_printf(out, count == 1 ? "this call" : "these %zu calls", count);
	bytes_printf(out, " went into %s of \"", log_count(cause.count));
	user_values_put_cut(out, c->titles.text[title], TEXT_MOST);
	bytes_put_u8(out, '"');
	if (cause_put_place(&where, c, title, cause.total, slow, user_values_put_title) ||
	    cause_put_place(&where, c, title, cause.total, slow, user_values_put_place))
		bytes_printf(out, "%s in %s", count > 1 ? ", most of it" : "", memory_text(&where));
	bytes_put_u8(out, '.');
	bytes_release(&where);
}
