// SPDX-License-Identifier: BSD-2-Clause
#include "user/trace/task.h"
#include "user/text/java_number.h"
#include "user/text/memory.h"
#include "user/trace/jfr_names.h"
#include "user/trace/normal_name.h"

#include <stdlib.h>

static const struct event_member task_fields[] = {
#define VALUE(n, m) {n, EVENT_VALUE, offsetof(struct task, m), META_OTHER, META_NO_UNIT}
	VALUE("submitThread", submitter),
	VALUE("method", method),
	VALUE("taskClass", task_class),
	VALUE("outcome", outcome),
	{"runTime", EVENT_NUMBER, offsetof(struct task, run), META_OTHER, META_NANOSECONDS},
};

static const struct event_table task_table = {task_fields, sizeof(task_fields) / sizeof(task_fields[0]),
					      offsetof(struct task, thread), offsetof(struct task, stack)};

void task_read(struct event_reader *r, struct jfr_chunk *chunk, const struct jfr_event *e, struct task *t)
{
	struct jfr_span span = jfr_event_span(chunk, e);
	uint64_t seen;

	*t = (struct task){.chunk = chunk, .start = span.start, .duration = span.duration, .run = INT64_MIN};
	event_members_read(r, &task_table, chunk, e, t, &seen);
	t->run = t->run < 0 ? INT64_MIN : t->run;
}

void put_task_class(struct bytes *out, const struct task *t)
{
	struct jfr_value class = t->task_class, name;
	struct bytes text;
	char *whole;

	jfr_resolve(t->chunk, &class);
	name = jfr_field(t->chunk, &class, "name");
	if (name.kind != VALUE_TEXT) {
		put_text(out, "N/A");
		return;
	}
	bytes_init(&text);
	put_value_text(&text, &name);
	whole = memory_need(bytes_steal_text(&text));
	normal_name(whole);
	put_class_name(out, t->chunk, whole, "");
	free(whole);
}
