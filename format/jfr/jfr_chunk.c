// SPDX-License-Identifier: BSD-2-Clause
#include "format/jfr/jfr_chunk.h"

#include <errno.h>
#include <stdlib.h>

/* Convert as a Java cast does: saturate. */
static int64_t saturate(double d)
{
	if (d >= 9223372036854775807.0)
		return INT64_MAX;
	if (d <= -9223372036854775808.0)
		return INT64_MIN;
	return d == d ? (int64_t)d : 0;
}

int64_t jfr_timebase_moment(const struct jfr_timebase *clock, int64_t ticks)
{
	int64_t since = (uint64_t)ticks - (uint64_t)clock->start_ticks;

	return (uint64_t)clock->start_nanos + (uint64_t)saturate(since / clock->ticks_per_nano);
}

int64_t jfr_timebase_span(const struct jfr_timebase *clock, int64_t ticks)
{
	return saturate(ticks / clock->ticks_per_nano);
}

void jfr_fault_add(struct jfr_fault *f, const char *what, uint64_t at)
{
	if (f->what) {
		f->more++;
		return;
	}
	f->what = what;
	f->at = at;
}

int jfr_header_read(struct jfr_header *h, struct cursor *c)
{
	size_t start = c->at;

	if (cursor_be32(c) != 0x464c5200)
		cursor_fail(c, start, "no chunk begins here");
	h->major = cursor_be16(c);
	h->minor = cursor_be16(c);
	if (cursor_ok(c) && h->major != 1 && h->major != 2)
		cursor_fail(c, start, "a version of the format other than 1 and 2");
	h->size = cursor_be64(c);
	h->constants = cursor_be64(c);
	h->metadata = cursor_be64(c);
	h->start_nanos = cursor_be64(c);
	h->duration_nanos = cursor_be64(c);
	h->start_ticks = cursor_be64(c);
	h->ticks_per_second = cursor_be64(c);
	h->state = cursor_u8(c);
	cursor_u8(c);
	h->flags = cursor_be16(c);
	return cursor_ok(c) ? 0 : -EINVAL;
}

void jfr_header_write(unsigned char *out, const struct jfr_header *h)
{
	struct bytes b = {.data = out, .capacity = JFR_HEADER_SIZE};

	bytes_put_be32(&b, 0x464c5200);
	bytes_put_be16(&b, h->major);
	bytes_put_be16(&b, h->minor);
	bytes_put_be64(&b, h->size);
	bytes_put_be64(&b, h->constants);
	bytes_put_be64(&b, h->metadata);
	bytes_put_be64(&b, h->start_nanos);
	bytes_put_be64(&b, h->duration_nanos);
	bytes_put_be64(&b, h->start_ticks);
	bytes_put_be64(&b, h->ticks_per_second);
	bytes_put_u8(&b, h->state);
	bytes_put_u8(&b, 0);
	bytes_put_be16(&b, h->flags);
}

struct jfr_chunk *jfr_chunk_get(struct jfr_chunk *c)
{
	c->references++;
	return c;
}

void jfr_chunk_put(struct jfr_chunk *c)
{
	if (!c || --c->references)
		return;
	if (c->has_constants)
		jfr_read_pools_release(&c->constants);
	jfr_metadata_put(c->metadata);
	if (c->forget)
		c->forget(c->data, c->held);
	free(c);
}

static void read_constants(struct jfr_chunk *c)
{
	struct cursor cursor;
	int err;

	cursor_init(&cursor, c->data, c->size);
	err = jfr_read_pools_read(&c->constants, c->metadata, &cursor, c->header.constants);
	c->has_constants = true;
	if (err == -ENOMEM)
		jfr_fault_add(c->fault, "no memory for its constants", c->at);
	else if (err)
		jfr_fault_add(c->fault, cursor.error, c->at + cursor.bad);
}

uint64_t jfr_chunk_constant(struct jfr_chunk *c, const struct meta_type *t, uint64_t key)
{
	if (!c->has_constants)
		read_constants(c);
	return c->constants.pools ? jfr_read_pools_find(&c->constants, t, key) : 0;
}

static const struct meta_type *event_type(struct jfr_chunk *c, uint64_t id)
{
	if (!c->last || c->last_id != id) {
		c->last = jfr_metadata_type(c->metadata, id);
		c->last_id = id;
		if (c->last && !c->last->event)
			c->last = NULL;
	}
	return c->last;
}

