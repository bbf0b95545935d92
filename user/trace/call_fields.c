// SPDX-License-Identifier: BSD-2-Clause
#include "user/trace/call_fields.h"
#include "filters/near.h"
#include "user/text/memory.h"
#include "user/trace/texts.h"
#include "user/trace/user_values.h"

#include <stdlib.h>
#include <string.h>

/* The fields of the calls' own events, and those that -e made. */
static bool call_fields_are_of(const struct meta_type *t, const char *type)
{
	if (type)
		return strcmp(t->name, type) == 0;
	return t->event && (t->calls || user_values_type(t) || strcmp(t->name, "jdk.MethodTrace") == 0);
}

/* Names to suggest. */
struct call_names {
	struct texts listed, others;
};

/* Offer the fields of a type; those of an event of -e that have no value of it are not listed. True: the field is one. */
static bool call_names_offer(struct call_names *n, const char *field, const struct meta_type *t, const char *type)
{
	uint32_t first = type ? 0 : user_values_first(t), end = type ? t->count : user_values_end(t);

	for (uint32_t i = 0; i < t->count; i++)
		texts_number(i >= first && i < end ? &n->listed : &n->others, t->fields[i].name);
	return meta_type_field(t, field) >= 0;
}

static void call_names_put(const struct call_names *n, const char *field, struct bytes *near)
{
	size_t listed = n->listed.count ? n->listed.count - 1 : 0, others = n->others.count ? n->others.count - 1 : 0;
	const char **name = memory_need(calloc(listed + others + 1, sizeof(*name)));

	for (size_t i = 0; i < listed; i++)
		name[i] = n->listed.text[i + 1];
	for (size_t i = 0; i < others; i++)
		name[listed + i] = n->others.text[i + 1];
	near_put(near, field, name, listed + others, listed);
	free(name);
}

bool call_fields_have(const struct jfr_file *file, const char *type, const char *field, struct bytes *near)
{
	struct call_names names = {0};
	struct jfr_chunk *chunk;
	struct jfr_file again;
	bool found = false;

	jfr_file_again(&again, file);
	while (!found && (chunk = jfr_file_next(&again))) {
		for (uint32_t i = 0; i < chunk->metadata->count; i++)
			if (call_fields_are_of(&chunk->metadata->types[i], type))
				found |= call_names_offer(&names, field, &chunk->metadata->types[i], type);
		jfr_chunk_put(chunk);
	}
	jfr_file_release(&again);
	if (!found)
		call_names_put(&names, field, near);
	texts_release(&names.listed);
	texts_release(&names.others);
	return found;
}
