// SPDX-License-Identifier: BSD-2-Clause
#include "format/jfr/jfr_merge_copy.h"
#include "format/vec.h"
#include "format/jfr/jfr_type_write.h"

#include <errno.h>
#include <stdlib.h>

#define CHECKPOINT	 1
#define TICKS_PER_SECOND 1000000000

int jfr_merge_copy_init(struct jfr_merge_copy *c, const struct jfr_merge_types *types, const struct bytes *metadata,
			uint64_t metadata_id, const struct jfr_timebase *clock)
{
	*c = (struct jfr_merge_copy){
		.types = types,
		.metadata = metadata,
		.metadata_id = metadata_id,
		.clock = *clock,
		.pools = calloc(types->count + 1, sizeof(*c->pools)),
	};
	return c->pools ? 0 : -ENOMEM;
}

void jfr_merge_copy_release(struct jfr_merge_copy *c)
{
	for (uint32_t i = 0; c->pools && i < c->types->count; i++)
		bytes_release(&c->pools[i].values);
	free(c->pools);
	free(c->wanted);
	key_table_release(&c->copied);
	bytes_release(&c->chunk);
	bytes_release(&c->event);
}

/* The value being copied. */
struct passage {
	struct jfr_merge_copy *to;
	const struct jfr_original *from;
	struct cursor in;
	struct bytes *out;
};

/* Long.MIN_VALUE and MAX_VALUE mean "missing" and "for ever". */
static bool is_special(int64_t ticks)
{
	return ticks == INT64_MIN || ticks == INT64_MAX;
}

static int64_t moment(const struct jfr_merge_copy *to, const struct jfr_chunk *chunk, int64_t ticks)
{
	uint64_t nanos = jfr_timebase_moment(&chunk->clock, ticks);

	return nanos - (uint64_t)to->clock.start_nanos + (uint64_t)to->clock.start_ticks;
}

static int64_t merge_copy_span(const struct jfr_chunk *chunk, int64_t ticks)
{
	return is_special(ticks) ? ticks : jfr_timebase_span(&chunk->clock, ticks);
}

int64_t jfr_merge_copy_end_of(const struct jfr_merge_copy *c, const struct jfr_original *from,
			      const struct jfr_event *e)
{
	struct jfr_times t = jfr_event_times(from->chunk, e);

	return (uint64_t)moment(c, from->chunk, t.start) + (uint64_t)merge_copy_span(from->chunk, t.duration);
}

static void want(struct jfr_merge_copy *c, const struct meta_type *t, uint64_t key, uint64_t new_key)
{
	if (vec_reserve(&c->wanted, &c->wanted_capacity, c->wanted_count + 1)) {
		c->failed = true;
		return;
	}
	c->wanted[c->wanted_count++] = (struct wanted_constant){t, key, new_key};
}

static uint64_t new_key(struct passage *p, const struct meta_type *t, uint64_t key)
{
	uint32_t type = p->from->types->plan[t->index].type;
	uint64_t k = jfr_merge_id_map(p->from->keys, type, t->role, key);

	if ((k || p->from->keys->zero[type]) && !key_table_find(&p->to->copied, k, type))
		want(p->to, t, key, k);
	return k;
}

static void copy_struct(struct passage *p, const struct meta_type *t);

static void copy_raw(struct passage *p, size_t n)
{
	const unsigned char *bytes = cursor_take(&p->in, n);

	if (bytes)
		bytes_put(p->out, bytes, n);
}

static void copy_text(struct passage *p, const struct meta_type *t)
{
	size_t start = p->in.at;
	struct cursor_text text = cursor_text(&p->in);

	if (!cursor_ok(&p->in))
		return;
	if (text.encoding != TEXT_CONSTANT) {
		bytes_put(p->out, p->in.data + start, p->in.at - start);
		return;
	}
	bytes_put_u8(p->out, TEXT_CONSTANT);
	bytes_put_leb(p->out, new_key(p, t, text.key));
}

