// SPDX-License-Identifier: BSD-2-Clause
#include "user/print/event_types.h"
#include "user/text/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void type_counts_release(struct type_counts *t)
{
	texts_release(&t->names);
	free(t->type);
	free(t->of);
	jfr_metadata_put(t->metadata);
}

static void type_counts_use(struct type_counts *t, struct jfr_metadata *m)
{
	if (t->metadata == m)
		return;
	jfr_metadata_put(t->metadata);
	t->metadata = jfr_metadata_get(m);
	free(t->of);
	t->of = memory_need(calloc(m->count + 1, sizeof(*t->of)));
	for (uint32_t i = 0; i < m->count; i++) {
		if (!m->types[i].event || !m->types[i].name[0]) /* a name in a forged file; its number is 0 */
			continue;
		t->of[i] = texts_number(&t->names, m->types[i].name);
		memory_extend(&t->type, &t->count, &t->capacity, t->of[i]);
		t->type[t->of[i] - 1].name = t->names.text[t->of[i]];
	}
}

void type_counts_read(struct type_counts *t, struct jfr_file *file, bool events)
{
	struct jfr_chunk *chunk;

	while ((chunk = jfr_file_next(file))) {
		uint64_t position = JFR_HEADER_SIZE;
		struct jfr_event e;

		type_counts_use(t, chunk->metadata);
		while (events && jfr_chunk_next(chunk, &position, &e))
			if (e.type && t->of[e.type->index])
				t->type[t->of[e.type->index] - 1].events++;
		jfr_chunk_put(chunk);
	}
}

static int type_counts_compare(const void *a, const void *b)
{
	const struct type_count *x = a, *y = b;

	return x->events != y->events ? (x->events < y->events) - (x->events > y->events) : strcmp(x->name, y->name);
}

void type_counts_sort(struct type_counts *t)
{
	if (t->count)
		qsort(t->type, t->count, sizeof(*t->type), type_counts_compare);
}

static bool type_is_named(const char *name, const char *wanted)
{
	const char *dot = strrchr(name, '.');

	return strcmp(name, wanted) == 0 || (dot && strcmp(dot + 1, wanted) == 0);
}

int type_named(const struct jfr_file *file, const char *wanted, char **found, struct diag *d)
{
	struct type_counts t = {0};
	struct jfr_file again;
	size_t matches = 0;
	int err = 0;

	*found = NULL;
	jfr_file_again(&again, file);
	type_counts_read(&t, &again, false);
	jfr_file_release(&again);
	for (size_t i = 0; i < t.count; i++) {
		bool exact = strcmp(t.type[i].name, wanted) == 0;

		if (!type_is_named(t.type[i].name, wanted))
			continue;
		matches = exact ? 1 : matches + 1;
		free(*found);
		*found = memory_need(strdup(t.type[i].name));
		if (exact)
			break;
	}
	if (!matches)
		err = diag_set(d, ENOENT,
			       "there are no events of type '%s': 'frtrace view events FILE' lists the types", wanted);
	if (matches > 1)
		err = diag_set(d, EINVAL, "several types are called '%s': give its whole name, such as %s", wanted,
			       *found);
	type_counts_release(&t);
	return err;
}
