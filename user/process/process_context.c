// SPDX-License-Identifier: BSD-2-Clause
/*
 * Each piece is read by itself, the time first and last, so that what is between belongs to that time. Looking again costs
 * a read of the header, or, as long as there is none, of the mappings.
 */
#include "user/process/process_context.h"
#include "filters/redact.h"
#include "user/process/proc.h"
#include "user/process/remote_mem.h"
#include "user/text/java_number.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SIGNATURE     "OTEL_CTX"
#define VERSION	      2u
#define HEADER	      32u
#define AT_VERSION    8u
#define AT_TIME	      16u
#define AT_PAYLOAD    24u
#define TRIES	      3
#define MAPPINGS_MOST 16u /* with such a name */

struct process_context_reader {
	const struct target *target;
	const char *redact;
	struct remote_mem memory;
	uint64_t header, time; /* of what was read last; 0: nothing */
	unsigned int mappings; /* looked at */
	struct process_context found;
};

struct process_context_reader *process_context_reader_new(const struct target *t, const char *redact)
{
	struct process_context_reader *r = calloc(1, sizeof(*r));
	struct diag ignored;

	if (!r || remote_mem_open(&r->memory, t, &ignored)) {
		free(r);
		return NULL;
	}
	r->target = t;
	r->redact = redact;
	return r;
}

static void process_context_clear(struct process_context *c)
{
	for (size_t i = 0; i < c->count; i++) {
		free(c->attribute[i].key);
		free(c->attribute[i].value);
	}
	free(c->attribute);
	*c = (struct process_context){.count = 0};
}

void process_context_reader_free(struct process_context_reader *r)
{
	if (!r)
		return;
	process_context_clear(&r->found);
	remote_mem_close(&r->memory);
	free(r);
}

/* ---- the message */

static bool is_text_of(struct slice s, size_t most)
{
	return s.length <= most && !memchr(s.at ?: "", 0, s.length);
}

static bool is_wanted_attribute(const struct process_context *c, const struct otel_attribute *a)
{
	if (a->kind == OTEL_OTHER || !a->key.length || !is_text_of(a->key, PROCESS_CONTEXT_KEY) ||
	    !is_text_of(a->text, PROCESS_CONTEXT_VALUE) || slice_is(a->key, "process.command_line") ||
	    slice_is(a->key, "process.command_args"))
		return false;
	for (size_t i = 0; i < c->count; i++)
		if (slice_is(a->key, c->attribute[i].key))
			return false;
	return c->count < PROCESS_CONTEXT_MOST;
}

static char *attribute_value(const struct otel_attribute *a)
{
	struct bytes text = {.size = 0};

	switch (a->kind) {
	case OTEL_INT: put_integer(&text, a->integer); break;
	case OTEL_DOUBLE: put_double(&text, a->real); break;
	case OTEL_BOOL: put_text(&text, a->integer ? "true" : "false"); break;
	default: bytes_put(&text, a->text.at ?: "", a->text.length);
	}
	return bytes_steal_text(&text);
}

static int process_attribute_add(struct process_context_reader *r, const struct otel_attribute *a)
{
	struct process_context *c = &r->found;
	struct process_attribute new = {a->kind, strndup(a->key.at, a->key.length), NULL};

	if (!c->attribute)
		c->attribute = calloc(PROCESS_CONTEXT_MOST, sizeof(*c->attribute));
	if (new.key && redact_matches(r->redact, new.key)) {
		new.kind = OTEL_STRING;
		new.value = strdup("[REDACTED]");
	} else {
		new.value = attribute_value(a);
	}
	if (!c->attribute || !new.key || !new.value) {
		free(new.key);
		free(new.value);
		return -ENOMEM;
	}
	c->attribute[c->count++] = new;
	return 0;
}

/* Those with a name of the first form are read as that (OTEP 4947): "tlsdesc_v1_dev", "tls_v1". */
static bool is_thread_local(struct slice schema)
{
	return slice_begins(schema, "tls") && slice_contains(schema, "_v1");
}

static int take_attribute(const struct otel_attribute *a, void *context)
{
	struct process_context_reader *r = context;

	if (a->of_resource)
		return is_wanted_attribute(&r->found, a) ? process_attribute_add(r, a) : 0;
	if (slice_is(a->key, "threadlocal.schema_version"))
		r->found.threads_unknown = a->kind != OTEL_STRING || !is_thread_local(a->text);
	return 0;
}

/* ---- the program's memory */

static bool has_header(const struct process_context_reader *r, uint64_t at)
{
	char signature[AT_VERSION];
	uint32_t version;

	return !mem_read(&r->memory.mem, at, signature, sizeof(signature)) &&
	       !memcmp(signature, SIGNATURE, sizeof(signature)) &&
	       !mem_u32(&r->memory.mem, at + AT_VERSION, &version) && version == VERSION;
}

static bool is_context_name(const char *path)
{
	static const char *const names[] = {"[anon_shmem:" SIGNATURE "]", "[anon:" SIGNATURE "]", "/memfd:" SIGNATURE};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strncmp(path, names[i], strlen(names[i])))
			return true;
	return false;
}

static int match_context(const struct mapping *m, void *context)
{
	struct process_context_reader *r = context;

	if (!is_context_name(m->path))
		return 0;
	if (++r->mappings > MAPPINGS_MOST)
		return 1;
	if (m->end - m->start < HEADER || !has_header(r, m->start))
		return 0;
	r->header = m->start;
	return 1;
}

/* False: there is none, or it is being changed. */
static bool read_payload(struct process_context_reader *r, unsigned char payload[PROCESS_CONTEXT_SIZE], uint32_t *size,
			 uint64_t *time)
{
	const struct mem *m = &r->memory.mem;
	uint64_t at, again;

	if (mem_u64(m, r->header + AT_TIME, time) || !*time || mem_u64(m, r->header + AT_PAYLOAD, &at) ||
	    mem_u32(m, r->header + AT_VERSION + 4, size))
		return false;
	if (*size <= PROCESS_CONTEXT_SIZE && mem_read(m, at, payload, *size))
		*size = UINT32_MAX;
	return !mem_u64(m, r->header + AT_TIME, &again) && again == *time;
}

static void take_payload(struct process_context_reader *r, unsigned char payload[PROCESS_CONTEXT_SIZE])
{
	uint32_t size;
	uint64_t time;

	for (int i = 0; i < TRIES; i++) {
		if (!read_payload(r, payload, &size, &time))
			continue;
		process_context_clear(&r->found);
		r->time = time;
		if (size > PROCESS_CONTEXT_SIZE || otel_context_each(payload, size, take_attribute, r))
			process_context_clear(&r->found);
		return;
	}
}

const struct process_context *process_context_read(struct process_context_reader *r)
{
	uint64_t known = r->header, time;
	unsigned char *payload;

	if (!known || !has_header(r, known)) {
		r->header = 0;
		r->mappings = 0;
		proc_each_named_mapping(r->target->pid, match_context, r);
	}
	if (!r->header || r->header != known) {
		process_context_clear(&r->found);
		r->time = 0;
	}
	if (!r->header || mem_u64(&r->memory.mem, r->header + AT_TIME, &time) || time == r->time)
		return &r->found;
	payload = malloc(PROCESS_CONTEXT_SIZE);
	if (payload)
		take_payload(r, payload);
	free(payload);
	return &r->found;
}
