// SPDX-License-Identifier: BSD-2-Clause
#include "user/trace/value_filter.h"
#include "filters/glob.h"
#include "filters/number.h"
#include "user/text/java_number.h"
#include "user/text/memory.h"
#include "user/trace/jfr_names.h"
#include "user/trace/user_values.h"
#include "user/trace/wait.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MISSING "N/A"

static size_t value_filter_field_length(const char *text)
{
	size_t n = 0;

	while (isalnum((unsigned char)text[n]) || text[n] == '_' || text[n] == '$' || text[n] & 0x80)
		n++;
	return n;
}

static bool value_filter_take_test(struct value_filter *f, const char **text)
{
	static const struct {
		const char *word;
		enum value_test test;
	} tests[] = {{"!=", VALUE_DIFFERS},
		     {"=", VALUE_EQUALS},
		     {"<", VALUE_BELOW},
		     {">", VALUE_ABOVE},
		     {"~", VALUE_MATCHES}};

	for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++)
		if (strncmp(*text, tests[i].word, strlen(tests[i].word)) == 0) {
			f->test = tests[i].test;
			*text += strlen(tests[i].word);
			return true;
		}
	return false;
}

/* A whole text that is a number; no blanks, "nan" or the like. */
static bool value_is_number(const char *text, long double *number)
{
	char *end;

	if (!*text || strspn(text, "0123456789+-.eE") != strlen(text))
		return false;
	*number = strtold(text, &end);
	return !*end;
}

int value_filter_parse(struct value_filter *f, const char *text, struct diag *d)
{
	size_t length = value_filter_field_length(text);
	const char *rest = text + length;

	*f = (struct value_filter){0};
	if (!length || !value_filter_take_test(f, &rest))
		return diag_usage(d, "wrong --where '%s': it has to be FIELD=VALUE, or with !=, <, > or ~ for '='",
				  text);
	f->is_number = value_is_number(rest, &f->number);
	f->is_time = !f->is_number && time_parse(rest, strlen(rest), &f->time_ns);
	if ((f->test == VALUE_BELOW || f->test == VALUE_ABOVE) && !f->is_number && !f->is_time)
		return diag_usage(d, "wrong --where '%s': '<' and '>' compare numbers and times, as in 100 or 10ms",
				  text);
	f->field = memory_need(strndup(text, length));
	if (f->test != VALUE_MATCHES)
		f->wanted = memory_need(strdup(rest));
	else if (asprintf(&f->wanted, "*%s*", rest) < 0)
		memory_exhausted();
	return 0;
}

void value_filter_release(struct value_filter *f)
{
	free(f->field);
	free(f->wanted);
	free(f->place);
	jfr_metadata_put(f->metadata);
	*f = (struct value_filter){0};
}

static bool value_holds_order(const struct value_filter *f, long double value, long double wanted)
{
	switch (f->test) {
	case VALUE_EQUALS: return value == wanted;
	case VALUE_DIFFERS: return value != wanted;
	case VALUE_BELOW: return value < wanted;
	case VALUE_ABOVE: return value > wanted;
	default: return false;
	}
}

static bool value_holds_text(const struct value_filter *f, const char *text)
{
	long double number;

	switch (f->test) {
	case VALUE_EQUALS: return strcmp(text, f->wanted) == 0;
	case VALUE_DIFFERS: return strcmp(text, f->wanted) != 0;
	case VALUE_MATCHES: return glob_matches(GLOB_TEXT, slice_of(f->wanted), slice_of(text));
	default: return f->is_number && value_is_number(text, &number) && value_holds_order(f, number, f->number);
	}
}

/* Nothing is less or more than a missing value, and it has no text. */
static bool value_holds_missing(const struct value_filter *f)
{
	return (f->test == VALUE_EQUALS || f->test == VALUE_DIFFERS) && value_holds_text(f, MISSING);
}

/* In nanoseconds; false: it is no span of time. */
static bool value_as_time(const struct jfr_chunk *chunk, const struct meta_field *field, int64_t n, long double *ns)
{
	static const long double factor[] = {
		[META_NANOSECONDS] = 1, [META_MICROSECONDS] = 1e3L, [META_MILLISECONDS] = 1e6L, [META_SECONDS] = 1e9L};

	if (field->timespan == META_TICKS)
		*ns = jfr_timebase_span(&chunk->clock, n);
	else if (field->timespan >= META_NANOSECONDS && field->timespan <= META_SECONDS)
		*ns = n * factor[field->timespan];
	else
		return false;
	return true;
}

