// SPDX-License-Identifier: BSD-2-Clause
#include "user/live/call_line.h"
#include "format/jfr/jfr_events.h"
#include "user/text/log.h"
#include "user/segment/segment.h"
#include "user/text/java_name.h"
#include "user/text/term.h"
#include "user/live/json_method.h"
#include "user/text/wall_time.h"

#define NAME_TEXT 2048

static void resolved_name(const struct resolved_method *m, char *out, size_t size)
{
	char class_name[NAME_TEXT], method[NAME_TEXT];

	snprintf(class_name, sizeof(class_name), "%s", m->class_name);
	java_name_dots(class_name);
	java_name_print(m->name, m->descriptor, method, sizeof(method));
	snprintf(out, size, "%s.%s", class_name, method);
}

static void call_line_put_caller(FILE *to, const struct call_line *c)
{
	char name[2 * NAME_TEXT];

	if (c->caller.resolved)
		resolved_name(c->caller.resolved, name, sizeof(name));
	else if (c->caller.named)
		segment_name_method(c->segment, c->caller.named, name, sizeof(name));
	else
		return;
	fputs("  from ", to);
	term_print(to, name);
	if (c->caller.line > 0)
		fprintf(to, " line: %d", c->caller.line);
}

static bool is_known(int64_t ns)
{
	return ns != JFR_MISSING;
}

static void call_line_put_split(FILE *to, const struct span_split *s)
{
	if (is_known(s->cpu) && is_known(s->run_queue) && is_known(s->blocked))
		fprintf(to, "  cpu %s, runq %s, blocked %s", log_time(s->cpu), log_time(s->run_queue),
			log_time(s->blocked));
}

void call_line_print(FILE *to, const struct call_line *c)
{
	char time[WALL_TIME_TEXT], name[NAME_TEXT];

	wall_time_print(c->end, true, time);
	fprintf(to, "%s  %9s  ", time, log_time(c->duration));
	term_print(to, c->thread ? c->thread : "?");
	fputs("  ", to);
	segment_name_method(c->segment, c->method, name, sizeof(name));
	term_print(to, name);
	if (c->thrown)
		fputs("  thrown", to);
	if (c->thrown_class) {
		putc(' ', to);
		term_print(to, c->thrown_class);
	}
	if (c->values) {
		fputs("  ", to);
		term_print(to, c->values);
	}
	call_line_put_caller(to, c);
	call_line_put_split(to, &c->split);
	putc('\n', to);
}

static void call_line_put_ns(struct json *j, const char *key, int64_t ns)
{
	if (is_known(ns))
		json_signed(j, key, ns);
	else
		json_null(j, key);
}

static void put_caller_json(struct json *j, const struct call_line *c)
{
	const struct resolved_method *m = c->caller.resolved;
	char name[NAME_TEXT];

	if (!m && !c->caller.named) {
		json_null(j, "caller");
		return;
	}
	json_object(j, "caller");
	if (m) {
		snprintf(name, sizeof(name), "%s", m->class_name);
		java_name_dots(name);
		json_string(j, "class", name);
		json_string(j, "method", m->name);
		json_string(j, "descriptor", m->descriptor);
	} else {
		json_method(j, c->segment, c->caller.named);
	}
	if (c->caller.line > 0)
		json_signed(j, "line", c->caller.line);
	else
		json_null(j, "line");
	json_end(j);
}

void call_line_json(FILE *to, const struct call_line *c)
{
	char time[WALL_TIME_TEXT];
	struct json j;

	json_init(&j, to);
	json_object(&j, NULL);
	wall_time_iso(c->end - c->duration, time);
	json_string(&j, "startTime", time);
	json_signed(&j, "startNs", c->start_ticks);
	json_unsigned(&j, "durationNs", c->duration);
	call_line_put_ns(&j, "cpuNs", c->split.cpu);
	call_line_put_ns(&j, "runQueueNs", c->split.run_queue);
	call_line_put_ns(&j, "blockedNs", c->split.blocked);
	json_string(&j, "thread", c->thread);
	json_unsigned(&j, "javaThreadId", c->java_id);
	json_bool(&j, "virtual", c->is_virtual);
	json_method(&j, c->segment, c->method);
	json_bool(&j, "thrown", c->thrown);
	json_string(&j, "thrownClass", c->thrown_class);
	if (c->values)
		json_literal(&j, "values", c->values);
	put_caller_json(&j, c);
	json_end(&j);
}
