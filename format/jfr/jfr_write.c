// SPDX-License-Identifier: BSD-2-Clause
/*
 * The layout of a chunk:
 *
 *     header       68 bytes, big-endian, filled in last
 *     events       in the order of the calls
 *     checkpoints  the constants that they use, chained by deltas
 *     metadata     the types of all these
 *
 * Readers convert the ticks of all chunks by the first chunk's header, JMC by each chunk's own. So there is one
 * time base, and a chunk's startNanos is the recording's plus the elapsed ticks. JMC drops a chunk whose
 * startNanos it has seen before, so it must increase with each chunk.
 *
 * The header of the last chunk of a recording:
 *
 *     46 4c 52 00  00 02 00 01              magic, version 2.1
 *     00 00 00 00 00 00 0b 9c               size of the chunk
 *     00 00 00 00 00 00 01 45               offset of the last checkpoint
 *     00 00 00 00 00 00 02 31               offset of the metadata
 *     18 2f ...                             start, nanoseconds since 1970
 *     00 00 00 00 3b 9a ca 00               duration in nanoseconds
 *     00 01 ...                             start, ticks
 *     00 00 00 00 3b 9a ca 00               ticks per second: 1e9
 *     00 00                                 state: finished; padding
 *     00 03                                 flags: compressed integers, last chunk
 */
#include "format/jfr/jfr_chunk.h"
#include "format/jfr/jfr_write_internal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define TICKS_PER_SECOND 1000000000

#define EVENTS_LIMIT (1u << 30)
#define CHUNK_LIMIT  INT32_MAX /* JMC stores sizes in an int */

static const char *const orphan_text[ORPHANS] = {
	[ORPHAN_THREAD] = "events whose thread had been forgotten were written without it",
	[ORPHAN_STACK] = "events whose stack had been forgotten were written without it",
	[ORPHAN_METHOD] = "events whose method is unknown were written without it",
	[ORPHAN_OUTSIDE] = "events outside of a chunk were dropped",
	[ORPHAN_FULL] = "events beyond 1 GB in this chunk were dropped",
};

static int make_schema(struct jfr_schema *s, const struct jfr_origin *origin)
{
	struct jfr_region region = {origin->locale, origin->gmt_offset_ms, origin->dst_ms};

	s->user = origin->user;
	s->users = origin->users;
	s->allocated = origin->allocated;
	s->until = origin->until;
	s->samples = origin->samples;
	return jfr_schema_init(s, &region, origin->kernel, origin->jdk_fields,
			       origin->start_nanos ^ origin->start_ticks);
}

int jfr_writer_new(struct jfr_writer **out, const struct jfr_origin *origin, struct diag *d)
{
	struct jfr_writer *w = calloc(1, sizeof(*w));

	if (w && make_schema(&w->schema, origin)) {
		free(w);
		w = NULL;
	}
	*out = w;
	if (!w)
		return diag_errno(d, ENOMEM, "cannot prepare a recording");
	w->origin = *origin;
	w->start_ticks = origin->start_ticks;
	w->start_nanos = origin->start_nanos;
	bytes_init(&w->chunk);
	bytes_init(&w->scratch);
	jfr_pools_init(&w->pools);
	return 0;
}

static int writer_renew_schema(struct jfr_writer *w, bool trace_ids)
{
	struct jfr_schema schema = {.trace_ids = trace_ids};
	int err = make_schema(&schema, &w->origin);

	if (err)
		return err;
	jfr_schema_release(&w->schema);
	w->schema = schema;
	return 0;
}

int jfr_writer_add_trace_ids(struct jfr_writer *w, struct diag *d)
{
	if (w->open)
		return diag_set(d, EBUSY, "cannot add fields: a chunk is open");
	return writer_renew_schema(w, true) ? diag_errno(d, ENOMEM, "cannot add fields") : 0;
}

void jfr_writer_renew_types(struct jfr_writer *w)
{
	if (writer_renew_schema(w, w->schema.trace_ids))
		w->chunk.failed = true;
}

