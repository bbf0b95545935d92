// SPDX-License-Identifier: BSD-2-Clause
/* Events of one type by the values of a field: which user is slow? */
#include "filters/near.h"
#include "user/text/memory.h"
#include "user/trace/sum.h"
#include "user/trace/texts.h"
#include "user/view/event_table.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

struct event_group {
	char *text;	   /* the value, for the table; for JSON it is in `typed` */
	int64_t *duration; /* of each event, ns */
	size_t count, capacity;
	int64_t total;
	uint64_t thrown;
	uint32_t typed;				      /* number of the text */
	int64_t known_total, cpu, run_queue, blocked; /* sums over events with a breakdown */
	bool known;				      /* there is one */
};

struct event_groups {
	const struct view_request *request;
	const char *name; /* of the type */
	struct event_fields fields;
	int by;	     /* the field's index in the first type */
	bool thrown; /* the type has calls, which may end with an exception */
	bool timed;  /* the type has a duration */
	bool split;  /* it is known of some event where its time went */
	struct printer p;
	struct texts typed;
	struct event_group *group;
	size_t count, capacity;
	struct map lookup; /* number in `typed` -> index + 1 */
};

static void event_groups_release(struct event_groups *g)
{
	for (size_t i = 0; i < g->count; i++) {
		free(g->group[i].text);
		free(g->group[i].duration);
	}
	free(g->group);
	map_release(&g->lookup);
	texts_release(&g->typed);
	printer_release(&g->p);
	event_fields_release(&g->fields);
}

static int refuse_field(const struct event_groups *g)
{
	const struct meta_type *t = g->fields.first;
	const char **names = memory_need(calloc(t->count + 1, sizeof(*names)));
	struct bytes near;
	size_t count = 0;
	int err;

	for (uint32_t i = 0; i < t->count; i++)
		if (field_has_cell(&t->fields[i]))
			names[count++] = t->fields[i].name;
	bytes_init(&near);
	near_put(&near, g->request->by, names, count, count);
	err = diag_set(g->request->diag, EINVAL, "%s has no field '%s' to group by%s", g->name, g->request->by,
		       memory_text(&near));
	bytes_release(&near);
	free(names);
	return err;
}

static int group_field(struct event_groups *g)
{
	const struct meta_type *t = g->fields.first;

	g->by = meta_type_field(t, g->request->by);
	if (g->by < 0 || !field_has_cell(&t->fields[g->by]))
		return refuse_field(g);
	g->timed = t->duration >= 0;
	g->thrown = meta_type_field(t, "thrown") >= 0;
	return 0;
}

/* The group of the event that was read. */
static struct event_group *event_group_of(struct event_groups *g)
{
	const struct meta_field *field = &g->fields.first->fields[g->by];
	const struct jfr_value *value = &g->fields.value[g->by];
	struct bytes text;
	uint32_t typed, *number;

	bytes_init(&text);
	field_put_typed(&text, &g->p, field, value);
	typed = texts_number(&g->typed, memory_text(&text));
	number = memory_map_at(&g->lookup, typed, 0);
	if (!*number) {
		bytes_clear(&text);
		field_put_text(&text, &g->p, field, value);
		memory_reserve(&g->group, &g->capacity, g->count + 1);
		g->group[g->count++] =
			(struct event_group){.text = memory_need(bytes_steal_text(&text)), .typed = typed};
		*number = g->count;
	}
	bytes_release(&text);
	return &g->group[*number - 1];
}

static void event_groups_split(struct event_groups *g, struct event_group *group, const struct call *call)
{
	group->known = g->split = true;
	sum_add(&group->known_total, call->duration);
	sum_add(&group->cpu, call->cpu);
	sum_add(&group->run_queue, call->run_queue);
	sum_add(&group->blocked, call->blocked);
}

static int event_groups_add(const struct call *call, void *context)
{
	struct event_groups *g = context;
	struct event_group *group;
	bool first = !g->fields.metadata;
	int err;

	event_fields_read(&g->fields, call->chunk, call->event);
	err = first ? group_field(g) : 0;
	if (err)
		return err;
	g->p.chunk = call->chunk;
	group = event_group_of(g);
	memory_reserve(&group->duration, &group->capacity, group->count + 1);
	group->duration[group->count++] = call->duration;
	sum_add(&group->total, call->duration);
	group->thrown += call->thrown;
	if (call_has_split(call))
		event_groups_split(g, group, call);
	return 0;
}