static void copy_value(struct passage *p, const struct meta_type *t)
{
	switch (t->kind) {
	case META_STRUCT: copy_struct(p, t); break;
	case META_BOOLEAN:
	case META_BYTE: copy_raw(p, 1); break;
	case META_CHAR:
	case META_SHORT:
	case META_INT:
	case META_LONG: bytes_put_leb(p->out, cursor_leb(&p->in)); break;
	case META_FLOAT: copy_raw(p, 4); break;
	case META_DOUBLE: copy_raw(p, 8); break;
	case META_STRING: copy_text(p, t); break;
	}
}

static void copy_element(struct passage *p, const struct meta_field *f)
{
	if (f->constant)
		bytes_put_leb(p->out, new_key(p, f->type, cursor_leb(&p->in)));
	else if (f->timestamp == META_TICKS && f->type->kind == META_LONG) {
		int64_t ticks = cursor_leb(&p->in);

		bytes_put_leb(p->out, is_special(ticks) ? ticks : moment(p->to, p->from->chunk, ticks));
	} else if (f->timespan == META_TICKS && f->type->kind == META_LONG)
		bytes_put_leb(p->out, merge_copy_span(p->from->chunk, cursor_leb(&p->in)));
	else
		copy_value(p, f->type);
}

static void copy_field(struct passage *p, const struct meta_field *f)
{
	uint64_t count;

	if (!f->array) {
		copy_element(p, f);
		return;
	}
	count = cursor_leb(&p->in);
	if (count > p->in.size - p->in.at)
		cursor_fail(&p->in, p->in.at, "an array that is longer than its container");
	bytes_put_leb(p->out, count);
	while (count-- && cursor_ok(&p->in))
		copy_element(p, f);
}

/* jdk.ActiveSetting names its event by the id of its type: in its field 1, up to JDK 21 in field 4. */
static bool is_event_id(const struct meta_type *t, uint32_t field)
{
	const struct meta_field *f = &t->fields[field];

	return t->role == META_ACTIVE_SETTING && strcmp(f->name, "id") == 0 && f->type->kind == META_LONG;
}

/* jfr_merge_copy_event() drops settings of types that are undeclared. */
static void copy_event_id(struct passage *p)
{
	const struct meta_type *t = jfr_metadata_type(p->from->chunk->metadata, cursor_leb(&p->in));

	bytes_put_leb(p->out, t ? p->to->types->types[p->from->types->plan[t->index].type].id : 0);
}

/* The start and duration of an event are ticks, whatever the annotations say. */
static void copy_field_of(struct passage *p, const struct meta_type *t, uint32_t i)
{
	if (t->event && i == 0)
		bytes_put_leb(p->out, moment(p->to, p->from->chunk, cursor_leb(&p->in)));
	else if (t->event && (int)i == t->duration)
		bytes_put_leb(p->out, merge_copy_span(p->from->chunk, cursor_leb(&p->in)));
	else if (t->event && is_event_id(t, i))
		copy_event_id(p);
	else
		copy_field(p, &t->fields[i]);
}

/* Write a field that the file does not have: null, no constants, or a time that readers show as missing. */
static void merge_copy_put_unknown(struct passage *p, const struct union_field *f)
{
	const struct meta_field *m = f->field;
	const struct union_type *t = &p->to->types->types[f->type];

	if (m->array || m->constant || t->type->kind == META_STRING || t->type->kind == META_BOOLEAN ||
	    t->type->kind == META_BYTE)
		bytes_put_u8(p->out, 0);
	else if (t->type->kind == META_STRUCT)
		for (uint32_t i = 0; i < t->count; i++)
			merge_copy_put_unknown(p, &t->fields[i]);
	else if (t->type->kind == META_FLOAT)
		bytes_put_be32(p->out, 0);
	else if (t->type->kind == META_DOUBLE)
		bytes_put_be64(p->out, 0);
	else
		bytes_put_leb(p->out, m->timespan || m->timestamp ? (uint64_t)INT64_MIN : 0);
}

