// SPDX-License-Identifier: BSD-2-Clause
/*
 * The text form of a reference chain:
 *
 *     object =  [
 *       byte[30]
 *       [0] : java.lang.Object[10]
 *       elementData : java.util.ArrayList Size: 10
 *     ]
 */
#include "user/print/old_object.h"
#include "user/text/java_number.h"
#include "user/trace/jfr_names.h"

#include <stdio.h>

#define MAX_CHAIN 4096 /* the JVM writes at most 200 */

static int64_t old_object_number_of(struct printer *p, const struct jfr_value *v, const char *name)
{
	struct jfr_value number = jfr_field(p->chunk, v, name);

	return number.kind == VALUE_NUMBER ? number.number : 0;
}

static void put_object(struct printer *p, const struct jfr_value *object, int64_t array_size)
{
	struct jfr_value type = jfr_field(p->chunk, object, "type"), name = jfr_field(p->chunk, &type, "name");
	struct jfr_value description = jfr_field(p->chunk, object, "description");
	char elements[24] = "";
	size_t size;

	if (array_size > 0)
		snprintf(elements, sizeof(elements), "%ld", array_size);
	if (name.kind == VALUE_TEXT)
		put_class_name(&p->out, p->chunk, printer_text(p, &name, &size), elements);
	if (name.kind == VALUE_TEXT && description.kind == VALUE_TEXT) {
		bytes_put_u8(&p->out, ' ');
		put_value_text(&p->out, &description);
	}
	bytes_put_u8(&p->out, '\n');
}

/* Print the field or array slot that refers to the previous object. Returns the array's size. */
static int64_t put_holder(struct printer *p, const struct jfr_value *reference)
{
	struct jfr_value array = jfr_field(p->chunk, reference, "array"),
			 field = jfr_field(p->chunk, reference, "field");
	struct jfr_value name = jfr_field(p->chunk, &field, "name");

	put_spaces(&p->out, p->indent);
	if (field.kind == VALUE_STRUCT) {
		put_value_text(&p->out, &name);
	} else if (array.kind == VALUE_STRUCT) {
		bytes_put_u8(&p->out, '[');
		put_integer(&p->out, old_object_number_of(p, &array, "index"));
		bytes_put_u8(&p->out, ']');
	}
	put_text(&p->out, " : ");
	return array.kind == VALUE_STRUCT ? old_object_number_of(p, &array, "size") : 0;
}

static void put_chain(struct printer *p, struct jfr_value object)
{
	for (int i = 0; i < MAX_CHAIN; i++) {
		struct jfr_value reference = jfr_field(p->chunk, &object, "referrer");
		int64_t size;

		if (reference.kind != VALUE_STRUCT)
			return;
		if (old_object_number_of(p, &reference, "skip") > 0) {
			put_spaces(&p->out, p->indent);
			put_text(&p->out, "...\n");
		}
		size = put_holder(p, &reference);
		object = jfr_field(p->chunk, &reference, "object");
		if (object.kind == VALUE_STRUCT)
			put_object(p, &object, size);
	}
}

void old_object_put(struct printer *p, const struct jfr_value *object)
{
	struct jfr_value event = jfr_event_value(p->event);

	put_text(&p->out, " [\n");
	p->indent += 2;
	put_spaces(&p->out, p->indent);
	put_object(p, object, old_object_number_of(p, &event, "arrayElements"));
	put_chain(p, *object);
	p->indent -= 2;
	put_spaces(&p->out, p->indent);
	bytes_put_u8(&p->out, ']');
}
