// SPDX-License-Identifier: BSD-2-Clause
/*
 * A chunk, as this writer lays it out:
 *
 *     header       68 bytes, big-endian, filled in last
 *     events       in the order of the calls
 *     checkpoints  the constants they use, chained by deltas
 *     metadata     the types of all that
 *
 * Readers convert the ticks of all chunks of a file by the first chunk's header,
 * JMC by each chunk's own: so there is one base, and a chunk's startNanos is the
 * recording's plus the ticks that passed. JMC drops a chunk whose startNanos
 * it has seen: so it grows with each chunk.
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
 *     00 00 00 00 3b 9a ca 00               ticks a second: 1e9
 *     00 00                                 state: finished; padding
 *     00 03                                 flags: compressed integers, last chunk
 */
#include "format/jfr_write.h"

#include "format/jfr_pool.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define HEADER_SIZE	 68
#define FLAG_COMPRESSED	 1
#define FLAG_LAST	 2
#define TICKS_PER_SECOND 1000000000

#define SYMBOL_LIMIT 65535u /* of a name in a class file */
#define THREAD_LIMIT 1000u
#define TEXT_LIMIT   (1u << 20)
#define EVENTS_LIMIT (1u << 30)
#define CHUNK_LIMIT  INT32_MAX /* JMC keeps sizes in an int */

/* What could not be written as asked. Told in the chunk by a frtrace.Message. */
enum stray { STRAY_THREAD, STRAY_METHOD, STRAY_OUTSIDE, STRAY_FULL, STRAYS };

static const char *const stray_text[STRAYS] = {
	[STRAY_THREAD] = "events whose thread had been forgotten stand without it",
	[STRAY_METHOD] = "events whose method is unknown stand without it",
	[STRAY_OUTSIDE] = "events outside of a chunk were dropped",
	[STRAY_FULL] = "events beyond 1 GB in this chunk were dropped",
};

struct jfr_writer {
	struct bytes chunk;
	struct jfr_pools pools;
	struct jfr_schema schema;
	int64_t start_ticks, start_nanos; /* of the recording */
	int64_t chunk_ticks;		  /* start of the open chunk, or of the last */
	uint64_t chunks, events;
	uint64_t strays[STRAYS];
	size_t events_limit;  /* where the events of the open chunk end */
	struct bytes scratch; /* payload of the constant being interned */
	bool open;
};

struct jfr_writer *jfr_writer_new(const struct jfr_origin *origin, struct diag *d)
{
	struct jfr_region region = {origin->locale, origin->gmt_offset_ms, origin->dst_ms};
	struct jfr_writer *w = calloc(1, sizeof(*w));

