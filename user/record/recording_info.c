// SPDX-License-Identifier: BSD-2-Clause
#include "user/record/recording_info.h"
#include "filters/number.h"
#include "user/jvm/jvm_model.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VERSION_TEXT 1024 /* real ones have some 200 bytes */

struct recording_remark {
	struct recording_remark *next;
	char *kind, *text;
};

/* Use the texts that the JVM's own recordings have; the version begins with the name. */
static int take_version(struct target_description *jvm, const char *version, struct diag *d)
{
	size_t length = strcspn(version, "(");
	char *name = strndup(version, length ? length - 1 : 0), *text = strdup(version);

	if (!name || !text) {
		free(name);
		free(text);
		return diag_set(d, ENOMEM, "out of memory");
	}
	free(jvm->jvm_name);
	free(jvm->jvm_version);
	jvm->jvm_name = name;
	jvm->jvm_version = text;
	return 0;
}

int recording_info_read(struct recording_info *info, const struct target *t, struct diag *d)
{
	char version[VERSION_TEXT];
	struct diag ignored;
	int err;

	info->ns_pid = t->ns_pid;
	machine_read(&info->machine);
	err = target_describe(t, &info->jvm, d);
	if (!err && !jvm_model_version(t, version, sizeof(version), &ignored) && strchr(version, '('))
		err = take_version(&info->jvm, version, d);
	return err;
}

static void recording_remark_free(struct recording_remark *m)
{
	if (m) {
		free(m->kind);
		free(m->text);
	}
	free(m);
}

void recording_info_release(struct recording_info *info)
{
	struct recording_remark *m;

	while ((m = info->remarks)) {
		info->remarks = m->next;
		recording_remark_free(m);
	}
	target_description_free(&info->jvm);
}

int recording_info_remark(struct recording_info *info, const char *kind, const char *text)
{
	struct recording_remark *m = calloc(1, sizeof(*m)), **last = &info->remarks;

	if (!m || !(m->kind = strdup(kind)) || !(m->text = strdup(text))) {
		recording_remark_free(m);
		return -ENOMEM;
	}
	while (*last)
		last = &(*last)->next;
	*last = m;
	return 0;
}

/* Write the period in JFR's format. */
static void put_period(const struct recording_info *info, struct jfr_writer *w, int64_t at)
{
	static const char *const names[] = {[JFC_NO_PERIOD] = "endChunk",
					    [JFC_EVERY_CHUNK] = "everyChunk",
					    [JFC_BEGIN_CHUNK] = "beginChunk",
					    [JFC_END_CHUNK] = "endChunk",
					    [JFC_TIME] = "infinity"};
	const struct jfc_period *p = &info->settings->timing_period;
	char period[32];

	snprintf(period, sizeof(period), "%s", names[p->kind]);
	if (p->kind == JFC_TIME && p->ns != JFC_INFINITY)
		snprintf(period, sizeof(period), "%llu ms", (unsigned long long)(p->ns / 1000000));
	jfr_active_setting(w, at, "jdk.MethodTiming", "period", period);
}

/* Write a threshold as JFR does: "2 ms". Its own settings files have "0 ms". */
static void put_threshold(const struct recording_info *info, struct jfr_writer *w, int64_t at)
{
	char time[24], text[32];
	size_t digits;

	time_print(info->settings->threshold_ns, time, sizeof(time));
	digits = strspn(time, "0123456789");
	snprintf(text, sizeof(text), "%.*s %s", (int)digits, time, time[digits] ? time + digits : "ms");
	jfr_active_setting(w, at, "jdk.MethodTrace", "threshold", text);
}

/* JFR has one filter setting for an event: all filters, separated by semicolons. */
static void put_filters(const struct recording_info *info, struct jfr_writer *w, int64_t at, enum filter_kind kind,
			const char *event, const char *name)
{
	const struct filter_list *filters = info->settings->filters;
	struct bytes text;

	bytes_init(&text);
	for (size_t i = 0; i < filter_list_size(filters); i++) {
		if (filter_list_kind(filters, i) != kind)
			continue;
		if (text.size)
			bytes_put_u8(&text, ';');
		bytes_put(&text, filter_list_text(filters, i), strlen(filter_list_text(filters, i)));
	}
	bytes_put_u8(&text, 0);
	if (text.size > 1 && !text.failed)
		jfr_active_setting(w, at, event, name, (const char *)text.data);
	bytes_release(&text);
}

/* The filter of each of the user's events, and for each field where its value comes from. */
static void put_user_settings(const struct event_list *l, struct jfr_writer *w, int64_t at)
{
	for (size_t i = 0; i < l->count; i++) {
		const struct event_spec *e = &l->event[i];

		if (e->from)
			jfr_active_setting(w, at, e->name, "from", e->from->text);
		jfr_active_setting(w, at, e->name, "filter", e->text);
		for (size_t n = 0; n < e->fields; n++)
			jfr_active_setting(w, at, e->name, e->field[n].name, e->field[n].expression);
	}
}

