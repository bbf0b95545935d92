// SPDX-License-Identifier: BSD-2-Clause
#include "user/view/event_table.h"
#include "user/text/memory.h"

#include <stdlib.h>

void event_fields_release(struct event_fields *f)
{
	jfr_metadata_put(f->metadata);
	free(f->place);
	free(f->value);
	*f = (struct event_fields){0};
}

static void event_fields_place(struct event_fields *f, const struct meta_type *type)
{
	free(f->place);
	f->place = memory_need(calloc(type->count + 1, sizeof(*f->place)));
	for (uint32_t i = 0; i < type->count; i++)
		f->place[i] = meta_type_field(f->first, type->fields[i].name);
}

static void event_fields_use(struct event_fields *f, struct jfr_chunk *chunk, const struct meta_type *type)
{
	if (!f->metadata) {
		f->metadata = jfr_metadata_get(chunk->metadata);
		f->first = type;
		f->value = memory_need(calloc(type->count + 1, sizeof(*f->value)));
	}
	if (f->place && f->type == type && f->chunk == chunk->number)
		return;
	f->type = type;
	f->chunk = chunk->number;
	event_fields_place(f, type);
}

void event_fields_read(struct event_fields *f, struct jfr_chunk *chunk, const struct jfr_event *e)
{
	struct jfr_value event = jfr_event_value(e), v;
	struct cursor c = jfr_enter(chunk, &event);

	event_fields_use(f, chunk, e->type);
	for (uint32_t i = 0; i < f->first->count; i++)
		f->value[i] = (struct jfr_value){.kind = VALUE_NULL};
	for (uint32_t i = 0; i < e->type->count; i++) {
		jfr_take(&c, &e->type->fields[i], &v);
		if (f->place[i] >= 0)
			f->value[f->place[i]] = v;
	}
	if (!cursor_ok(&c))
		jfr_fault_add(chunk->fault, c.error, chunk->at + c.bad);
}