static bool value_holds_integer(const struct value_filter *f, struct jfr_chunk *chunk, const struct meta_field *field,
				const struct jfr_value *v)
{
	int64_t n = jfr_value_widened(v, field);
	long double value = field->is_unsigned ? (long double)(uint64_t)n : n, ns = value;
	bool timed = value_as_time(chunk, field, n, &ns), held;
	struct bytes text;

	if (!field->is_unsigned && ((v->type->kind == META_INT && n == INT32_MIN) || n == INT64_MIN))
		return value_holds_missing(f);
	if (f->test != VALUE_MATCHES && f->is_time && timed)
		return value_holds_order(f, ns, f->time_ns);
	if (f->test != VALUE_MATCHES && f->is_number)
		return value_holds_order(f, field->timespan == META_TICKS ? ns : value, f->number);
	bytes_init(&text);
	if (field->is_unsigned)
		put_unsigned(&text, n);
	else
		put_integer(&text, n);
	held = value_holds_text(f, memory_text(&text));
	bytes_release(&text);
	return held;
}

static bool value_holds_real(const struct value_filter *f, const struct jfr_value *v)
{
	bool narrow = v->type->kind == META_FLOAT, held;
	struct bytes text;

	if (isnan(v->real))
		return value_holds_missing(f);
	if (f->test != VALUE_MATCHES && f->is_number)
		return value_holds_order(f, v->real, narrow ? (float)f->number : (double)f->number);
	bytes_init(&text);
	if (narrow)
		put_float(&text, v->real);
	else
		put_double(&text, v->real);
	held = value_holds_text(f, memory_text(&text));
	bytes_release(&text);
	return held;
}

/* False: it has none. */
static bool value_put_as_text(struct bytes *out, struct jfr_chunk *chunk, const struct jfr_value *v)
{
	struct jfr_value name;
	struct bytes text;
	uint16_t unit;

	if (v->kind == VALUE_TEXT) {
		bytes_put_decoded(out, &v->text);
	} else if (v->kind == VALUE_BOOLEAN) {
		put_text(out, v->number ? "true" : "false");
	} else if (v->kind == VALUE_NUMBER && v->type->kind == META_CHAR) {
		unit = v->number;
		bytes_put_utf16(out, &unit, 1);
	} else if (v->kind == VALUE_STRUCT && v->type->role == META_CLASS) {
		name = jfr_field(chunk, v, "name");
		if (name.kind != VALUE_TEXT)
			return false;
		bytes_init(&text);
		bytes_put_decoded(&text, &name.text);
		put_class_name(out, chunk, bytes_text(&text), "");
		bytes_release(&text);
	} else if (v->kind == VALUE_STRUCT && v->type->role == META_THREAD) {
		put_thread_name(out, chunk, *v, MISSING);
	} else if (v->kind == VALUE_STRUCT && v->type->role == META_METHOD) {
		put_method(out, chunk, v);
	} else {
		return false;
	}
	return true;
}

static bool value_holds(const struct value_filter *f, struct jfr_chunk *chunk, const struct meta_field *field,
			const struct jfr_value *v)
{
	struct bytes text;
	bool held;

	if (v->kind == VALUE_NUMBER && v->type->kind != META_CHAR)
		return value_holds_integer(f, chunk, field, v);
	if (v->kind == VALUE_REAL)
		return value_holds_real(f, v);
	bytes_init(&text);
	held = value_put_as_text(&text, chunk, v) ? value_holds_text(f, memory_text(&text)) : value_holds_missing(f);
	bytes_release(&text);
	return held;
}

/* Where the types of the chunk have the field. */
static void value_filter_use(struct value_filter *f, struct jfr_metadata *m)
{
	if (f->metadata == m)
		return;
	jfr_metadata_put(f->metadata);
	free(f->place);
	f->metadata = jfr_metadata_get(m);
	f->place = memory_need(calloc(m->count + 1, sizeof(*f->place)));
	for (uint32_t i = 0; i < m->count; i++)
		f->place[i] = m->types[i].event ? meta_type_field(&m->types[i], f->field) : -1;
}

static bool value_filter_holds_for(const struct value_filter *f, struct jfr_chunk *chunk, const struct jfr_event *e)
{
	struct jfr_value event = jfr_event_value(e), v = {.kind = VALUE_NULL};
	struct cursor c = jfr_enter(chunk, &event);
	int place = f->place[e->type->index];

	if (place < 0)
		return false;
	for (int i = 0; i <= place; i++)
		jfr_take(&c, &e->type->fields[i], &v);
	if (!cursor_ok(&c))
		return false;
	jfr_resolve(chunk, &v);
	return value_holds(f, chunk, &e->type->fields[place], &v);
}

bool value_filter_has(struct value_filter *f, const struct call *call)
{
	uint64_t position = call->values_at, left = call->values;
	struct jfr_event e;

	if (!f->field)
		return true;
	value_filter_use(f, call->chunk->metadata);
	if (value_filter_holds_for(f, call->chunk, call->event))
		return true;
	while (left && jfr_chunk_next(call->chunk, &position, &e)) {
		if (!e.type)
			continue;
		if (value_filter_holds_for(f, call->chunk, &e))
			return true;
		left--;
	}
	return false;
}