void jfr_writer_free(struct jfr_writer *w)
{
	if (!w)
		return;
	jfr_pools_release(&w->pools);
	jfr_schema_release(&w->schema);
	bytes_release(&w->scratch);
	bytes_release(&w->chunk);
	free(w);
}

int jfr_chunk_begin(struct jfr_writer *w, int64_t start_ticks, struct diag *d)
{
	if (w->open)
		return diag_set(d, EBUSY, "cannot begin a chunk: the previous one is open");
	if (w->chunks && start_ticks <= w->chunk_ticks)
		start_ticks = w->chunk_ticks + 1;
	bytes_clear(&w->chunk);
	if (!bytes_reserve(&w->chunk, JFR_HEADER_SIZE))
		return diag_errno(d, ENOMEM, "cannot begin a chunk");
	w->chunk.size = JFR_HEADER_SIZE;
	w->chunk_ticks = start_ticks;
	w->chunks++;
	w->events = 0;
	w->events_limit = EVENTS_LIMIT;
	w->open = true;
	return 0;
}

size_t jfr_chunk_size(const struct jfr_writer *w)
{
	return w->open ? w->chunk.size + w->pools.used_bytes + w->schema.body.size : 0;
}

uint64_t jfr_chunk_events(const struct jfr_writer *w)
{
	return w->open ? w->events : 0;
}

static void header_write(struct jfr_writer *w, uint64_t constants, uint64_t metadata, int64_t end_ticks, bool final)
{
	const struct jfr_header h = {
		.major = 2,
		.minor = 1,
		.size = w->chunk.size,
		.constants = constants,
		.metadata = metadata,
		.start_nanos = w->start_nanos + (w->chunk_ticks - w->start_ticks),
		.duration_nanos = end_ticks > w->chunk_ticks ? end_ticks - w->chunk_ticks : 0,
		.start_ticks = w->chunk_ticks,
		.ticks_per_second = TICKS_PER_SECOND,
		.flags = JFR_FLAG_COMPRESSED | (final ? JFR_FLAG_LAST : 0),
	};

	jfr_header_write(w->chunk.data, &h);
}

static void orphans_report(struct jfr_writer *w)
{
	char text[128];
	unsigned int i;

	w->events_limit = CHUNK_LIMIT; /* the limit for events does not apply to these messages */
	for (i = 0; i < ORPHANS; i++) {
		if (!w->orphans[i])
			continue;
		snprintf(text, sizeof(text), "%" PRIu64 " %s", w->orphans[i], orphan_text[i]);
		w->orphans[i] = 0;
		jfr_message(w, w->chunk_ticks, "writer", text);
	}
}

int jfr_chunk_finish(struct jfr_writer *w, int64_t end_ticks, bool final, const void **bytes, size_t *size,
		     struct diag *d)
{
	uint64_t constants, metadata;
	bool failed;

	if (!w->open)
		return diag_set(d, EINVAL, "cannot finish a chunk: none is open");
	orphans_report(w);
	constants = jfr_pools_write(&w->pools, &w->schema, &w->chunk, 0, w->chunk_ticks);
	metadata = w->chunk.size;
	jfr_schema_write(&w->schema, &w->chunk, w->chunk_ticks);
	failed = w->chunk.failed || w->pools.failed;
	jfr_pools_next(&w->pools);
	w->open = false;
	if (failed)
		return diag_errno(d, ENOMEM, "cannot build a chunk of %zu bytes", w->chunk.size);
	if (w->chunk.size > CHUNK_LIMIT)
		return diag_errno(d, EFBIG, "cannot build a chunk of %zu bytes", w->chunk.size);
	header_write(w, constants, metadata, end_ticks, final);
	*bytes = w->chunk.data;
	*size = w->chunk.size;
	return 0;
}

struct bytes *jfr_chunk_memory(struct jfr_writer *w)
{
	return &w->chunk;
}

/* False: `n` events are dropped. */
static bool events_fit(struct jfr_writer *w, size_t n)
{
	if (__builtin_expect(w->open && w->chunk.size < w->events_limit, 1))
		return true;
	w->orphans[w->open ? ORPHAN_FULL : ORPHAN_OUTSIDE] += n;
	return false;
}

