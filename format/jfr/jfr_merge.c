// SPDX-License-Identifier: BSD-2-Clause
#include "format/jfr/jfr_merge.h"
#include "format/vec.h"
#include "format/jfr/jfr_merge_context.h"
#include "format/jfr/jfr_merge_copy.h"

#include <errno.h>
#include <stdlib.h>

#define CHUNK_SIZE   (12u << 20)
#define CHUNK_EVENTS 500000 /* JDK 25 orders events within a window, which holds two chunks of this size */

/* An event and its end, in ticks of the copy. */
struct timed {
	int64_t end;
	uint64_t at;
};

struct input {
	struct jfr_file *file;
	struct jfr_chunk *chunk;
	struct union_map types;
	struct jfr_metadata *mapped; /* the metadata that `types` belongs to; in the first pass, the last one added */
	struct jfr_merge_id_map keys;
	bool ours; /* made by frtrace */
	struct timed *order;
	size_t count, next, capacity;
};

struct merge {
	struct input *inputs;
	size_t count;
	struct jfr_merge_types types;
	struct jfr_merge_ids keys;
	struct bytes metadata;
	uint64_t metadata_id;
	struct jfr_timebase clock;
	struct jfr_metadata *region; /* of the base */
	bool has_base;
	bool jvm_described; /* by the JVM itself */
	bool sampled;	    /* by frtrace */
	struct jfr_merge_copy copy;
	struct jfr_merge_context context;
	int64_t last; /* tick of the end of the last event; initially the start of the file */
	const struct jfr_merge_sink *sink;
	struct jfr_merged *merged;
};

static void metadata_set(struct jfr_metadata **place, struct jfr_metadata *m)
{
	jfr_metadata_put(*place);
	*place = m ? jfr_metadata_get(m) : NULL;
}

/* A fault ends the merge: half a recording is not what was asked for. */
static int next_chunk(struct input *in, struct jfr_chunk **chunk)
{
	*chunk = jfr_file_next(in->file);
	if (!in->file->fault.what)
		return 0;
	jfr_chunk_put(*chunk);
	*chunk = NULL;
	return -EINVAL;
}

static void rewind_input(struct input *in)
{
	jfr_file_rewind(in->file);
	metadata_set(&in->mapped, NULL);
}

static int each_chunk(struct merge *m, struct input *in,
		      int (*look)(struct merge *, struct input *, struct jfr_chunk *))
{
	struct jfr_chunk *chunk;
	int err;

	rewind_input(in);
	for (;;) {
		err = next_chunk(in, &chunk);
		if (err || !chunk)
			return err;
		err = look(m, in, chunk);
		jfr_chunk_put(chunk);
		if (err)
			return err;
	}
}

static int look_at_types(struct merge *m, struct input *in, struct jfr_chunk *chunk)
{
	bool ours = jfr_metadata_find(chunk->metadata, "frtrace.Clock") != NULL;
	int err = in->mapped == chunk->metadata ? 0 : jfr_merge_types_add(&m->types, chunk->metadata);

	if (!m->region || (ours && !m->has_base)) {
		m->clock = (struct jfr_timebase){chunk->header.start_ticks, chunk->header.start_nanos, 1};
		m->has_base = ours;
		metadata_set(&m->region, chunk->metadata);
	}
	in->ours |= ours;
	metadata_set(&in->mapped, chunk->metadata);
	return err;
}

static int map_types(struct merge *m, struct input *in, const struct jfr_chunk *chunk)
{
	int err;

	if (in->mapped == chunk->metadata)
		return 0;
	union_map_release(&in->types);
	metadata_set(&in->mapped, NULL);
	err = union_map_build(&in->types, &m->types, chunk->metadata);
	if (!err)
		metadata_set(&in->mapped, chunk->metadata);
	return err;
}

static bool has_jvm_information(struct jfr_chunk *chunk)
{
	uint64_t position = JFR_HEADER_SIZE;
	struct jfr_event e;

	while (jfr_chunk_next(chunk, &position, &e))
		if (e.type && e.type->role == META_JVM_INFORMATION)
			return true;
	return false;
}

static int look_at_constants(struct merge *m, struct input *in, struct jfr_chunk *chunk)
{
	int err = map_types(m, in, chunk);

	if (!in->ours && !m->jvm_described)
		m->jvm_described = has_jvm_information(chunk);
	/* a file that has been merged has the JVM's samples, or left them out before */
	m->sampled |= in->ours && jfr_metadata_find(chunk->metadata, "jdk.ExecutionSample") &&
		      !jfr_metadata_find(chunk->metadata, "jdk.CPULoad");
	err = err ?: jfr_merge_id_map_scan(&in->keys, &m->keys, &in->types, chunk);
	return err ? err : in->file->fault.what ? -EINVAL : 0;
}

