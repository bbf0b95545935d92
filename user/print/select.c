// SPDX-License-Identifier: BSD-2-Clause
#include "user/print/select.h"
#include "filters/glob.h"
#include "user/text/memory.h"

#include <ctype.h>
#include <stdlib.h>

/* Initials match, too: JVM for "Java Virtual Machine". */
static bool letters_match(struct slice pattern, const char *category)
{
	size_t matched = 0;
	bool begins = true;

	if (!strchr(category, ' '))
		return false;
	for (; *category; category++) {
		if (begins && isupper((unsigned char)*category) &&
		    (matched >= pattern.length || pattern.at[matched++] != *category))
			return false;
		begins = isspace((unsigned char)*category);
	}
	return matched == pattern.length;
}

static bool select_has_name(const struct select *s, const struct meta_type *t)
{
	const char *dot = strrchr(t->name, '.');

	return !s->events || glob_list_matches(GLOB_TEXT, s->events, ',', slice_of(t->name)) ||
	       glob_list_matches(GLOB_TEXT, s->events, ',', slice_of(dot ? dot + 1 : t->name));
}

static bool has_category(const struct select *s, const struct jfr_metadata *m, const struct meta_type *t)
{
	const char *category;
	struct slice pattern;

	if (!s->categories)
		return true;
	for (unsigned int i = 0; (category = meta_type_category(m, t, i)) || i == 0; i++) {
		if (!category)
			category = "Uncategorized";
		for (const char *list = s->categories; glob_list_next(&list, ',', &pattern);)
			if (glob_matches(GLOB_TEXT, pattern, slice_of(category)) || letters_match(pattern, category))
				return true;
	}
	return false;
}

void select_release(struct select *s)
{
	jfr_metadata_put(s->metadata);
	free(s->wanted);
	s->metadata = NULL;
	s->wanted = NULL;
}

void select_types(struct select *s, struct jfr_chunk *chunk)
{
	const struct jfr_metadata *m = chunk->metadata;

	if (s->metadata == m)
		return;
	select_release(s);
	s->wanted = memory_need(calloc(m->count + 1, sizeof(*s->wanted)));
	s->metadata = jfr_metadata_get(chunk->metadata);
	for (uint32_t i = 0; i < m->count; i++) {
		const struct meta_type *t = &m->types[i];

		s->wanted[i] = t->event && select_has_name(s, t) && has_category(s, m, t);
		s->found |= s->wanted[i];
	}
}
