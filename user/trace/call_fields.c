// SPDX-License-Identifier: BSD-2-Clause
#include "user/trace/call_fields.h"
#include "filters/near.h"
#include "user/trace/texts.h"
#include "user/trace/user_values.h"

#include <string.h>

/* The fields of the calls' own events, and those that -e made. */
static bool call_fields_are_of(const struct meta_type *t, const char *type)
{
	if (type)
		return strcmp(t->name, type) == 0;
	return t->event && (t->calls || user_values_type(t) || strcmp(t->name, "jdk.MethodTrace") == 0);
}

/* Offer the fields of a type for suggestions; of an event of -e those that it has values in. True: the field is one. */
static bool call_fields_offer(const char *field, const struct meta_type *t, const char *type, struct texts *names)
{
	uint32_t first = type ? 0 : user_values_first(t), end = type ? t->count : user_values_end(t);

	for (uint32_t i = first; i < end; i++)
		texts_number(names, t->fields[i].name);
	return meta_type_field(t, field) >= 0;
}

bool call_fields_have(const struct jfr_file *file, const char *type, const char *field, struct bytes *near)
{
	struct texts names = {0};
	struct jfr_chunk *chunk;
	struct jfr_file again;
	bool found = false;

	jfr_file_again(&again, file);
	while (!found && (chunk = jfr_file_next(&again))) {
		for (uint32_t i = 0; i < chunk->metadata->count; i++)
			if (call_fields_are_of(&chunk->metadata->types[i], type))
				found |= call_fields_offer(field, &chunk->metadata->types[i], type, &names);
		jfr_chunk_put(chunk);
	}
	jfr_file_release(&again);
	if (!found)
		near_put(near, field, (const char *const *)names.text + 1, names.count ? names.count - 1 : 0);
	texts_release(&names);
	return found;
}