static int prepare_types(struct merge *m)
{
	int err = 0;

	for (size_t i = 0; i < m->count && !err; i++)
		err = each_chunk(m, &m->inputs[i], look_at_types);
	if (!err && !m->region)
		return -ENODATA;
	err = err ?: jfr_merge_context_types(&m->context, &m->types);
	return err ? err : jfr_merge_types_describe(&m->types, m->region, &m->metadata, &m->metadata_id);
}

static int prepare_keys(struct merge *m)
{
	int err = jfr_merge_ids_init(&m->keys, &m->types);

	for (size_t i = 0; i < m->count && !err; i++) {
		err = jfr_merge_id_map_begin(&m->inputs[i].keys, &m->keys)
			      ?: each_chunk(m, &m->inputs[i], look_at_constants)
			      ?: jfr_merge_id_map_end(&m->inputs[i].keys, &m->keys);
		rewind_input(&m->inputs[i]);
	}
	return err;
}

static struct jfr_original original_of(const struct input *in)
{
	return (struct jfr_original){in->chunk, &in->types, &in->keys};
}

static int look_at_contexts(struct merge *m, struct input *in, struct jfr_chunk *chunk)
{
	struct jfr_original from = {chunk, &in->types, &in->keys};
	int err = map_types(m, in, chunk) ?: jfr_merge_context_read(&m->context, &m->copy, &from);

	return err ? err : in->file->fault.what ? -EINVAL : 0;
}

static int look_at_shift(struct merge *m, struct input *in, struct jfr_chunk *chunk)
{
	struct jfr_original from = {chunk, &in->types, &in->keys};

	return map_types(m, in, chunk) ?: jfr_merge_context_align(&m->context, &m->copy, &from, in - m->inputs);
}

/* Two more passes, if events are to have context. */
static int prepare_contexts(struct merge *m)
{
	int err = 0;

	if (!m->context.target)
		return 0;
	for (size_t i = 0; i < m->count && !err; i++)
		err = each_chunk(m, &m->inputs[i], look_at_contexts);
	err = err ?: jfr_merge_context_sort(&m->context);
	for (size_t i = 0; i < m->count && !err; i++)
		if (!m->inputs[i].ours)
			err = each_chunk(m, &m->inputs[i], look_at_shift);
	for (size_t i = 0; i < m->count; i++)
		rewind_input(&m->inputs[i]);
	m->merged->laid = m->context.shifts > 0;
	m->merged->shift = m->context.worst.shift;
	m->merged->shift_error = m->context.worst.error;
	m->copy.put_added = jfr_merge_context_put;
	m->copy.added = &m->context;
	return err;
}

static int add_timed(struct input *in, struct timed t)
{
	if (vec_reserve(&in->order, &in->capacity, in->count + 1))
		return -ENOMEM;
	in->order[in->count++] = t;
	return 0;
}