/* Most time first, or most events. */
static int event_groups_compare(const void *a, const void *b, void *groups)
{
	char *const *typed = ((const struct event_groups *)groups)->typed.text;
	const struct event_group *x = a, *y = b;

	if (x->total != y->total)
		return (x->total < y->total) - (x->total > y->total);
	if (x->count != y->count)
		return (x->count < y->count) - (x->count > y->count);
	return strcmp(typed[x->typed], typed[y->typed]);
}

static int group_compare_durations(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* The shortest duration that at least the share `q` of the events does not exceed. They are sorted. */
static int64_t nearest_rank(const struct event_group *group, double q)
{
	size_t rank = ceil(q * group->count);

	return group->duration[rank ? rank - 1 : 0];
}

static void event_groups_put_row(const struct event_groups *g, struct table *table, struct event_group *group)
{
	int64_t known = group->known ? 0 : TABLE_UNKNOWN;

	qsort(group->duration, group->count, sizeof(*group->duration), group_compare_durations);
	table_put(table, group->text);
	table_put(table, g->typed.text[group->typed]);
	table_put_count(table, group->count);
	table_put_time(table, g->timed ? group->total : TABLE_UNKNOWN);
	table_put_time(table, g->timed ? nearest_rank(group, 0.5) : TABLE_UNKNOWN);
	table_put_time(table, g->timed ? nearest_rank(group, 0.99) : TABLE_UNKNOWN);
	table_put_time(table, g->timed ? group->duration[group->count - 1] : TABLE_UNKNOWN);
	table_put_share(table, known ?: group->cpu, group->total);
	table_put_share(table, known ?: group->run_queue, group->total);
	table_put_share(table, known ?: group->blocked, group->total);
	table_put_share(table, known ?: group->total - group->known_total, group->total);
	table_put_count(table, g->thrown ? (int64_t)group->thrown : TABLE_UNKNOWN);
}

static void event_groups_print(struct event_groups *g, struct bytes *out)
{
	struct table_column columns[] = {
		{g->request->by, NULL, TABLE_TEXT, 0},
		{NULL, "value", TABLE_TYPED, 0},
		{"Events", "events", TABLE_NUMBER, 0},
		{"Total", "totalNs", TABLE_NUMBER, 2},
		{"p50", "p50Ns", TABLE_NUMBER, 3},
		{"p99", "p99Ns", TABLE_NUMBER, 1},
		{"Maximum", "maxNs", TABLE_NUMBER, 4},
		{"CPU", "cpuNs", TABLE_NUMBER, 7},
		{"Run Queue", "runQueueNs", TABLE_NUMBER, 8},
		{"Blocked", "blockedNs", TABLE_NUMBER, 6},
		{NULL, "unknownNs", TABLE_NUMBER, 9},
		{"Thrown", "thrown", TABLE_NUMBER, 5},
	};
	enum { SPLIT = 7, UNKNOWN = 10, THROWN };
	uint64_t shown = g->request->top ?: UINT64_MAX;
	struct table table;
	struct bytes title;

	if (g->count) {
		field_cell_columns(columns, g->request->by, &g->fields.first->fields[g->by]);
		columns[1].key = "value";
		columns[0].kind = columns[0].kind == TABLE_TEXT ? TABLE_VALUE : columns[0].kind;
	}
	for (int i = 3; i < 7 && !g->timed; i++)
		columns[i].label = NULL;
	for (int i = SPLIT; i < UNKNOWN && !g->split; i++)
		columns[i].label = NULL;
	for (size_t i = 0; i < g->count && g->split; i++)
		if (g->group[i].known && g->group[i].total - g->group[i].known_total > g->group[i].total / 100)
			columns[UNKNOWN].label = "Unknown";
	if (!g->thrown)
		columns[THROWN].label = NULL;
	bytes_init(&title);
	bytes_printf(&title, "%s by %s", g->name, g->request->by);
	table_init(&table, memory_text(&title), columns, sizeof(columns) / sizeof(columns[0]));
	for (size_t i = 0; i < g->count && i < shown; i++)
		event_groups_put_row(g, &table, &g->group[i]);
	view_put_table(&table, g->count, g->request, out);
	bytes_release(&title);
}

int event_groups_show(struct jfr_file *file, const char *name, const struct view_request *request, struct bytes *out)
{
	struct event_groups g = {.request = request, .name = name};
	int err;

	printer_init(&g.p, -1);
	err = trace_read_all(file,
			     &(struct trace_reader){&(struct trace_ops){.call = event_groups_add, .call_type = name},
						    &g, request->filter},
			     1);
	if (g.count)
		qsort_r(g.group, g.count, sizeof(*g.group), event_groups_compare, &g);
	if (!err)
		event_groups_print(&g, out);
	event_groups_release(&g);
	return err;
}
