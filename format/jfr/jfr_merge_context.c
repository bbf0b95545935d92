// SPDX-License-Identifier: BSD-2-Clause
#include "format/jfr/jfr_merge_context.h"
#include "format/vec.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define SHIFT_MOST   1500000	/* ns */
#define DRIFT_MOST   100000	/* ns within a chunk */
#define WINDOW	     1000000000 /* ns */
#define CHANGES_MOST 4000000	/* of the overlay; a chunk with more is sampled */
#define FEWER	     8		/* times fewer events in each further sample */
#define TICKS_MOST   (INT64_MAX / 4)

/* A type whose events are context. */
struct context_source {
	uint32_t type;	       /* of the union */
	uint32_t first, count; /* of context.field */
};

struct context_field {
	struct meta_field field; /* as it was, under the new name */
	char *name;
	uint32_t source; /* of context.source */
	const char *of;	 /* its name in the source's type */
};

struct context_call {
	uint64_t thread;
	int64_t start, end;
	uint32_t source;
	uint32_t parent; /* the call around it, plus 1 */
	uint64_t values; /* in context.values: of each field its size in 4 bytes, and its bytes */
};

/* The shift of a window; before the first window of a chunk, that of the whole chunk. */
struct context_shift {
	uint32_t input, chunk;
	int64_t window, shift;
};

void jfr_merge_context_release(struct jfr_merge_context *c)
{
	for (size_t i = 0; i < c->fields; i++)
		free(c->field[i].name);
	free(c->field);
	free(c->source);
	free(c->call);
	free(c->target);
	jfr_overlay_release(&c->overlay);
	free(c->shift);
	bytes_release(&c->values);
	c->field = NULL;
	c->fields = 0;
}

/* ---- types */

static bool is_usable(const struct meta_field *f)
{
	return f->contextual && !f->array && !f->constant && f->type->kind != META_STRUCT &&
	       f->timestamp != META_TICKS && f->timespan != META_TICKS;
}

/* JFR's own and frtrace's events are no context that a user has chosen. */
static bool is_users(const struct meta_type *t)
{
	return t->event && t->duration >= 0 && t->thread >= 0 && strncmp(t->name, "jdk.", 4) != 0 &&
	       strncmp(t->name, "frtrace.", 8) != 0;
}

static int add_context_field(struct jfr_merge_context *c, const struct meta_type *t, const struct meta_field *f)
{
	const char *dot = strrchr(t->name, '.');
	struct context_field *new;

	if (vec_reserve(&c->field, &c->field_capacity, c->fields + 1))
		return -ENOMEM;
	new = &c->field[c->fields];
	*new = (struct context_field){.field = *f, .source = c->sources - 1, .of = f->name};
	if (asprintf(&new->name, "%s_%s", dot ? dot + 1 : t->name, f->name) < 0) {
		new->name = NULL;
		return -ENOMEM;
	}
	new->field.name = new->name;
	c->fields++;
	return 0;
}

static int find_sources(struct jfr_merge_context *c, const struct jfr_merge_types *u)
{
	int err = 0;

	for (uint32_t i = 0; !err && i < u->count; i++) {
		const struct union_type *t = &u->types[i];

		if (!is_users(t->type))
			continue;
		if (vec_reserve(&c->source, &c->source_capacity, c->sources + 1))
			return -ENOMEM;
		c->source[c->sources++] = (struct context_source){.type = i, .first = c->fields};
		for (uint32_t n = 0; !err && n < t->count; n++)
			if (is_usable(t->fields[n].field))
				err = add_context_field(c, t->type, t->fields[n].field);
		c->source[c->sources - 1].count = c->fields - c->source[c->sources - 1].first;
		if (c->source[c->sources - 1].count == 0)
			c->sources--;
	}
	return err;
}

/* The union's field that an added one is a copy of. */
static const struct union_field *origin_of(const struct jfr_merge_context *c, const struct jfr_merge_types *u, size_t n)
{
	const struct union_type *t = &u->types[c->source[c->field[n].source].type];
	uint32_t i = 0;

	while (strcmp(t->fields[i].field->name, c->field[n].of) != 0)
		i++;
	return &t->fields[i];
}

static bool has_field(const struct union_type *t, const char *name)
{
	for (uint32_t i = 0; i < t->count; i++)
		if (strcmp(t->fields[i].field->name, name) == 0)
			return true;
	return false;
}