/* Copy fields in the order of the union, which differs from the file's. */
static void copy_reordered(struct passage *p, const struct meta_type *t, const struct union_plan *plan)
{
	const struct union_type *known = &p->to->types->types[plan->type];
	size_t *at = calloc(t->count + 1, sizeof(*at)), end;

	if (!at) {
		p->to->failed = true;
		return;
	}
	for (uint32_t i = 0; i < t->count && cursor_ok(&p->in); i++) {
		at[i] = p->in.at;
		jfr_skip_field(&p->in, &t->fields[i]);
	}
	end = p->in.at;
	for (uint32_t i = 0; i < known->count && cursor_ok(&p->in); i++) {
		if (plan->source[i] < 0) {
			const struct meta_field *f = known->fields[i].field;

			if (t->event && i == 1 && strcmp(f->name, "duration") == 0 && f->type->kind == META_LONG)
				bytes_put_u8(p->out, 0); /* the event is a moment */
			else if (known->fields[i].context)
				p->to->put_added(p->to->added, known->fields[i].context - 1, p->out);
			else
				merge_copy_put_unknown(p, &known->fields[i]);
			continue;
		}
		cursor_seek(&p->in, at[plan->source[i]]);
		copy_field_of(p, t, plan->source[i]);
	}
	cursor_seek(&p->in, end);
	free(at);
}

static void copy_struct(struct passage *p, const struct meta_type *t)
{
	const struct union_plan *plan = &p->from->types->plan[t->index];

	if (!plan->straight) {
		copy_reordered(p, t, plan);
		return;
	}
	for (uint32_t i = 0; i < t->count && cursor_ok(&p->in); i++)
		copy_field_of(p, t, i);
}

static int passage_end(struct passage *p)
{
	const struct jfr_chunk *chunk = p->from->chunk;

	if (!cursor_ok(&p->in)) {
		jfr_fault_add(chunk->fault, p->in.error, chunk->at + p->in.bad);
		return -EINVAL;
	}
	p->to->failed |= p->out->failed;
	return p->to->failed ? -ENOMEM : 0;
}

static int copy_constant(struct jfr_merge_copy *c, const struct jfr_original *from, const struct wanted_constant *w)
{
	uint32_t type = from->types->plan[w->type->index].type;
	struct copied_pool *pool = &c->pools[type];
	uint64_t at = jfr_chunk_constant(from->chunk, w->type, w->key);
	struct passage p = {.to = c, .from = from, .out = &pool->values};
	size_t before = pool->values.size;

	if (!at || key_table_find(&c->copied, w->new_key, type))
		return 0; /* a dangling key is null, before and after the copy */
	if (!key_table_put(&c->copied, w->new_key, type, 0))
		return -ENOMEM;
	cursor_init(&p.in, from->chunk->data, from->chunk->size);
	p.in.at = at;
	bytes_put_leb(p.out, w->new_key);
	copy_value(&p, w->type);
	pool->count++;
	c->constants += pool->values.size - before;
	return passage_end(&p);
}

/* Copy the constants, and those that they refer to. */
static int copy_constants(struct jfr_merge_copy *c, const struct jfr_original *from)
{
	int err = 0;

	while (c->wanted_count && !err) {
		struct wanted_constant w = c->wanted[--c->wanted_count];

		err = copy_constant(c, from, &w);
	}
	return err;
}

void jfr_merge_copy_begin(struct jfr_merge_copy *c, int64_t start_ticks)
{
	bytes_clear(&c->chunk);
	if (bytes_reserve(&c->chunk, JFR_HEADER_SIZE))
		c->chunk.size = JFR_HEADER_SIZE;
	for (uint32_t i = 0; i < c->types->count; i++) {
		bytes_clear(&c->pools[i].values);
		c->pools[i].count = 0;
	}
	key_table_clear(&c->copied);
	c->events = c->constants = 0;
	c->start = start_ticks;
	c->open = true;
}

size_t jfr_merge_copy_size(const struct jfr_merge_copy *c)
{
	return c->chunk.size + c->constants + c->metadata->size;
}

