// SPDX-License-Identifier: BSD-2-Clause
#include "user/trace/event_members.h"

enum { EVENT_NO_ROW = -1, EVENT_THREAD = -2, EVENT_STACK = -3 };

static int8_t event_row_of(const struct event_table *table, const struct meta_type *type, int n)
{
	const struct meta_field *f = &type->fields[n];

	if (n == type->thread || n == type->stack)
		return n == type->thread ? EVENT_THREAD : EVENT_STACK;
	for (size_t i = 0; i < table->count; i++) {
		const struct event_member *row = &table->field[i];

		if (row->role != META_OTHER && f->type->role != row->role)
			continue;
		if (row->kind == EVENT_NUMBER && f->timespan != row->timespan)
			continue;
		if (strcmp(f->name, row->name) == 0)
			return i;
	}
	return EVENT_NO_ROW;
}

static void event_reader_know(struct event_reader *r, const struct event_table *table, const struct jfr_chunk *chunk,
			      const struct meta_type *type)
{
	if (r->type == type && r->chunk == chunk->number)
		return;
	r->type = type;
	r->chunk = chunk->number;
	for (uint32_t i = 0; i < type->count && i < EVENT_MEMBERS_MOST; i++)
		r->row[i] = event_row_of(table, type, i);
}

/* Where a value goes as it is; NULL: it is converted, or nobody wants it. */
static struct jfr_value *event_value_at(const struct event_table *table, int row, void *to)
{
	if (row == EVENT_THREAD || row == EVENT_STACK)
		return (struct jfr_value *)((char *)to + (row == EVENT_THREAD ? table->thread : table->stack));
	return row >= 0 && table->field[row].kind == EVENT_VALUE
		       ? (struct jfr_value *)((char *)to + table->field[row].offset)
		       : NULL;
}

static bool event_number_set(const struct event_member *row, const struct jfr_value *v, char *to)
{
	if (v->kind != (row->kind == EVENT_NUMBER ? VALUE_NUMBER : VALUE_BOOLEAN))
		return false;
	if (row->kind == EVENT_NUMBER)
		*(int64_t *)(to + row->offset) = v->number;
	else
		*(bool *)(to + row->offset) = v->number;
	return true;
}

void event_members_read(struct event_reader *r, const struct event_table *table, struct jfr_chunk *chunk,
			const struct jfr_event *e, void *to, uint64_t *seen)
{
	struct jfr_value event = jfr_event_value(e), number, *value;
	struct cursor c = jfr_enter(chunk, &event);

	*seen = 0;
	event_reader_know(r, table, chunk, e->type);
	for (uint32_t i = 0; i < e->type->count; i++) {
		int row = i < EVENT_MEMBERS_MOST ? r->row[i] : event_row_of(table, e->type, i);

		value = event_value_at(table, row, to);
		jfr_take(&c, &e->type->fields[i], value ?: &number);
		if (row >= 0 && (value || event_number_set(&table->field[row], &number, to)))
			*seen |= 1ull << row;
	}
	if (!cursor_ok(&c))
		jfr_fault_add(chunk->fault, c.error, chunk->at + c.bad);
}