#define TRACE_IDS 3			     /* fields */
#define TRACE_MAX (17 * LEB_MAX + TRACE_IDS) /* size of a jdk.MethodTrace event */

static unsigned char *put_times_off(unsigned char *p, const struct jfr_method_trace *e)
{
	p = leb_write(p, e->run_queue);
	p = leb_write(p, e->blocked);
	return leb_write(p, e->pause);
}

static unsigned char *put_counts(unsigned char *p, const struct jfr_method_trace *e)
{
	p = leb_write(p, e->major_faults);
	p = leb_write(p, e->minor_faults);
	p = leb_write(p, e->system_calls);
	return leb_write(p, e->system_call_time);
}

/* The number of fields behind the CPU time. */
static size_t rest_fields(const struct jfr_writer *w)
{
	return (w->schema.kernel >= JFR_KERNEL_WAITS ? 3 : 0) + (w->schema.kernel >= JFR_KERNEL_FULL ? 4 : 0) +
	       (w->schema.trace_ids ? TRACE_IDS : 0);
}

static unsigned char *put_rest(const struct jfr_writer *w, unsigned char *p, const struct jfr_method_trace *e)
{
	if (w->schema.kernel >= JFR_KERNEL_WAITS)
		p = put_times_off(p, e);
	if (w->schema.kernel >= JFR_KERNEL_FULL)
		p = put_counts(p, e);
	for (int i = 0; i < TRACE_IDS && w->schema.trace_ids; i++)
		*p++ = 0; /* a call that is in a trace takes the other way */
	return p;
}

static unsigned char *put_extra(struct jfr_writer *w, unsigned char *p, const struct jfr_method_trace *e)
{
	*p++ = e->thrown;
	p = leb_write(p, jfr_key_use(w, JFR_CLASS, e->thrown_class, ORPHAN_METHOD));
	if (w->schema.kernel >= JFR_KERNEL_WAITS)
		p = leb_write(p, e->cpu);
	return put_rest(w, p, e);
}

void jfr_method_trace(struct jfr_writer *w, const struct jfr_method_trace *e)
{
	unsigned char *size, *p;

	if (w->schema.allocated || w->schema.until ||
	    (w->schema.trace_ids && e->span)) { /* it may be longer than its size has room for below */
		jfr_event_write(w, JFR_METHOD_TRACE, e);
		return;
	}
	if (!events_fit(w, 1))
		return;
	size = bytes_reserve(&w->chunk, TRACE_MAX);
	if (!size)
		return;
	p = leb_write(size + 1, JFR_TYPE_ID_BASE + JFR_METHOD_TRACE);
	p = leb_write(p, e->start);
	p = leb_write(p, e->duration);
	p = leb_write(p, jfr_key_use(w, JFR_THREAD, e->thread, ORPHAN_THREAD));
	p = leb_write(p, jfr_key_use(w, JFR_STACK_TRACE, e->stack, ORPHAN_STACK));
	p = leb_write(p, jfr_key_use(w, JFR_METHOD, e->method, ORPHAN_METHOD));
	if (!w->schema.jdk_fields)
		p = put_extra(w, p, e);
	*size = p - size; /* below 128: one byte */
	w->chunk.size += p - size;
	w->events++;
}

bool jfr_trace_keys(struct jfr_writer *w, uint64_t stack, uint64_t method, struct jfr_trace_keys *out)
{
	unsigned char both[2 * LEB_MAX];

	if (w->schema.allocated || w->schema.until || (stack && !jfr_pools_use(&w->pools, JFR_STACK_TRACE, stack)) ||
	    (method && !jfr_pools_use(&w->pools, JFR_METHOD, method)))
		return false;
	out->size = leb_size(stack) + leb_size(method);
	if (out->size > sizeof(out->bytes))
		return false;
	leb_write(leb_write(both, stack), method);
	memcpy(out->bytes, both, sizeof(out->bytes));
	return true;
}

