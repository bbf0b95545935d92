// SPDX-License-Identifier: BSD-2-Clause
#include "user/page/facts.h"
#include "user/text/java_number.h"
#include "user/text/log.h"
#include "user/trace/jfr_names.h"

#include <stdio.h>
#include <stdlib.h>

#define MOST 200 /* rows, and messages */

static void facts_rows_release(struct facts_rows *rows)
{
	for (size_t i = 0; i < rows->count; i++) {
		free(rows->row[i].label);
		free(rows->row[i].text);
	}
	free(rows->row);
}

void facts_release(struct facts *f)
{
	facts_rows_release(&f->about);
	facts_rows_release(&f->messages);
	free(f->program);
}

/* Add a row unless it is there. */
static void facts_put(struct facts_rows *rows, const char *label, const char *text)
{
	for (size_t i = 0; i < rows->count; i++)
		if (strcmp(rows->row[i].label, label) == 0 && strcmp(rows->row[i].text, text) == 0)
			return;
	if (rows->count == MOST)
		return;
	memory_reserve(&rows->row, &rows->capacity, rows->count + 1);
	rows->row[rows->count++] = (struct facts_row){memory_need(strdup(label)), memory_need(strdup(text))};
}

/* A field of the event as text; "" if it has none. Free with free(). */
static char *facts_field(struct jfr_chunk *chunk, const struct jfr_event *e, const char *name)
{
	struct jfr_value event = jfr_event_value(e), v = jfr_field(chunk, &event, name);
	struct bytes text;

	bytes_init(&text);
	if (v.kind == VALUE_TEXT)
		bytes_put_decoded(&text, &v.text);
	else if (v.kind == VALUE_NUMBER)
		put_integer(&text, v.number);
	return memory_need(bytes_steal_text(&text));
}

/* Add a row for a field, if the event has it. */
static void facts_add(struct facts *f, struct jfr_chunk *chunk, const struct jfr_event *e, const char *label,
		      const char *name)
{
	char *text = facts_field(chunk, e, name);

	if (*text)
		facts_put(&f->about, label, text);
	free(text);
}

static int facts_on_jvm(struct jfr_chunk *chunk, const struct jfr_event *e, void *context)
{
	struct facts *f = context;

	facts_add(f, chunk, e, "Program", "javaArguments");
	facts_add(f, chunk, e, "Process", "pid");
	facts_add(f, chunk, e, "JVM", "jvmName");
	facts_add(f, chunk, e, "JVM version", "jvmVersion");
	facts_add(f, chunk, e, "JVM arguments", "jvmArguments");
	if (!f->program)
		f->program = facts_field(chunk, e, "javaArguments");
	return 0;
}

static int facts_on_os(struct jfr_chunk *chunk, const struct jfr_event *e, void *context)
{
	facts_add(context, chunk, e, "System", "osVersion");
	return 0;
}

static int facts_on_cpu(struct jfr_chunk *chunk, const struct jfr_event *e, void *context)
{
	facts_add(context, chunk, e, "CPU", "cpu");
	facts_add(context, chunk, e, "Hardware threads", "hwThreads");
	return 0;
}

static int facts_on_memory(struct jfr_chunk *chunk, const struct jfr_event *e, void *context)
{
	struct jfr_value event = jfr_event_value(e), size = jfr_field(chunk, &event, "totalSize");
	struct facts *f = context;

	if (size.kind == VALUE_NUMBER && size.number > 0)
		facts_put(&f->about, "Memory", log_bytes(size.number));
	return 0;
}

/* "jdk.MethodTrace threshold": only what is about traced methods, and without what is merely on or off. */
static int facts_on_setting(struct jfr_chunk *chunk, const struct jfr_event *e, void *context)
{
	struct jfr_value event = jfr_event_value(e), id = jfr_field(chunk, &event, "id");
	const struct meta_type *type = id.kind == VALUE_NUMBER ? jfr_metadata_type(chunk->metadata, id.number) : NULL;
	char *name, label[256];

	if (!type || strncmp(type->name, "jdk.Method", strlen("jdk.Method")) != 0)
		return 0;
	name = facts_field(chunk, e, "name");
	snprintf(label, sizeof(label), "%s %s", type->name + strlen("jdk."), name);
	if (strcmp(name, "enabled") != 0)
		facts_add(context, chunk, e, label, "value");
	free(name);
	return 0;
}

static int facts_on_message(struct jfr_chunk *chunk, const struct jfr_event *e, void *context)
{
	char *kind = facts_field(chunk, e, "kind"), *text = facts_field(chunk, e, "text");
	struct facts *f = context;

	facts_put(&f->messages, kind, text);
	free(kind);
	free(text);
	return 0;
}

/* `total` is the sum since the start of the recording. */
static int facts_on_loss(struct jfr_chunk *chunk, const struct jfr_event *e, void *context)
{
	struct jfr_value event = jfr_event_value(e), total = jfr_field(chunk, &event, "total");
	struct facts *f = context;

	if (total.kind == VALUE_NUMBER && (uint64_t)total.number > f->lost)
		f->lost = total.number;
	return 0;
}

static int facts_begin_chunk(struct jfr_chunk *chunk, void *context)
{
	struct facts *f = context;

	f->of_frtrace |= jfr_metadata_find(chunk->metadata, "frtrace.Clock") != NULL;
	return 0;
}

static const struct trace_event facts_events[] = {
	{"jdk.JVMInformation", facts_on_jvm},	 {"jdk.OSInformation", facts_on_os},
	{"jdk.CPUInformation", facts_on_cpu},	 {"jdk.PhysicalMemory", facts_on_memory},
	{"jdk.ActiveSetting", facts_on_setting}, {"frtrace.Message", facts_on_message},
	{"jdk.DataLoss", facts_on_loss},	 {NULL, NULL},
};

const struct trace_ops facts_ops = {.waits_end = facts_begin_chunk, .events = facts_events};