/* A setting of an event that the file does not declare. JMC fails on an id that no type has. */
static bool is_stray_setting(const struct jfr_original *from, const struct jfr_event *e)
{
	struct jfr_value event = jfr_event_value(e), id;

	if (e->type->role != META_ACTIVE_SETTING)
		return false;
	id = jfr_field(from->chunk, &event, "id");
	return id.kind == VALUE_NUMBER && !jfr_metadata_type(from->chunk->metadata, id.number);
}

int jfr_merge_copy_event(struct jfr_merge_copy *c, const struct jfr_original *from, const struct jfr_event *e)
{
	uint64_t id = c->types->types[from->types->plan[e->type->index].type].id;
	struct passage p = {.to = c, .from = from, .out = &c->event};
	size_t body, size;
	int err;

	if (is_stray_setting(from, e))
		return 0;
	cursor_init(&p.in, from->chunk->data, e->at + e->size);
	p.in.at = e->body;
	bytes_clear(&c->event);
	copy_struct(&p, e->type);
	err = passage_end(&p);
	if (err)
		return err;
	body = c->event.size + leb_size(id);
	for (size = body + 1; size != body + leb_size(size);)
		size = body + leb_size(size);
	bytes_put_leb(&c->chunk, size);
	bytes_put_leb(&c->chunk, id);
	bytes_put(&c->chunk, c->event.data, c->event.size);
	c->events++;
	return copy_constants(c, from) ?: c->chunk.failed ? -ENOMEM : 0;
}

/* Write one checkpoint per type. *last is the position of the previous one; 0: none. */
static int put_checkpoint(struct jfr_merge_copy *c, uint32_t type, uint64_t *last)
{
	const struct copied_pool *pool = &c->pools[type];
	size_t start = c->chunk.size;

	bytes_put_be32(&c->chunk, 0); /* size */
	bytes_put_leb(&c->chunk, CHECKPOINT);
	bytes_put_leb(&c->chunk, c->start);
	bytes_put_leb(&c->chunk, 0); /* duration */
	bytes_put_leb(&c->chunk, *last ? *last - start : 0);
	bytes_put_u8(&c->chunk, 0); /* mask */
	bytes_put_leb(&c->chunk, pool->count ? 1 : 0);
	if (pool->count) {
		bytes_put_leb(&c->chunk, c->types->types[type].id);
		bytes_put_leb(&c->chunk, pool->count);
		bytes_put(&c->chunk, pool->values.data, pool->values.size);
	}
	*last = start;
	if (c->chunk.size - start >= LEB_PADDED_LIMIT)
		return -EFBIG;
	bytes_patch_leb(&c->chunk, start, c->chunk.size - start);
	return 0;
}

int jfr_merge_copy_finish(struct jfr_merge_copy *c, int64_t end_ticks, bool last)
{
	struct jfr_header h = {.major = 2, .minor = 1, .start_ticks = c->start, .ticks_per_second = TICKS_PER_SECOND};
	int err = 0;

	for (uint32_t i = 0; i < c->types->count && !err; i++)
		if (c->pools[i].count)
			err = put_checkpoint(c, i, &h.constants);
	if (!err && !h.constants) /* readers treat 0 as a position in the previous chunk */
		err = put_checkpoint(c, 0, &h.constants);
	h.metadata = c->chunk.size;
	jfr_metadata_write(&c->chunk, c->metadata, c->metadata_id, c->start);
	c->open = false;
	if (!err && c->chunk.size > INT32_MAX)
		err = -EFBIG;
	if (!err && (c->chunk.failed || c->failed))
		err = -ENOMEM;
	if (err)
		return err;
	h.size = c->chunk.size;
	h.start_nanos = (uint64_t)c->clock.start_nanos + (uint64_t)c->start - (uint64_t)c->clock.start_ticks;
	if (end_ticks < c->start)
		h.duration_nanos = 0;
	else if (__builtin_sub_overflow(end_ticks, c->start, &h.duration_nanos))
		h.duration_nanos = INT64_MAX;
	h.flags = JFR_FLAG_COMPRESSED | (last ? JFR_FLAG_LAST : 0);
	jfr_header_write(c->chunk.data, &h);
	return 0;
}
