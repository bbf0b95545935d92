// SPDX-License-Identifier: BSD-2-Clause
#include "user/view/select.h"
#include "user/text/glob.h"
#include "user/text/memory.h"

#include <ctype.h>
#include <stdlib.h>

/* Initials match, too: JVM for "Java Virtual Machine". */
static bool letters_match(const char *pattern, size_t length, const char *category)
{
	size_t matched = 0;
	bool begins = true;

	if (!strchr(category, ' '))
		return false;
	for (; *category; category++) {
		if (begins && isupper((unsigned char)*category) &&
		    (matched >= length || pattern[matched++] != *category))
			return false;
		begins = isspace((unsigned char)*category);
	}
	return matched == length;
}

typedef bool matches(const char *pattern, size_t length, const char *text);

static bool list_matches(const char *list, const char *text, matches *match)
{
	size_t length;

	for (; *list; list += length + (list[length] == ',')) {
		size_t start = strspn(list, " "), end = length = strcspn(list, ",");

		while (end > start && list[end - 1] == ' ')
			end--;
		if (end > start && match(list + start, end - start, text))
			return true;
	}
	return false;
}

static bool select_has_name(const struct select *s, const struct meta_type *t)
{
	const char *dot = strrchr(t->name, '.');

	return !s->events || list_matches(s->events, t->name, glob_matches) ||
	       list_matches(s->events, dot ? dot + 1 : t->name, glob_matches);
}

static bool has_category(const struct select *s, const struct jfr_metadata *m, const struct meta_type *t)
{
	const char *category;

	if (!s->categories)
		return true;
	for (unsigned int i = 0; (category = meta_type_category(m, t, i)) || i == 0; i++) {
		if (!category)
			category = "Uncategorized";
		if (list_matches(s->categories, category, glob_matches) ||
		    list_matches(s->categories, category, letters_match))
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
