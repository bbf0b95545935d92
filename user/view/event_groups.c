// SPDX-License-Identifier: BSD-2-Clause
/* Events of one type by the values of a field: which user is slow? */
#include "format/vec.h"
#include "user/trace/sum.h"
#include "user/view/event_table.h"
#include "user/trace/trace.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

struct event_group {
	char *text, *typed; /* the value, for the table and for JSON */
	int64_t *duration;  /* of each event, ns */
	size_t count, capacity;
	int64_t total;
	uint64_t thrown;
};

struct event_groups {
	const struct view_request *request;
	const char *name; /* of the type */
	struct event_fields fields;
	int by;	     /* the field's index in the first type */
	bool thrown; /* the type has calls, which may end with an exception */
	bool timed;  /* the type has a duration */
	struct printer p;
	struct bytes typed;
	struct event_group *group;
	size_t count, capacity;
	struct hash_index lookup; /* of the groups by `typed` */
};

static void event_groups_release(struct event_groups *g)
{
	for (size_t i = 0; i < g->count; i++) {
		free(g->group[i].text);
		free(g->group[i].typed);
		free(g->group[i].duration);
	}
	free(g->group);
	hash_release(&g->lookup);
	bytes_release(&g->typed);
	printer_release(&g->p);
	event_fields_release(&g->fields);
}

static int refuse_field(const struct event_groups *g)
{
	const struct meta_type *t = g->fields.first;
	struct diag *d = g->request->diag;
	struct bytes names;
	int err;

	bytes_init(&names);
	for (uint32_t i = 0; i < t->count; i++) {
		if (!field_has_cell(&t->fields[i]))
			continue;
		bytes_put(&names, ", ", names.size ? 2 : 0);
		bytes_put(&names, t->fields[i].name, strlen(t->fields[i].name));
	}
	bytes_put_u8(&names, 0);
	err = diag_set(d, EINVAL, "%s has no field '%s' to group by; it has %s", g->name, g->request->by,
		       names.failed ? "others" : (char *)names.data);
	bytes_release(&names);
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

static bool event_group_is(const void *context, uint32_t row)
{
	const struct event_groups *g = context;

	return strcmp(g->group[row - 1].typed, (const char *)g->typed.data) == 0;
}

static char *group_text(struct event_groups *g)
{
	struct bytes text;

	bytes_init(&text);
	field_put_text(&text, &g->p, &g->fields.first->fields[g->by], &g->fields.value[g->by]);
	bytes_put_u8(&text, 0);
	if (text.failed)
		bytes_release(&text);
	return (char *)text.data;
}

/* The group of the event that was read; NULL: no memory. */
static struct event_group *event_group_of(struct event_groups *g)
{
	struct event_group *new;
	uint64_t hash;
	uint32_t row;

	bytes_clear(&g->typed);
	field_put_typed(&g->typed, &g->p, &g->fields.first->fields[g->by], &g->fields.value[g->by]);
	bytes_put_u8(&g->typed, 0);
	if (g->typed.failed)
		return NULL;
	hash = hash_number(hash_seed(), hash_data(g->typed.data, strlen((char *)g->typed.data)));
	row = hash_find(&g->lookup, hash, event_group_is, g);
	if (row)
		return &g->group[row - 1];
	if (vec_reserve(&g->group, &g->capacity, g->count + 1))
		return NULL;
	new = &g->group[g->count++];
	*new = (struct event_group){.text = group_text(g), .typed = strdup((char *)g->typed.data)};
	return new->text &&new->typed && !hash_add(&g->lookup, hash, g->count) ? new : NULL;
}

static int event_groups_add(const struct call *call, void *context)
{
	struct event_groups *g = context;
	struct event_group *group;
	bool first = !g->fields.metadata;
	int err;

	if (!event_fields_read(&g->fields, call->chunk, call->event))
		return -ENOMEM;
	err = first ? group_field(g) : 0;
	if (err)
		return err;
	g->p.chunk = call->chunk;
	group = event_group_of(g);
	if (!group || vec_reserve(&group->duration, &group->capacity, group->count + 1))
		return -ENOMEM;
	group->duration[group->count++] = call->duration;
	sum_add(&group->total, call->duration);
	group->thrown += call->thrown;
	return 0;
}

/* Most time first, or most events. */
static int event_groups_compare(const void *a, const void *b)
{
	const struct event_group *x = a, *y = b;

	if (x->total != y->total)
		return (x->total < y->total) - (x->total > y->total);
	if (x->count != y->count)
		return (x->count < y->count) - (x->count > y->count);
	return strcmp(x->typed, y->typed);
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
	qsort(group->duration, group->count, sizeof(*group->duration), group_compare_durations);
	table_put(table, group->text);
	table_put(table, group->typed);
	table_put_count(table, group->count);
	table_put_time(table, g->timed ? group->total : TABLE_UNKNOWN);
	table_put_time(table, g->timed ? nearest_rank(group, 0.5) : TABLE_UNKNOWN);
	table_put_time(table, g->timed ? nearest_rank(group, 0.99) : TABLE_UNKNOWN);
	table_put_time(table, g->timed ? group->duration[group->count - 1] : TABLE_UNKNOWN);
	table_put_count(table, g->thrown ? (int64_t)group->thrown : TABLE_UNKNOWN);
}

static bool event_groups_print(struct event_groups *g, struct bytes *out)
{
	struct table_column columns[] = {
		{g->request->by, NULL, TABLE_TEXT, 0}, {NULL, "value", TABLE_TYPED, 0},
		{"Events", "events", TABLE_NUMBER, 0}, {"Total", "totalNs", TABLE_NUMBER, 2},
		{"p50", "p50Ns", TABLE_NUMBER, 3},     {"p99", "p99Ns", TABLE_NUMBER, 1},
		{"Maximum", "maxNs", TABLE_NUMBER, 4}, {"Thrown", "thrown", TABLE_NUMBER, 5},
	};
	uint64_t shown = g->request->top ?: UINT64_MAX;
	struct table table;
	struct bytes title;
	bool printed;

	if (g->count) {
		field_cell_columns(columns, g->request->by, &g->fields.first->fields[g->by]);
		columns[1].key = "value";
	}
	for (int i = 3; i < 7 && !g->timed; i++)
		columns[i].label = NULL;
	if (!g->thrown)
		columns[7].label = NULL;
	bytes_init(&title);
	bytes_put(&title, g->name, strlen(g->name));
	bytes_put(&title, " by ", 4);
	bytes_put(&title, g->request->by, strlen(g->request->by) + 1);
	table_init(&table, title.failed ? g->name : (char *)title.data, columns, sizeof(columns) / sizeof(columns[0]));
	for (size_t i = 0; i < g->count && i < shown; i++)
		event_groups_put_row(g, &table, &g->group[i]);
	table.more = g->count > shown ? g->count - shown : 0;
	printed = table_print(&table, &g->request->layout, out);
	table_release(&table);
	bytes_release(&title);
	return printed;
}

int event_groups_show(struct jfr_file *file, const char *name, const struct view_request *request, struct bytes *out)
{
	struct event_groups g = {.request = request, .name = name};
	int err;

	printer_init(&g.p, -1);
	bytes_init(&g.typed);
	err = trace_read_all(file,
			     &(struct trace_reader){&(struct trace_ops){.call = event_groups_add, .call_type = name},
						    &g, request->filter},
			     1);
	if (g.count)
		qsort(g.group, g.count, sizeof(*g.group), event_groups_compare);
	if (!err && !event_groups_print(&g, out))
		err = -ENOMEM;
	event_groups_release(&g);
	return err;
}