static int extend_target(struct jfr_merge_context *c, struct jfr_merge_types *u, struct union_type *t)
{
	for (size_t n = 0; n < c->fields; n++) {
		struct union_field added = *origin_of(c, u, n);

		if (has_field(t, c->field[n].name)) /* of a recording that was merged before */
			continue;
		added.field = &c->field[n].field;
		added.context = n + 1;
		if (vec_reserve(&t->fields, &t->capacity, (size_t)t->count + 1))
			return -ENOMEM;
		t->fields[t->count++] = added;
	}
	return 0;
}

int jfr_merge_context_types(struct jfr_merge_context *c, struct jfr_merge_types *u)
{
	int err = c->wants ? find_sources(c, u) : 0;

	if (err || !c->fields)
		return err;
	c->target = calloc(u->count + 1, sizeof(*c->target));
	if (!c->target)
		return -ENOMEM;
	for (uint32_t i = 0; !err && i < u->count; i++) {
		struct union_type *t = &u->types[i];

		if (!t->type->event || is_users(t->type) || !c->wants(c->context, t->type->name))
			continue;
		c->target[i] = true;
		err = extend_target(c, u, t);
	}
	return err;
}

/* ---- values */

static void put_context_text(struct bytes *out, const struct jfr_value *v)
{
	if (v->kind != VALUE_TEXT) {
		bytes_put_u8(out, TEXT_NULL);
		return;
	}
	bytes_put_u8(out, v->text.encoding);
	if (v->text.encoding <= TEXT_EMPTY)
		return;
	bytes_put_leb(out, v->text.length);
	bytes_put(out, v->text.data, v->text.size);
}

static uint64_t bits_of(double real, bool single)
{
	float f = real;
	uint32_t low;
	uint64_t bits;

	memcpy(&low, &f, sizeof(low));
	memcpy(&bits, &real, sizeof(bits));
	return single ? low : bits;
}

/* Append a value as an event has it; VALUE_NULL: a missing one. */
static void put_context_value(struct bytes *out, enum meta_kind kind, const struct jfr_value *v)
{
	int64_t n = v->kind == VALUE_NUMBER || v->kind == VALUE_BOOLEAN ? v->number : 0;
	double real = v->kind == VALUE_REAL ? v->real : __builtin_nan("");
	bool null = v->kind == VALUE_NULL;

	switch (kind) {
	case META_STRING: put_context_text(out, v); break;
	case META_BOOLEAN:
	case META_BYTE: bytes_put_u8(out, n); break;
	case META_CHAR:
	case META_SHORT: bytes_put_leb(out, (uint16_t)n); break;
	case META_INT: bytes_put_leb(out, (uint32_t)(null ? INT32_MIN : n)); break;
	case META_FLOAT: bytes_put_be32(out, bits_of(real, true)); break;
	case META_DOUBLE: bytes_put_be64(out, bits_of(real, false)); break;
	default: bytes_put_leb(out, null ? INT64_MIN : n); break;
	}
}

/* ---- calls */

/* The thread's key in the copy. `field` is the event's. False: it has none. */
static bool thread_of(const struct jfr_original *from, const struct jfr_event *e, int field, uint64_t *thread)
{
	struct jfr_value event = jfr_event_value(e), v = {.kind = VALUE_NULL};
	struct cursor c = jfr_enter(from->chunk, &event);

	for (int i = 0; i <= field; i++)
		jfr_take(&c, &e->type->fields[i], &v);
	if (field < 0 || v.kind != VALUE_KEY)
		return false;
	*thread = jfr_merge_id_map(from->keys, from->types->plan[v.type->index].type, v.type->role, v.key);
	return *thread != 0;
}

static int context_thread_field(const struct meta_type *t)
{
	return t->thread >= 0 ? t->thread : meta_type_field(t, "sampledThread");
}

static const struct context_source *source_of(const struct jfr_merge_context *c, uint32_t type)
{
	for (size_t i = 0; i < c->sources; i++)
		if (c->source[i].type == type)
			return &c->source[i];
	return NULL;
}

static void put_values(struct jfr_merge_context *c, const struct jfr_original *from, const struct jfr_event *e,
		       const struct context_source *s)
{
	for (uint32_t n = s->first; n < s->first + s->count; n++) {
		struct jfr_value event = jfr_event_value(e), v = jfr_field(from->chunk, &event, c->field[n].of);
		size_t at = c->values.size;

		bytes_put_be32(&c->values, 0);
		put_context_value(&c->values, c->field[n].field.type->kind, &v);
		if (!c->values.failed) {
			uint32_t size = c->values.size - at - 4;

			memcpy(c->values.data + at, &size, sizeof(size));
		}
	}
}

