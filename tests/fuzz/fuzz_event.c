// SPDX-License-Identifier: BSD-2-Clause
/*
 * Any text as an event of -e. A rejected text must give a message and add nothing. An accepted one has a name, a filter
 * and fields whose names are Java's, and means the same when it is written again from its parts.
 */
#include "filters/event_list.h"
#include "tests/fuzz/fuzz.h"

#include <ctype.h>

static void check_field(const struct event_spec *e, size_t number)
{
	const struct event_field *f = &e->field[number];

	require(f->name[0] && !isdigit((unsigned char)f->name[0]), "a field without a name");
	for (const char *c = f->name; *c; c++)
		require(isalnum((unsigned char)*c) || *c == '_' || *c == '$', "a field's name is none of Java's");
	require(f->expression[0] && !strchr(f->expression, ' '), "an expression is empty, or has a space");
	require(f->unit < EVENT_UNITS, "a unit that there is not");
	for (size_t i = 0; i < number; i++)
		require(strcmp(f->name, e->field[i].name) != 0, "two fields have one name");
}

/* The event's text from its parts, without units. */
static char *written_again(const struct event_spec *e)
{
	char *text;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	fprintf(to, "%s %s%s%s", e->name, e->text, e->key ? "~" : "", e->key ?: "");
	for (size_t i = 0; i < e->fields; i++)
		fprintf(to, " %s%s=%s", e->field[i].contextual ? "@" : "", e->field[i].name, e->field[i].expression);
	fclose(to);
	return text;
}

static void check_accepted(const struct event_list *l)
{
	const struct event_spec *e = &l->event[0], *o;
	struct event_list again = {.count = 0};
	struct diag d = {0};
	char *text = written_again(e);

	require(l->count == 1 && e->name[0] && filter_list_size(e->filters) > 0, "an accepted event has no filter");
	require(e->fields <= EVENT_FIELDS_MAX, "too many fields");
	for (size_t i = 0; i < e->fields; i++)
		check_field(e, i);
	require(!event_list_add(&again, text, &d), "its parts are no event");
	o = &again.event[0];
	require(strcmp(o->name, e->name) == 0 && strcmp(o->text, e->text) == 0 && o->fields == e->fields,
		"its parts are another event");
	event_list_release(&again);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct event_list l = {.count = 0};
	char *text = malloc(size + 1);
	struct diag d = {0};

	memcpy(text, data, size);
	text[size] = 0;
	if (event_list_add(&l, text, &d))
		require(l.count == 0 && d.text[0], "a rejected text added an event, or has no message");
	else
		check_accepted(&l);
	event_list_release(&l);
	free(text);
	return 0;
}