static void put_settings(const struct recording_info *info, struct jfr_writer *w, int64_t at)
{
	const struct settings *s = info->settings;
	char depth[16];

	jfr_active_setting(w, at, "jdk.MethodTrace", "enabled", "true");
	put_threshold(info, w, at);
	if (s->thrown)
		jfr_active_setting(w, at, "jdk.MethodTrace", "thrown", "true");
	jfr_active_setting(w, at, "jdk.MethodTrace", "stackTrace", info->stacks ? "true" : "false");
	if (info->stacks) {
		snprintf(depth, sizeof(depth), "%u", s->stack_depth);
		jfr_active_setting(w, at, "jdk.MethodTrace", "stackDepth", depth);
	}
	jfr_active_setting(w, at, "jdk.MethodTiming", "enabled", info->timed ? "true" : "false");
	put_period(info, w, at);
	if (info->waits)
		jfr_active_setting(w, at, "frtrace.ThreadWait", "enabled", "true");
	if (s->cpu_ns)
		jfr_active_setting(w, at, "jdk.ExecutionSample", "enabled", "true");
	if (s->tasks == SETTINGS_TASKS_ON)
		jfr_active_setting(w, at, "frtrace.Task", "enabled", "true");
	put_filters(info, w, at, FILTER_TRACE, "jdk.MethodTrace", "filter");
	put_filters(info, w, at, FILTER_ROOT, "jdk.MethodTrace", "inside");
	put_filters(info, w, at, FILTER_UNTIL, "jdk.MethodTrace", "until");
	put_filters(info, w, at, FILTER_TIMING, "jdk.MethodTiming", "filter");
	put_user_settings(&s->events, w, at);
}

static void put_recording(const struct recording_info *info, struct jfr_writer *w, int64_t at)
{
	const struct settings *s = info->settings;
	struct jfr_active_recording e = {
		.start = at,
		.id = 1,
		.name = "frtrace",
		.destination = info->destination,
		.max_age_ms = s->max_age_ns ? (int64_t)(s->max_age_ns / 1000000) : INT64_MAX,
		.flush_interval_ms = info->flush_ms,
		.max_size = s->max_size,
		.recording_start_ms = info->start_epoch_ms,
		.disk = !s->in_memory,
		.recording_duration_ms = s->duration_ns ? (int64_t)(s->duration_ns / 1000000) : INT64_MAX,
	};

	jfr_active_recording(w, &e);
}

static void put_memory(struct jfr_writer *w, int64_t at)
{
	struct jfr_physical_memory e = {.start = at};

	if (machine_memory(&e.total, &e.used))
		jfr_physical_memory(w, &e);
}

static void put_jvm(const struct recording_info *info, struct jfr_writer *w, int64_t at)
{
	struct jfr_jvm_information e = {
		.start = at,
		.jvm_name = info->jvm.jvm_name,
		.jvm_version = info->jvm.jvm_version,
		.jvm_arguments = info->jvm.jvm_arguments,
		.jvm_flags = info->jvm.jvm_flags,
		.java_arguments = info->jvm.java_arguments,
		.jvm_start_ms = info->jvm.start_epoch_ms,
		.pid = info->ns_pid,
	};
	struct jfr_cpu_information cpu = {
		.start = at,
		.cpu = info->machine.cpu,
		.description = info->machine.cpu_description,
		.sockets = info->machine.sockets,
		.cores = info->machine.cores,
		.hw_threads = info->machine.threads,
	};

	jfr_jvm_information(w, &e);
	jfr_os_information(w, at, info->machine.os);
	jfr_cpu_information(w, &cpu);
	jfr_virtualization_information(w, at, info->machine.virtualization);
	put_memory(w, at);
}

static void put_program(const struct process_context *program, struct jfr_writer *w, int64_t at)
{
	static const char *const types[] = {
		[OTEL_STRING] = "string", [OTEL_BOOL] = "bool", [OTEL_INT] = "int", [OTEL_DOUBLE] = "double"};

	for (size_t i = 0; program && i < program->count; i++) {
		const struct process_attribute *a = &program->attribute[i];
		struct jfr_resource_attribute e = {at, a->key, a->value, types[a->kind]};

		jfr_resource_attribute(w, &e);
	}
}

void recording_info_put(const struct recording_info *info, struct jfr_writer *w, int64_t at)
{
	put_recording(info, w, at);
	put_settings(info, w, at);
	put_jvm(info, w, at);
	put_program(info->program, w, at);
	for (const struct recording_remark *m = info->remarks; m; m = m->next)
		jfr_message(w, at, m->kind, m->text);
}