static int64_t context_clamp(int64_t n, int64_t low, int64_t high)
{
	return n < low ? low : n > high ? high : n;
}

/* A garbled file may have any times. They are cut, so that differences of them fit. */
static int64_t start_of(const struct jfr_merge_copy *to, const struct jfr_original *from, const struct jfr_event *e,
			int64_t *end)
{
	struct jfr_times t = jfr_event_times(from->chunk, e);
	int64_t start;

	*end = jfr_merge_copy_end_of(to, from, e);
	start = (uint64_t)*end - (uint64_t)jfr_timebase_span(&from->chunk->clock, t.duration);
	*end = context_clamp(*end, -TICKS_MOST, TICKS_MOST);
	return context_clamp(start, -TICKS_MOST, TICKS_MOST);
}

int jfr_merge_context_read(struct jfr_merge_context *c, const struct jfr_merge_copy *to,
			   const struct jfr_original *from)
{
	uint64_t position = JFR_HEADER_SIZE;
	struct jfr_event e;

	while (jfr_chunk_next(from->chunk, &position, &e)) {
		const struct context_source *s =
			e.type && e.type->event ? source_of(c, from->types->plan[e.type->index].type) : NULL;
		struct context_call *call;

		if (!s)
			continue;
		if (vec_reserve(&c->call, &c->call_capacity, c->calls + 1))
			return -ENOMEM;
		call = &c->call[c->calls];
		*call = (struct context_call){.source = s - c->source, .values = c->values.size};
		if (!thread_of(from, &e, context_thread_field(e.type), &call->thread))
			continue;
		call->start = start_of(to, from, &e, &call->end);
		put_values(c, from, &e, s);
		c->calls++;
	}
	return c->values.failed ? -ENOMEM : 0;
}

/* By thread, then the outer one first. */
static int context_calls_compare(const void *a, const void *b)
{
	const struct context_call *x = a, *y = b;

	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->end != y->end ? (x->end > y->end ? -1 : 1) : 0;
}

int jfr_merge_context_sort(struct jfr_merge_context *c)
{
	uint32_t around = 0; /* plus 1 */

	if (c->calls > UINT32_MAX - 1)
		return -ENOMEM;
	if (c->calls)
		qsort(c->call, c->calls, sizeof(*c->call), context_calls_compare);
	for (size_t i = 0; i < c->calls; i++) {
		struct context_call *call = &c->call[i];

		while (around && (c->call[around - 1].thread != call->thread || c->call[around - 1].end < call->end))
			around = c->call[around - 1].parent;
		call->parent = around;
		around = i + 1;
	}
	return 0;
}

