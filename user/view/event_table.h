/* SPDX-License-Identifier: BSD-2-Clause */
/* The events of one type, read for a table: which of their fields have cells, and the values of each event. */
#ifndef USER_VIEW_EVENT_TABLE_H
#define USER_VIEW_EVENT_TABLE_H

#include "user/trace/call.h"
#include "user/print/field_cell.h"
#include "user/view/views.h"

/*
 * The fields are those of the first event. In later chunks the type may be another one of that name: its fields are
 * found by their names.
 */
struct event_fields {
	struct jfr_metadata *metadata; /* of the first event; NULL: none was seen */
	const struct meta_type *first; /* the type of that name in it */
	const struct meta_type *type;  /* of the last event, */
	uint32_t chunk;		       /* in this chunk, */
	int *place;		       /* and for each of its fields the index of the first type's field, or -1 */
	struct jfr_value *value;       /* of the last event, by index of the first type's field */
};

void event_fields_release(struct event_fields *f);

/* Read the values of the event. */
void event_fields_read(struct event_fields *f, struct jfr_chunk *chunk, const struct jfr_event *e);

/*
 * A table with the calls, times and exceptions by the values of request->by. `name` is that of an event type that the
 * file has. As a view's show().
 */
int event_groups_show(struct jfr_file *file, const char *name, const struct view_request *request, struct bytes *out);

#endif
