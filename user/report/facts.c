// SPDX-License-Identifier: BSD-2-Clause
#include "user/report/facts.h"
#include "format/vec.h"
#include "user/trace/trace.h"
#include "user/trace/jfr_names.h"
#include "user/text/java_number.h"
#include "user/text/log.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define MOST 200 /* rows, and messages */

static void facts_rows_release(struct facts_row *row, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		free(row[i].label);
		free(row[i].text);
	}
	free(row);
}

void facts_release(struct facts *f)
{
	facts_rows_release(f->row, f->rows);
	facts_rows_release(f->message, f->messages);
	free(f->program);
}

/* Add a row unless it is there. 0 or -ENOMEM. */
static int facts_put(struct facts_row **row, size_t *count, size_t *capacity, const char *label, const char *text)
{
	struct facts_row *r;

	for (size_t i = 0; i < *count; i++)
		if (strcmp((*row)[i].label, label) == 0 && strcmp((*row)[i].text, text) == 0)
			return 0;
	if (*count == MOST)
		return 0;
	if (vec_reserve(row, capacity, *count + 1))
		return -ENOMEM;
	r = &(*row)[(*count)++];
	*r = (struct facts_row){strdup(label), strdup(text)};
	if (r->label && r->text)
		return 0;
	free(r->label);
	free(r->text);
	--*count;
	return -ENOMEM;
}

static int facts_add(struct facts *f, const char *label, const char *text)
{
	return *text ? facts_put(&f->row, &f->rows, &f->row_capacity, label, text) : 0;
}

/* A field of the event as text; "" if it has none. Free with free(). NULL: no memory. */
static char *facts_field(struct jfr_chunk *chunk, const struct jfr_event *e, const char *name)
{
	struct jfr_value event = jfr_event_value(e), v = jfr_field(chunk, &event, name);
	struct bytes text;

	bytes_init(&text);
	if (v.kind == VALUE_TEXT)
		bytes_put_decoded(&text, &v.text);
	else if (v.kind == VALUE_NUMBER)
		put_integer(&text, v.number);
	bytes_put_u8(&text, 0);
	if (text.failed)
		bytes_release(&text);
	return (char *)text.data;
}

/* Add a row for a field. */
static int facts_add_field(struct facts *f, struct jfr_chunk *chunk, const struct jfr_event *e, const char *label,
			   const char *name)
{
	char *text = facts_field(chunk, e, name);
	int err = text ? facts_add(f, label, text) : -ENOMEM;

	free(text);
	return err;
}

static int facts_on_jvm(struct jfr_chunk *chunk, const struct jfr_event *e, void *context)
{
	static const char *const fields[][2] = {{"Program", "javaArguments"},
						{"Process", "pid"},
						{"JVM", "jvmName"},
						{"JVM version", "jvmVersion"},
						{"JVM arguments", "jvmArguments"}};
	struct facts *f = context;
	int err = 0;

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]) && !err; i++)
		err = facts_add_field(f, chunk, e, fields[i][0], fields[i][1]);
	if (!err && !f->program)
		f->program = facts_field(chunk, e, "javaArguments");
	return err;
}

static int facts_on_os(struct jfr_chunk *chunk, const struct jfr_event *e, void *context)
{
	return facts_add_field(context, chunk, e, "System", "osVersion");
}

static int facts_on_cpu(struct jfr_chunk *chunk, const struct jfr_event *e, void *context)
{
	int err = facts_add_field(context, chunk, e, "CPU", "cpu");

	return err ?: facts_add_field(context, chunk, e, "Hardware threads", "hwThreads");
}

static int facts_on_memory(struct jfr_chunk *chunk, const struct jfr_event *e, void *context)
{
	struct jfr_value event = jfr_event_value(e), size = jfr_field(chunk, &event, "totalSize");

	return size.kind == VALUE_NUMBER && size.number > 0 ? facts_add(context, "Memory", log_bytes(size.number)) : 0;
}

/* "jdk.MethodTrace threshold": only what is about traced methods, and without what is merely on or off. */
static int facts_on_setting(struct jfr_chunk *chunk, const struct jfr_event *e, void *context)
{
	struct jfr_value event = jfr_event_value(e), id = jfr_field(chunk, &event, "id");
	const struct meta_type *type = id.kind == VALUE_NUMBER ? jfr_metadata_type(chunk->metadata, id.number) : NULL;
	char *name, label[256];
	int err = 0;

	if (!type || strncmp(type->name, "jdk.Method", strlen("jdk.Method")) != 0)
		return 0;
	name = facts_field(chunk, e, "name");
	snprintf(label, sizeof(label), "%s %s", type->name + strlen("jdk."), name ?: "");
	if (!name || strcmp(name, "enabled") != 0)
		err = name ? facts_add_field(context, chunk, e, label, "value") : -ENOMEM;
	free(name);
	return err;
}

static int facts_on_message(struct jfr_chunk *chunk, const struct jfr_event *e, void *context)
{
	char *kind = facts_field(chunk, e, "kind"), *text = facts_field(chunk, e, "text");
	struct facts *f = context;
	int err = -ENOMEM;

	if (kind && text)
		err = facts_put(&f->message, &f->messages, &f->message_capacity, kind, text);
	free(kind);
	free(text);
	return err;
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

int facts_read(struct facts *f, struct jfr_file *file)
{
	static const struct trace_event events[] = {
		{"jdk.JVMInformation", facts_on_jvm},	 {"jdk.OSInformation", facts_on_os},
		{"jdk.CPUInformation", facts_on_cpu},	 {"jdk.PhysicalMemory", facts_on_memory},
		{"jdk.ActiveSetting", facts_on_setting}, {"frtrace.Message", facts_on_message},
		{"jdk.DataLoss", facts_on_loss},	 {NULL, NULL},
	};

	return trace_read(file, &(struct trace_ops){.waits_end = facts_begin_chunk, .events = events}, f);
}