bool jfr_chunk_next(struct jfr_chunk *c, uint64_t *position, struct jfr_event *e)
{
	struct cursor cursor;

	if (*position >= c->size)
		return false;
	cursor_init(&cursor, c->data, c->size);
	cursor.at = e->at = *position;
	e->size = cursor_leb(&cursor);
	e->type_id = cursor_leb(&cursor);
	e->body = cursor.at;
	if (!cursor_ok(&cursor) || e->size > c->size - e->at || e->body - e->at > e->size) {
		jfr_fault_add(c->fault, "an event whose size is wrong", c->at + e->at);
		*position = c->size;
		return false;
	}
	*position += e->size;
	e->type = event_type(c, e->type_id);
	return true;
}

bool jfr_chunk_event(struct jfr_chunk *c, uint64_t at, struct jfr_event *e)
{
	if (!jfr_chunk_next(c, &at, e))
		return false;
	if (!e->type)
		jfr_fault_add(c->fault, "an event that changed while the file was read", c->at + e->at);
	return e->type;
}

struct jfr_value jfr_event_value(const struct jfr_event *e)
{
	return (struct jfr_value){
		.kind = VALUE_STRUCT,
		.type = e->type,
		.place = {.at = e->body, .limit = e->at + e->size},
	};
}

struct jfr_times jfr_event_times(const struct jfr_chunk *c, const struct jfr_event *e)
{
	struct jfr_times times = {0};
	struct cursor cursor;

	cursor_init(&cursor, c->data, e->at + e->size);
	cursor.at = e->body;
	times.start = cursor_leb(&cursor);
	if (e->type->duration == 1)
		times.duration = cursor_leb(&cursor);
	return times;
}

static int64_t cut_time(int64_t n, int64_t most)
{
	return n < 0 ? 0 : n < most ? n : most;
}

struct jfr_span jfr_event_span(const struct jfr_chunk *c, const struct jfr_event *e)
{
	struct jfr_times times = jfr_event_times(c, e);
	int64_t start = cut_time(jfr_timebase_moment(&c->clock, times.start), JFR_LATEST);

	return (struct jfr_span){start, cut_time(jfr_timebase_span(&c->clock, times.duration), JFR_LATEST - start)};
}

struct cursor jfr_enter(const struct jfr_chunk *chunk, const struct jfr_value *v)
{
	struct cursor c;

	cursor_init(&c, chunk->data, v->place.limit);
	c.at = v->place.at;
	return c;
}

struct jfr_value jfr_event_field(const struct jfr_chunk *chunk, const struct jfr_event *e, int index)
{
	struct jfr_value event = jfr_event_value(e), field = {.kind = VALUE_NULL};
	struct cursor c = jfr_enter(chunk, &event);

	for (int i = 0; i < index; i++)
		jfr_skip_field(&c, &e->type->fields[i]);
	if (index >= 0)
		jfr_take(&c, &e->type->fields[index], &field);
	return field;
}

/* A simple type may stand for a constant. The loop ends: the steps are limited, even if keys form a circle. */
#define MAX_STEPS 8

void jfr_resolve(struct jfr_chunk *chunk, struct jfr_value *v)
{
	for (int i = 0; v->kind == VALUE_KEY; i++) {
		uint64_t at = i < MAX_STEPS ? jfr_chunk_constant(chunk, v->type, v->key) : 0;
		struct cursor c;

		v->kind = VALUE_NULL;
		if (!at)
			return;
		cursor_init(&c, chunk->data, chunk->size);
		c.at = at;
		jfr_take_pooled(&c, v->type, v);
	}
}

struct jfr_value jfr_field(struct jfr_chunk *chunk, const struct jfr_value *v, const char *name)
{
	struct jfr_value field = {.kind = VALUE_NULL};
	int i, n = v->kind == VALUE_STRUCT ? meta_type_field(v->type, name) : -1;
	struct cursor c;

	if (n < 0)
		return field;
	c = jfr_enter(chunk, v);
	for (i = 0; i < n; i++)
		jfr_skip_field(&c, &v->type->fields[i]);
	jfr_take(&c, &v->type->fields[n], &field);
	jfr_resolve(chunk, &field);
	return field;
}