	if (w && jfr_schema_init(&w->schema, &region, origin->start_nanos ^ origin->start_ticks)) {
		free(w);
		w = NULL;
	}
	if (!w) {
		diag_errno(d, ENOMEM, "cannot prepare a recording");
		return NULL;
	}
	w->start_ticks = origin->start_ticks;
	w->start_nanos = origin->start_nanos;
	bytes_init(&w->chunk);
	bytes_init(&w->scratch);
	jfr_pools_init(&w->pools);
	return w;
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

/* Constants */

static struct bytes *payload_begin(struct jfr_writer *w)
{
	bytes_clear(&w->scratch);
	return &w->scratch;
}

static uint64_t symbol(struct jfr_writer *w, const char *text)
{
	struct jfr_constant c = {.payload = payload_begin(w)};

	bytes_put_text(&w->scratch, text, SYMBOL_LIMIT);
	return jfr_pools_intern(&w->pools, JFR_SYMBOL, &c);
}

static bool has_key(const struct jfr_writer *w, enum jfr_type type, uint64_t key)
{
	return jfr_pool_find(&w->pools.pool[type - JFR_FIRST_POOL], key) != JFR_UNKNOWN;
}

/* Of `a/b/C`: the part before the last slash, which is `length` bytes long. Module and export are not known to us. */
static uint64_t package(struct jfr_writer *w, const char *class_name, size_t length)
{
	struct jfr_constant c = {0};
	char *name = strndup(class_name, length);
	uint64_t key = name ? symbol(w, name) : 0;
	struct bytes *p = payload_begin(w);

	free(name);
	w->pools.failed |= !key;
	if (!key)
		return 0;
	bytes_put_leb(p, key);
	bytes_put_leb(p, 0); /* module */
	bytes_put_u8(p, 0);  /* exported */
	c = (struct jfr_constant){.id = {key}, .ref = {key}, .payload = p};
	return jfr_pools_intern(&w->pools, JFR_PACKAGE, &c);
}

/*
 * Length of the package in a class name, 0: none. JMC cuts the name of the
 * package and one byte off the name of the class, so it must stand there.
 * A hidden class has one more slash or plus: a/b/C$$Lambda/0x00007f..., a/b/C+0x...
 */
static size_t package_length(const char *name, bool hidden)
{
	const char *suffix = hidden ? strstr(name, "/0x") : NULL, *slash;
	size_t length = suffix ? (size_t)(suffix - name) : strnlen(name, SYMBOL_LIMIT + 1);

	if (*name == '[' || length > SYMBOL_LIMIT)
		return 0;
	slash = memrchr(name, '/', length);
	return slash ? slash - name : 0;
}

uint64_t jfr_class(struct jfr_writer *w, const struct jfr_class_constant *c)
{
	uint64_t name, pack = 0, loader = has_key(w, JFR_CLASS_LOADER, c->loader) ? c->loader : 0;
	struct jfr_constant add;
	struct bytes *p;
	size_t length;

	if (!c->name || !*c->name)
		return 0;
	length = package_length(c->name, c->hidden);
	if (length)
		pack = package(w, c->name, length);
	name = symbol(w, c->name);
	if (!name)
		return 0;
	p = payload_begin(w);
	bytes_put_leb(p, loader);
	bytes_put_leb(p, name);
	bytes_put_leb(p, pack);
	bytes_put_leb(p, c->modifiers);
	bytes_put_u8(p, c->hidden);
	add = (struct jfr_constant){.id = {name, loader}, .ref = {name, loader, pack}, .payload = p};
	return jfr_pools_intern(&w->pools, JFR_CLASS, &add);
}

uint64_t jfr_loader(struct jfr_writer *w, const struct jfr_loader_constant *c)
{
	struct jfr_class_constant type = {.name = c->type};
	uint64_t class = jfr_class(w, &type), name = c->name ? symbol(w, c->name) : 0;
	struct bytes *p = payload_begin(w);
	struct jfr_constant add = {.ref = {class, name}, .payload = p};

	bytes_put_leb(p, class);
	bytes_put_leb(p, name);
	add.id[0] = 1 + (class << 32 | name);
	add.id[1] = c->identity;
	return jfr_pools_intern(&w->pools, JFR_CLASS_LOADER, &add);
}

/* Steps over one field descriptor (JVMS 4.3.2); NULL: not one. */
static const char *descriptor_step(const char *d)
{
	while (*d == '[')
		d++;
	if (*d == 'L') {
		const char *end = d + 1 + strcspn(d + 1, ";()[");

		return *end == ';' && end > d + 1 ? end + 1 : NULL;
	}
	return *d && strchr("BCDFIJSZ", *d) ? d + 1 : NULL;
}

/* The JDK's tools fail on a method whose descriptor they cannot take apart. */
static bool descriptor_is_valid(const char *d)
{
	if (!d || strnlen(d, SYMBOL_LIMIT + 1) > SYMBOL_LIMIT || *d++ != '(')
		return false;
	while (d && *d != ')')
		d = descriptor_step(d);
	if (!d)
		return false;
	if (!strcmp(d, ")V"))
		return true;
	d = descriptor_step(d + 1);
	return d && !*d;
}

uint64_t jfr_method(struct jfr_writer *w, const struct jfr_method_constant *c)
{
	uint64_t name, descriptor;
	struct jfr_constant add;
	struct bytes *p;

	if (!has_key(w, JFR_CLASS, c->class_key))
		return 0;
	name = symbol(w, c->name ? c->name : "?");
	descriptor = symbol(w, descriptor_is_valid(c->descriptor) ? c->descriptor : "()V");
	if (!name || !descriptor)
		return 0;
	p = payload_begin(w);
	bytes_put_leb(p, c->class_key);
	bytes_put_leb(p, name);
	bytes_put_leb(p, descriptor);
	bytes_put_leb(p, c->modifiers);
	bytes_put_u8(p, c->hidden);
	add = (struct jfr_constant){
		.id = {c->class_key << 32 | name, descriptor}, .ref = {c->class_key, name, descriptor}, .payload = p};
	return jfr_pools_intern(&w->pools, JFR_METHOD, &add);
}

static uint64_t thread_group(struct jfr_writer *w, const char *name)
{
	struct bytes *p = payload_begin(w);
	struct jfr_constant add = {.payload = p};

	bytes_put_leb(p, 0); /* parent */
	bytes_put_text(p, name, THREAD_LIMIT);
	return jfr_pools_intern(&w->pools, JFR_THREAD_GROUP, &add);
}

uint64_t jfr_thread(struct jfr_writer *w, const struct jfr_thread_constant *c)
{
	const char *group_name = c->group || !c->is_virtual ? c->group : "VirtualThreads";
	const char *os_name = c->os_name || c->is_virtual ? c->os_name : c->name;
	uint64_t key, group = group_name ? thread_group(w, group_name) : 0;
	struct bytes *p = payload_begin(w);
	struct jfr_constant add = {.ref = {group}, .payload = p};

	bytes_put_text(p, os_name, THREAD_LIMIT);
	bytes_put_leb(p, c->os_id);
	bytes_put_text(p, c->java_id ? c->name : NULL, THREAD_LIMIT);
	bytes_put_leb(p, c->java_id);
	bytes_put_leb(p, group);
	bytes_put_u8(p, c->is_virtual);
	key = jfr_pools_intern(&w->pools, JFR_THREAD, &add);
	if (key)
		jfr_pools_use(&w->pools, JFR_THREAD, key); /* or it would be forgotten before its first event */
	return key;
}

bool jfr_thread_known(const struct jfr_writer *w, uint64_t key)
{
	return has_key(w, JFR_THREAD, key);
}

/* Chunks */

int jfr_chunk_begin(struct jfr_writer *w, int64_t start_ticks, struct diag *d)
{
	if (w->open)
		return diag_set(d, EBUSY, "cannot begin a chunk: the one before is open");
	if (w->chunks && start_ticks <= w->chunk_ticks)
		start_ticks = w->chunk_ticks + 1;
	bytes_clear(&w->chunk);
	if (!bytes_reserve(&w->chunk, HEADER_SIZE))
		return diag_errno(d, ENOMEM, "cannot begin a chunk");
	w->chunk.size = HEADER_SIZE;
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
	int64_t duration = end_ticks > w->chunk_ticks ? end_ticks - w->chunk_ticks : 0;
	struct bytes h = {.data = w->chunk.data, .capacity = HEADER_SIZE};

	bytes_put(&h, "FLR", 4);
	bytes_put_be16(&h, 2);
	bytes_put_be16(&h, 1);
	bytes_put_be64(&h, w->chunk.size);
	bytes_put_be64(&h, constants);
	bytes_put_be64(&h, metadata);
	bytes_put_be64(&h, w->start_nanos + (w->chunk_ticks - w->start_ticks));
	bytes_put_be64(&h, duration);
	bytes_put_be64(&h, w->chunk_ticks);
	bytes_put_be64(&h, TICKS_PER_SECOND);
	bytes_put_be16(&h, 0); /* state, padding */
	bytes_put_be16(&h, FLAG_COMPRESSED | (final ? FLAG_LAST : 0));
}

static void strays_tell(struct jfr_writer *w)
{
	char text[128];
	unsigned int i;

	w->events_limit = CHUNK_LIMIT; /* the messages are not themselves beyond the limit */
	for (i = 0; i < STRAYS; i++) {
		if (!w->strays[i])
			continue;
		snprintf(text, sizeof(text), "%" PRIu64 " %s", w->strays[i], stray_text[i]);
		w->strays[i] = 0;
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
	strays_tell(w);
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

/* Events */

static bool event_fits(struct jfr_writer *w)
{
	if (__builtin_expect(w->open && w->chunk.size < w->events_limit, 1))
		return true;
	w->strays[w->open ? STRAY_FULL : STRAY_OUTSIDE]++;
	return false;
}

/* The key, marked as used; 0, and counted, when nobody has it. */
static inline uint64_t key_use(struct jfr_writer *w, enum jfr_type type, uint64_t key, enum stray stray)
{
	if (__builtin_expect(key && jfr_pools_use(&w->pools, type, key), 1))
		return key;
	w->strays[stray] += key != 0;
	return 0;
}

void jfr_method_trace(struct jfr_writer *w, const struct jfr_method_trace *e)
{
	unsigned char *size, *p;

	if (!event_fits(w))
		return;
	size = bytes_reserve(&w->chunk, 8 * LEB_MAX);
	if (!size)
		return;
	p = leb_write(size + 1, JFR_TYPE_ID_BASE + JFR_METHOD_TRACE);
	p = leb_write(p, e->start);
	p = leb_write(p, e->duration);
	p = leb_write(p, key_use(w, JFR_THREAD, e->thread, STRAY_THREAD));
	*p++ = 0; /* stackTrace */
	p = leb_write(p, key_use(w, JFR_METHOD, e->method, STRAY_METHOD));
	*p++ = e->thrown;
	*size = p - size; /* below 128: one byte */
	w->chunk.size += p - size;
	w->events++;
}

/* Begin an event of any size; the fields behind startTime follow. NULL: not to be written. */
static struct bytes *event_begin(struct jfr_writer *w, enum jfr_type type, int64_t start, size_t *at)
{
	if (!event_fits(w))
		return NULL;
	*at = w->chunk.size;
	bytes_put_be32(&w->chunk, 0); /* size */
	bytes_put_leb(&w->chunk, jfr_schema_type_id(&w->schema, type));
	bytes_put_leb(&w->chunk, start);
	return &w->chunk;
}

static void event_end(struct jfr_writer *w, size_t at)
{
	bytes_patch_leb(&w->chunk, at, w->chunk.size - at);
	w->events += !w->chunk.failed;
}

void jfr_active_recording(struct jfr_writer *w, const struct jfr_active_recording *e)
{
	size_t at;
	struct bytes *b = event_begin(w, JFR_ACTIVE_RECORDING, e->start, &at);

	if (!b)
		return;
	bytes_put_leb(b, e->id);
	bytes_put_text(b, e->name, TEXT_LIMIT);
	bytes_put_text(b, e->destination, TEXT_LIMIT);
	bytes_put_u8(b, true); /* disk */
	bytes_put_leb(b, e->max_age_ms);
	bytes_put_leb(b, e->flush_interval_ms);
	bytes_put_leb(b, e->max_size);
	bytes_put_leb(b, e->recording_start_ms);
	bytes_put_leb(b, e->recording_duration_ms);
	event_end(w, at);
}

void jfr_active_setting(struct jfr_writer *w, int64_t start, const char *event, const char *name, const char *value)
{
	enum jfr_type type = jfr_schema_event(event);
	struct bytes *b;
	size_t at;

	if (type == JFR_TYPES) /* JMC fails on an id that the metadata do not have */
		return;
	b = event_begin(w, JFR_ACTIVE_SETTING, start, &at);
	if (!b)
		return;
	bytes_put_leb(b, jfr_schema_type_id(&w->schema, type));
	bytes_put_text(b, name, TEXT_LIMIT);
	bytes_put_text(b, value, TEXT_LIMIT);
	event_end(w, at);
}

void jfr_jvm_information(struct jfr_writer *w, const struct jfr_jvm_information *e)
{
	size_t at;
	struct bytes *b = event_begin(w, JFR_JVM_INFORMATION, e->start, &at);

	if (!b)
		return;
	bytes_put_text(b, e->jvm_name, TEXT_LIMIT);
	bytes_put_text(b, e->jvm_version, TEXT_LIMIT);
	bytes_put_text(b, e->jvm_arguments, TEXT_LIMIT);
	bytes_put_text(b, e->jvm_flags, TEXT_LIMIT);
	bytes_put_text(b, e->java_arguments, TEXT_LIMIT);
	bytes_put_leb(b, e->jvm_start_ms);
	bytes_put_leb(b, e->pid);
	event_end(w, at);
}

void jfr_os_information(struct jfr_writer *w, int64_t start, const char *version)
{
	size_t at;
	struct bytes *b = event_begin(w, JFR_OS_INFORMATION, start, &at);

	if (!b)
		return;
	bytes_put_text(b, version, TEXT_LIMIT);
	event_end(w, at);
}

void jfr_cpu_information(struct jfr_writer *w, const struct jfr_cpu_information *e)
{
	size_t at;
	struct bytes *b = event_begin(w, JFR_CPU_INFORMATION, e->start, &at);

	if (!b)
		return;
	bytes_put_text(b, e->cpu, TEXT_LIMIT);
	bytes_put_text(b, e->description, TEXT_LIMIT);
	bytes_put_leb(b, e->sockets);
	bytes_put_leb(b, e->cores);
	bytes_put_leb(b, e->hw_threads);
	event_end(w, at);
}

void jfr_clock(struct jfr_writer *w, const struct jfr_clock *e)
{
	size_t at;
	struct bytes *b = event_begin(w, JFR_CLOCK, e->start, &at);

	if (!b)
		return;
	bytes_put_leb(b, e->tsc);
	bytes_put_leb(b, e->monotonic);
	bytes_put_leb(b, e->realtime);
	bytes_put_leb(b, e->error);
	event_end(w, at);
}

void jfr_data_loss(struct jfr_writer *w, int64_t start, uint64_t amount, uint64_t total)
{
	size_t at;
	struct bytes *b = event_begin(w, JFR_DATA_LOSS, start, &at);

	if (!b)
		return;
	bytes_put_leb(b, amount);
	bytes_put_leb(b, total);
	event_end(w, at);
}

void jfr_shutdown(struct jfr_writer *w, int64_t start, const char *reason)
{
	size_t at;
	struct bytes *b = event_begin(w, JFR_SHUTDOWN, start, &at);

	if (!b)
		return;
	bytes_put_leb(b, 0); /* eventThread */
	bytes_put_leb(b, 0); /* stackTrace */
	bytes_put_text(b, reason, TEXT_LIMIT);
	event_end(w, at);
}

void jfr_message(struct jfr_writer *w, int64_t start, const char *kind, const char *text)
{
	size_t at;
	struct bytes *b = event_begin(w, JFR_MESSAGE, start, &at);

	if (!b)
		return;
	bytes_put_text(b, kind, TEXT_LIMIT);
	bytes_put_text(b, text, TEXT_LIMIT);
	event_end(w, at);
}
