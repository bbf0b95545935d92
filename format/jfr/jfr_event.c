// SPDX-License-Identifier: BSD-2-Clause
/* Events from the rows of the schema: each row names its value in the event's struct (jfr_events.h). */
#include "format/jfr/jfr_write_internal.h"

#include <string.h>

#define TEXT_LIMIT (1u << 20)

static void put_key(struct jfr_writer *w, struct bytes *b, enum jfr_type pool, uint64_t key)
{
	static const enum orphan orphan[] = {
		[JFR_THREAD] = ORPHAN_THREAD, [JFR_STACK_TRACE] = ORPHAN_STACK, [JFR_METHOD] = ORPHAN_METHOD};

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