/* The number of calls that begin at or before this moment, or on threads before this one. */
static size_t calls_until(const struct jfr_merge_context *c, uint64_t thread, int64_t moment)
{
	size_t low = 0, high = c->calls;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct context_call *call = &c->call[middle];

		if (call->thread < thread || (call->thread == thread && call->start <= moment))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* ---- the shift between two recordings */

static int64_t window_of(int64_t moment)
{
	return moment / WINDOW;
}

/*
 * The calls in which the event begins with shifts at most `most` from `near`. Calls in calls count, too: most events begin in
 * the inner ones, whose beginnings and ends say most about the clocks. Outermost calls do not overlap, so before one that ends too early there is nothing.
 */
static int note_calls(struct jfr_merge_context *c, const struct overlay_event *e, uint64_t thread, int64_t near,
		      int64_t most)
{
	int err = 0;

	for (size_t i = calls_until(c, thread, e->start + near + most); !err && i-- && c->call[i].thread == thread;) {
		const struct context_call *call = &c->call[i];

		if (call->end >= e->start + near - most)
			err = jfr_overlay_note(&c->overlay, e, call->start, call->end);
		else if (!call->parent)
			break;
	}
	return err;
}

/* Note one event in `every`, with shifts at most `most` from `near`. */
static int note_events(struct jfr_merge_context *c, const struct jfr_merge_copy *to, const struct jfr_original *from,
		       int64_t near, int64_t most, uint64_t every)
{
	uint64_t position = JFR_HEADER_SIZE, thread, n = 0;
	struct overlay_event at;
	struct jfr_event e;
	int err = 0;

	c->overlay.changes = 0;
	while (!err && c->overlay.changes < CHANGES_MOST && jfr_chunk_next(from->chunk, &position, &e)) {
		if (!e.type || !c->target[from->types->plan[e.type->index].type] || e.type->duration < 0 ||
		    n++ % every || !thread_of(from, &e, e.type->thread, &thread))
			continue;
		at.start = start_of(to, from, &e, &at.end);
		at.window = window_of(at.start);
		err = note_calls(c, &at, thread, near, most);
	}
	return err;
}

static int note_chunk(struct jfr_merge_context *c, const struct jfr_merge_copy *to, const struct jfr_original *from,
		      int64_t near, int64_t most)
{
	uint64_t every = 1;
	int err = note_events(c, to, from, near, most, every);

	while (!err && c->overlay.changes >= CHANGES_MOST && every < UINT32_MAX) {
		every *= FEWER;
		err = note_events(c, to, from, near, most, every);
	}
	return err;
}

static int keep_shift(struct jfr_merge_context *c, uint32_t input, uint32_t chunk, int64_t window, int64_t shift)
{
	if (vec_reserve(&c->shift, &c->shift_capacity, c->shifts + 1))
		return -ENOMEM;
	c->shift[c->shifts++] = (struct context_shift){input, chunk, window, shift};
	return 0;
}

/* First for the chunk as a whole, then for each window near that: clocks drift by microseconds in a minute. */
int jfr_merge_context_align(struct jfr_merge_context *c, const struct jfr_merge_copy *to,
			    const struct jfr_original *from, uint32_t input)
{
	struct overlay_shift whole, part;
	int err = note_chunk(c, to, from, 0, SHIFT_MOST);

	if (err || !c->overlay.changes)
		return err;
	whole = jfr_overlay_whole(&c->overlay, 0, SHIFT_MOST);
	if (whole.error >= c->worst.error)
		c->worst = whole;
	err = keep_shift(c, input, from->chunk->number, INT64_MIN, whole.shift)
		      ?: note_chunk(c, to, from, whole.shift, DRIFT_MOST);
	for (size_t at = 0; !err && jfr_overlay_next(&c->overlay, &at, whole.shift, DRIFT_MOST, &part);)
		err = keep_shift(c, input, from->chunk->number, part.window, part.shift);
	return err;
}

static bool shift_is_before(const struct context_shift *a, uint32_t input, uint32_t chunk, int64_t window)
{
	if (a->input != input)
		return a->input < input;
	return a->chunk != chunk ? a->chunk < chunk : a->window <= window;
}

/* That of the event's window, or of the last one before it. */
static int64_t shift_at(const struct jfr_merge_context *c, uint32_t input, uint32_t chunk, int64_t moment)
{
	size_t low = 0, high = c->shifts;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (shift_is_before(&c->shift[middle], input, chunk, window_of(moment)))
			low = middle + 1;
		else
			high = middle;
	}
	return low && c->shift[low - 1].input == input && c->shift[low - 1].chunk == chunk ? c->shift[low - 1].shift
											   : 0;
}

/* ---- the copy */

void jfr_merge_context_enter(struct jfr_merge_context *c, const struct jfr_merge_copy *to,
			     const struct jfr_original *from, const struct jfr_event *e, uint32_t input)
{
	uint64_t thread;
	int64_t start, end, shift;
	size_t i;

	c->around = NULL;
	if (!c->target || !c->target[from->types->plan[e->type->index].type] ||
	    !thread_of(from, e, context_thread_field(e->type), &thread))
		return;
	start = start_of(to, from, e, &end);
	shift = shift_at(c, input, from->chunk->number, start);
	start += shift;
	i = calls_until(c, thread, start);
	while (i && (c->call[i - 1].thread != thread || c->call[i - 1].end < start))
		i = c->call[i - 1].thread == thread ? c->call[i - 1].parent : 0;
	c->around = i ? &c->call[i - 1] : NULL;
}

/* The innermost call of a source. */
static const struct context_call *call_of_source(const struct jfr_merge_context *c, uint32_t source)
{
	const struct context_call *call = c->around;

	while (call && call->source != source)
		call = call->parent ? &c->call[call->parent - 1] : NULL;
	return call;
}

void jfr_merge_context_put(const void *context, uint32_t n, struct bytes *out)
{
	const struct jfr_merge_context *c = context;
	const struct context_field *f = &c->field[n];
	const struct context_call *call = call_of_source(c, f->source);
	uint64_t at = call ? call->values : 0;
	uint32_t size = 0;

	if (!call) {
		put_context_value(out, f->field.type->kind, &(struct jfr_value){.kind = VALUE_NULL});
		return;
	}
	for (uint32_t i = c->source[f->source].first; i <= n; i++) {
		at += i > c->source[f->source].first ? 4 + size : 0;
		memcpy(&size, c->values.data + at, sizeof(size));
	}
	bytes_put(out, c->values.data + at + 4, size);
}
