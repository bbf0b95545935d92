// SPDX-License-Identifier: BSD-2-Clause
#include "user/jvm/event_plan_internal.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

int event_plan_no_memory(struct diag *d)
{
	return diag_set(d, ENOMEM, "no memory for events");
}

struct plan_text event_plan_put_slice(struct event_making *m, const void *bytes, size_t size)
{
	struct plan_text t = {m->texts.size, size};

	bytes_put(&m->texts, bytes, size);
	bytes_put_u8(&m->texts, 0);
	return t;
}

struct plan_text event_plan_put_text(struct event_making *m, const char *text)
{
	return event_plan_put_slice(m, text, strlen(text));
}

void event_plan_put_step(struct event_making *m, enum plan_step_kind kind, const char *class_name,
			 struct plan_text name, const char *descriptor)
{
	struct plan_step s = {.class_name = event_plan_put_text(m, class_name),
			      .name = name,
			      .descriptor = event_plan_put_text(m, descriptor),
			      .kind = kind};

	bytes_put(&m->steps, &s, sizeof(s));
}

uint32_t event_plan_steps_put(const struct event_making *m)
{
	return m->steps.size / sizeof(struct plan_step);
}

int event_plan_put_field(struct event_making *m, const struct resolved_method *r, const struct event_value *v,
			 uint32_t event, uint32_t value, bool at_begin, struct diag *d)
{
	char word[16] = "";
	struct plan_text none = event_plan_put_text(m, "");
	struct plan_field f = {.class_name = event_plan_put_text(m, r->class_name),
			       .method = event_plan_put_text(m, r->name),
			       .descriptor = event_plan_put_text(m, r->descriptor),
			       .filter = none,
			       .first = event_plan_steps_put(m),
			       .steps = v->steps,
			       .source = v->source,
			       .kind = v->kind,
			       .local = v->local,
			       .type = v->type,
			       .event = event,
			       .value = value,
			       .kind_at = m->p->places - 1,
			       .at_begin = at_begin,
			       .outermost = m->outermost,
			       .role = m->role,
			       .kept_event = m->type};
	int err = m->recall && m->recall->is ? event_kept_of(m, m->recall, &f, d) : 0;

	if (v->source == PLAN_PARAMETER)
		snprintf(word, sizeof(word), "arg%u", v->argument);
	f.word = event_plan_put_text(m, word);
	for (uint32_t i = 0; i < v->steps; i++)
		event_plan_put_step(m, v->step[i].kind, v->step[i].class_name, event_plan_put_text(m, v->step[i].name),
				    v->step[i].descriptor);
	bytes_put(&m->fields, &f, sizeof(f));
	return err;
}

int event_plan_join(struct event_making *m, struct diag *d)
{
	struct plan_header h = {.magic = PLAN_MAGIC,
				.fields = m->fields.size / sizeof(struct plan_field),
				.steps = m->steps.size / sizeof(struct plan_step),
				.text = m->s->text};
	uint32_t texts = sizeof(h) + m->fields.size + m->steps.size;
	struct plan_field *f = (struct plan_field *)m->fields.data;
	struct plan_step *s = (struct plan_step *)m->steps.data;

	for (uint32_t i = 0; i < h.fields; i++) {
		f[i].class_name.at += texts;
		f[i].method.at += texts;
		f[i].descriptor.at += texts;
		f[i].filter.at += texts;
		f[i].word.at += texts;
	}
	for (uint32_t i = 0; i < h.steps; i++) {
		s[i].class_name.at += texts;
		s[i].name.at += texts;
		s[i].descriptor.at += texts;
	}
	h.size = texts + m->texts.size;
	if (!h.fields)
		return 0;
	bytes_put(&m->p->bytes, &h, sizeof(h));
	bytes_put(&m->p->bytes, m->fields.data, m->fields.size);
	bytes_put(&m->p->bytes, m->steps.data, m->steps.size);
	bytes_put(&m->p->bytes, m->texts.data, m->texts.size);
	return m->p->bytes.failed || m->fields.failed || m->steps.failed || m->texts.failed ? event_plan_no_memory(d)
											    : 0;
}
