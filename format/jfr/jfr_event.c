// SPDX-License-Identifier: BSD-2-Clause
/* Events from the rows of the schema: each row names its value in the event's struct (jfr_events.h). */
#include "format/jfr/jfr_write_internal.h"

#include <string.h>

#define TEXT_LIMIT (1u << 20)

static void put_key(struct jfr_writer *w, struct bytes *b, enum jfr_type pool, uint64_t key)
{
	static const enum orphan orphan[] = {[JFR_THREAD] = ORPHAN_THREAD,
					     [JFR_STACK_TRACE] = ORPHAN_STACK,
					     [JFR_METHOD] = ORPHAN_METHOD,
					     [JFR_CLASS] = ORPHAN_METHOD};

	bytes_put_leb(b, jfr_key_use(w, pool, key, orphan[pool]));
}

static uint64_t number_at(const void *at, size_t size)
{
	uint64_t n = 0;

	memcpy(&n, at, size); /* little-endian; narrower ones are unsigned */
	return n;
}

static void put_value(struct jfr_writer *w, struct bytes *b, const struct jfr_field *f, const void *at)
{
	if (f->type == JFR_STRING)
		bytes_put_text(b, *(const char *const *)at, TEXT_LIMIT);
	else if (f->type == JFR_BOOLEAN)
		bytes_put_u8(b, number_at(at, f->size));
	else if (f->type == JFR_THREAD_STATE)
		bytes_put_leb(b, number_at(at, f->size));
	else if (f->type >= JFR_FIRST_POOL)
		put_key(w, b, f->type, number_at(at, f->size));
	else
		bytes_put_leb(b, number_at(at, f->size));
}

void jfr_event_write(struct jfr_writer *w, enum jfr_type type, const void *values)
{
	const struct jfr_field *f = jfr_schema_fields(type) + 1; /* behind startTime */
	size_t at;
	struct bytes *b = jfr_event_begin(w, type, *(const int64_t *)values, &at);

	if (!b)
		return;
	for (; f->name; f++)
		if (jfr_schema_has(&w->schema, f))
			put_value(w, b, f, (const char *)values + f->at);
	jfr_event_end(w, at);
}

uint64_t jfr_missing_number(enum jfr_type type)
{
	switch (type) {
	case JFR_BYTE: return (uint8_t)INT8_MIN;
	case JFR_SHORT: return (uint16_t)INT16_MIN;
	case JFR_INT: return (uint32_t)INT32_MIN;
	case JFR_LONG: return INT64_MIN;
	case JFR_FLOAT: return 0x7fc00000;
	case JFR_DOUBLE: return 0x7ff8000000000000;
	default: return 0;
	}
}

static void put_user_text(struct bytes *b, const struct jfr_user_value *v)
{
	size_t limit = v->length < TEXT_LIMIT ? v->length : TEXT_LIMIT;

	if (v->null || !limit) {
		bytes_put_u8(b, v->null ? TEXT_NULL : TEXT_EMPTY);
		return;
	}
	bytes_put_u8(b, v->wide ? TEXT_UTF16 : TEXT_LATIN1);
	bytes_put_leb(b, limit);
	if (!v->wide)
		bytes_put(b, v->text, limit);
	for (size_t i = 0; v->wide && i < limit; i++)
		bytes_put_leb(b, ((const uint16_t *)v->text)[i]);
}

static void put_user_value(struct jfr_writer *w, struct bytes *b, enum jfr_type type, const struct jfr_user_value *v)
{
	uint64_t n = v->null ? jfr_missing_number(type) : (uint64_t)v->number;

	switch (type) {
	case JFR_STRING: put_user_text(b, v); break;
	case JFR_THREAD:
	case JFR_CLASS: bytes_put_leb(b, v->null ? 0 : jfr_key_use(w, type, n, ORPHAN_METHOD)); break;
	case JFR_BOOLEAN:
	case JFR_BYTE: bytes_put_u8(b, n); break;
	case JFR_FLOAT: bytes_put_be32(b, n); break;
	case JFR_DOUBLE: bytes_put_be64(b, n); break;
	case JFR_INT: bytes_put_leb(b, (uint32_t)n); break;
	case JFR_CHAR:
	case JFR_SHORT: bytes_put_leb(b, (uint16_t)n); break;
	default: bytes_put_leb(b, n); break;
	}
}

void jfr_user_event(struct jfr_writer *w, uint32_t number, const struct jfr_method_trace *e,
		    const struct jfr_user_value *values)
{
	const struct jfr_user_type *t = &w->schema.user[number];
	const struct jfr_field *f = jfr_schema_fields(JFR_METHOD_TRACE);
	size_t at;
	struct bytes *b = jfr_event_begin_id(w, JFR_TYPE_ID_BASE + JFR_TYPES + 1 + number, e->start, &at);

	if (!b)
		return;
	for (int i = 1; i < JFR_HEAD_FIELDS; i++)
		put_value(w, b, &f[i], (const char *)e + f[i].at);
	for (uint32_t i = 0; i < t->fields; i++)
		put_user_value(w, b, t->field[i].type, &values[i]);
	for (f += JFR_HEAD_FIELDS; f->name; f++)
		if (jfr_schema_has(&w->schema, f))
			put_value(w, b, f, (const char *)e + f->at);
	jfr_event_end(w, at);
}

void jfr_active_setting(struct jfr_writer *w, int64_t start, const char *event, const char *name, const char *value)
{
	enum jfr_type type = jfr_schema_event(&w->schema, event);

	if (type != JFR_TYPES) /* JMC fails on an id that is not in the metadata */
		jfr_event_write(w, JFR_ACTIVE_SETTING,
				&(struct jfr_active_setting){start, jfr_schema_type_id(&w->schema, type), name, value});
}

void jfr_run_queue(struct jfr_writer *w, int64_t start, int64_t duration, uint64_t thread)
{
	jfr_event_write(w, JFR_RUN_QUEUE, &(struct jfr_run_queue){start, duration, thread});
}

void jfr_os_information(struct jfr_writer *w, int64_t start, const char *version)
{
	jfr_event_write(w, JFR_OS_INFORMATION, &(struct jfr_os_information){start, version});
}

void jfr_virtualization_information(struct jfr_writer *w, int64_t start, const char *name)
{
	jfr_event_write(w, JFR_VIRTUALIZATION_INFORMATION, &(struct jfr_virtualization_information){start, name});
}

void jfr_data_loss(struct jfr_writer *w, int64_t start, uint64_t amount, uint64_t total)
{
	jfr_event_write(w, JFR_DATA_LOSS, &(struct jfr_data_loss){start, amount, total});
}

void jfr_shutdown(struct jfr_writer *w, int64_t start, const char *reason)
{
	jfr_event_write(w, JFR_SHUTDOWN, &(struct jfr_shutdown){.start = start, .reason = reason});
}

void jfr_message(struct jfr_writer *w, int64_t start, const char *kind, const char *text)
{
	jfr_event_write(w, JFR_MESSAGE, &(struct jfr_message){start, kind, text});
}