bool jfr_trace_keys_use(struct jfr_writer *w, const struct jfr_trace_keys *keys)
{
	uint64_t stack, method;
	struct cursor c;

	cursor_init(&c, keys->bytes, keys->size);
	stack = cursor_leb(&c);
	method = cursor_leb(&c);
	return (!stack || jfr_pools_use(&w->pools, JFR_STACK_TRACE, stack)) &&
	       jfr_pools_use(&w->pools, JFR_METHOD, method);
}

/* A copy of a fixed size takes two instructions. Its excess is overwritten. */
static unsigned char *put_keys(unsigned char *p, const struct jfr_trace_keys *keys)
{
	memcpy(p, keys, sizeof(*keys));
	return p + keys->size;
}

/* The upper bits of a start, encoded: calls that follow each other mostly have the same. */
struct near {
	uint64_t upper, encoded;
	unsigned int size; /* of the whole */
};

#define NEAR_BITS 28u /* the lower ones take four bytes */

static inline unsigned char *put_start(unsigned char *p, uint64_t start, struct near *near)
{
	uint64_t bytes;

	if (__builtin_expect(start >> NEAR_BITS != near->upper, 0)) {
		struct leb upper = leb_of_short(start >> NEAR_BITS);

		if (start < 1u << NEAR_BITS || start >= LEB_SHORT)
			return leb_write(p, start);
		*near = (struct near){start >> NEAR_BITS, le64toh(upper.first) << 32 | 0x80808080, 4 + upper.size};
	}
	bytes = htole64(near->encoded | leb_spread(start % (1u << NEAR_BITS)));
	memcpy(p, &bytes, sizeof(bytes));
	return p + near->size;
}

void jfr_method_traces(struct jfr_writer *w, uint64_t thread, const struct jfr_trace_call *calls, size_t n)
{
	static const unsigned char zeros[16];
	bool extra = !w->schema.jdk_fields, cpu = extra && w->schema.kernel >= JFR_KERNEL_WAITS;
	size_t rest = extra ? rest_fields(w) : 0;
	struct leb type = leb_of_short(JFR_TYPE_ID_BASE + JFR_METHOD_TRACE), key, duration;
	struct near near = {.upper = UINT64_MAX};
	unsigned char *begin, *size, *p;

	if (!n || !events_fit(w, n))
		return;
	key = leb_of_short(jfr_key_use(w, JFR_THREAD, thread, ORPHAN_THREAD));
	begin = p = bytes_reserve(&w->chunk, n * TRACE_MAX);
	for (size_t i = 0; p && i < n; i++) {
		size = p;
		duration = leb_of_short(calls[i].duration);
		p = leb_put_short(size + 1, type);
		p = put_start(p, calls[i].start, &near);
		p = leb_put_short(p, duration);
		p = leb_put_short(p, key);
		p = put_keys(p, &calls[i].keys);
		if (extra) {
			*p++ = calls[i].thrown;
			*p++ = 0; /* a call whose exception is known has values, and takes the other way */
		}
		if (cpu)
			p = leb_put_short(p, duration);
		memcpy(p, zeros, sizeof(zeros));
		p += rest;
		*size = p - size;
	}
	w->chunk.size += p - begin;
	w->events += p ? n : 0;
}

struct bytes *jfr_event_begin(struct jfr_writer *w, enum jfr_type type, int64_t start, size_t *at)
{
	return jfr_event_begin_id(w, jfr_schema_type_id(&w->schema, type), start, at);
}

struct bytes *jfr_event_begin_id(struct jfr_writer *w, uint64_t id, int64_t start, size_t *at)
{
	if (!events_fit(w, 1))
		return NULL;
	*at = w->chunk.size;
	bytes_put_be32(&w->chunk, 0); /* size */
	bytes_put_leb(&w->chunk, id);
	bytes_put_leb(&w->chunk, start);
	return &w->chunk;
}

void jfr_event_end(struct jfr_writer *w, size_t at)
{
	bytes_patch_leb(&w->chunk, at, w->chunk.size - at);
	w->events += !w->chunk.failed;
}