static int merge_compare(const void *a, const void *b)
{
	const struct timed *x = a, *y = b;

	if (x->end != y->end)
		return x->end < y->end ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

static void sort(struct input *in)
{
	for (size_t i = 1; i < in->count; i++) {
		if (in->order[i].end < in->order[i - 1].end) {
			qsort(in->order, in->count, sizeof(*in->order), merge_compare);
			return;
		}
	}
}

/* Sort the events of a chunk by their end. */
static int order_events(const struct merge *m, struct input *in)
{
	struct jfr_original from = original_of(in);
	uint64_t position = JFR_HEADER_SIZE;
	struct jfr_event e;
	int err = 0;

	in->count = in->next = 0;
	while (!err && jfr_chunk_next(in->chunk, &position, &e))
		if (e.type)
			err = add_timed(in, (struct timed){jfr_merge_copy_end_of(&m->copy, &from, &e), e.at});
	sort(in);
	return err ? err : in->file->fault.what ? -EINVAL : 0;
}

/* Load the next chunk that has events. in->chunk is NULL if there is none. */
static int load(struct merge *m, struct input *in)
{
	int err = 0;

	while (!err && in->next == in->count) {
		jfr_chunk_put(in->chunk);
		err = next_chunk(in, &in->chunk);
		if (!err && !in->chunk)
			return 0;
		err = err ?: map_types(m, in, in->chunk) ?: order_events(m, in);
	}
	return err;
}

static struct input *earliest(struct merge *m)
{
	struct input *found = NULL;

	for (size_t i = 0; i < m->count; i++) {
		struct input *in = &m->inputs[i];

		if (in->chunk && (!found || in->order[in->next].end < found->order[found->next].end))
			found = in;
	}
	return found;
}

static int merge_finish_chunk(struct merge *m, bool last)
{
	int err = jfr_merge_copy_finish(&m->copy, m->last, last);

	if (err)
		return err;
	m->merged->chunks++;
	m->merged->events += m->copy.events;
	m->merged->bytes += m->copy.chunk.size;
	return m->sink->put(m->sink->context, m->copy.chunk.data, m->copy.chunk.size);
}

/* Readers identify chunks by their start. */
static int next_output(struct merge *m)
{
	int64_t start = m->copy.start < m->last ? m->last : (int64_t)((uint64_t)m->copy.start + 1);
	int err;

	if (jfr_merge_copy_size(&m->copy) < CHUNK_SIZE && m->copy.events < CHUNK_EVENTS)
		return 0;
	err = merge_finish_chunk(m, false);
	if (!err)
		jfr_merge_copy_begin(&m->copy, start);
	return err;
}

static bool is_left_out(const struct merge *m, const struct input *in, const struct meta_type *t)
{
	if (t->role == META_JVM_INFORMATION)
		return in->ours && m->jvm_described;
	return t->role == META_EXECUTION_SAMPLE && !in->ours && m->sampled;
}

static int copy_next(struct merge *m, struct input *in)
{
	struct jfr_original from = original_of(in);
	struct jfr_event e;
	int err = next_output(m);

	if (err)
		return err;
	if (!jfr_chunk_event(in->chunk, in->order[in->next].at, &e))
		return -EINVAL;
	jfr_merge_context_enter(&m->context, &m->copy, &from, &e, in - m->inputs);
	if (!is_left_out(m, in, e.type))
		err = jfr_merge_copy_event(&m->copy, &from, &e);
	if (in->order[in->next].end > m->last)
		m->last = in->order[in->next].end;
	in->next++;
	return err ? err : load(m, in);
}

/* A garbled file may have any clock, so the sums wrap. */
static int64_t nanos_of(const struct merge *m, int64_t ticks)
{
	return (uint64_t)ticks - (uint64_t)m->clock.start_ticks + (uint64_t)m->clock.start_nanos;
}

static int64_t merge_ticks_of(const struct merge *m, int64_t nanos)
{
	return (uint64_t)nanos - (uint64_t)m->clock.start_nanos + (uint64_t)m->clock.start_ticks;
}

/* The merged file begins where the earliest recording does. */
static void merge_begin(struct merge *m)
{
	m->last = m->clock.start_ticks;
	for (size_t i = 0; i < m->count; i++) {
		const struct jfr_chunk *c = m->inputs[i].chunk;
		int64_t ticks = c ? merge_ticks_of(m, c->header.start_nanos) : m->last;

		if (ticks < m->last)
			m->last = ticks;
	}
	m->merged->begin = nanos_of(m, m->last);
	jfr_merge_copy_begin(&m->copy, m->last);
}

static int copy_all(struct merge *m)
{
	struct input *in;
	int err = jfr_merge_copy_init(&m->copy, &m->types, &m->metadata, m->metadata_id, &m->clock)
			  ?: prepare_contexts(m);

	for (size_t i = 0; i < m->count && !err; i++)
		err = load(m, &m->inputs[i]);
	if (err)
		return err;
	merge_begin(m);
	while (!err && (in = earliest(m)))
		err = copy_next(m, in);
	m->merged->end = nanos_of(m, m->last);
	return err ? err : merge_finish_chunk(m, true);
}

static void merge_release(struct merge *m)
{
	for (size_t i = 0; m->inputs && i < m->count; i++) {
		struct input *in = &m->inputs[i];

		jfr_chunk_put(in->chunk);
		union_map_release(&in->types);
		metadata_set(&in->mapped, NULL);
		jfr_merge_id_map_release(&in->keys);
		free(in->order);
	}
	jfr_merge_copy_release(&m->copy);
	jfr_merge_context_release(&m->context);
	jfr_merge_ids_release(&m->keys);
	metadata_set(&m->region, NULL);
	jfr_merge_types_release(&m->types);
	bytes_release(&m->metadata);
	free(m->inputs);
}

int jfr_merge(struct jfr_file *const *files, size_t count, const struct jfr_merge_sink *sink, struct jfr_merged *merged)
{
	struct merge m = {.count = count, .sink = sink, .merged = merged};
	int err;

	*merged = (struct jfr_merged){0};
	jfr_merge_types_init(&m.types);
	m.types.jdk_fields = sink->jdk_fields;
	m.context.wants = sink->with_context;
	m.context.context = sink->context;
	bytes_init(&m.context.values);
	bytes_init(&m.metadata);
	m.inputs = calloc(count + 1, sizeof(*m.inputs));
	if (!m.inputs)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		m.inputs[i].file = files[i];
	err = prepare_types(&m) ?: prepare_keys(&m) ?: copy_all(&m);
	merge_release(&m);
	return err;
}
