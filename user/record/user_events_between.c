// SPDX-License-Identifier: BSD-2-Clause
/* Events between two calls with one object. */
#include "user/record/thread_keys.h"
#include "user/record/user_events_internal.h"
#include "user/segment/segment_names.h"

#include <stdio.h>
#include <string.h>

void user_events_between(struct user_events *u, struct clock *clock, int64_t ticks_offset, struct thread_keys *threads)
{
	u->clock = clock;
	u->ticks_offset = ticks_offset;
	u->threads = threads;
}

static uint64_t key_of_first(const struct user_events *u, uint32_t thread)
{
	if (thread & FRT_VIRTUAL_KEY)
		return thread_keys_of_virtual_waker(u->threads, thread & ~FRT_VIRTUAL_KEY);
	return thread_keys_of(u->threads, thread, NULL);
}

bool user_events_describe_between(struct user_events *u, uint32_t event, const struct frt_span *s,
				  struct jfr_method_trace *e)
{
	const struct event_method *m = &u->plan->method[event];
	uint64_t end = s->start + s->duration; /* of a call whose object is read when it has ended, `until` is later */
	int64_t since, until;

	if (!u->since.since) {
		u->state[m->type].unbegun += !(s->flags & FRT_SPAN_THROWN);
		return false;
	}
	end = u->since.until < end ? u->since.until : end;
	if (u->since.since > end)
		return false; /* forged */
	since = clock_ns(u->clock, u->since.since);
	until = clock_ns(u->clock, end);
	e->start = since + u->ticks_offset;
	e->duration = until - since;
	e->cpu = e->run_queue = e->blocked = e->pause = e->allocated = e->request = JFR_MISSING;
	for (size_t i = 0; i < m->spec->fields; i++)
		if (m->spec->field[i].since)
			u->value[i] = (struct jfr_user_value){.number = (int64_t)key_of_first(u, u->since.thread)};
	return true;
}

static bool is_first(const struct event_method *e, const struct segment_method_text *t, const struct frt_method *row)
{
	struct event_method m = {.class_name = t->class_name, .name = t->name, .descriptor = t->descriptor};

	if (e->class_name)
		return user_events_same_method(e, &m);
	return !e->tagged && plan_filter_takes(&e->filter, slice_of(t->class_name), slice_of(t->name),
					       slice_of(t->descriptor), row->modifiers, NULL);
}

/* The method that a first call was of, or FRT_NO_METHOD if several may be meant. */
static uint32_t method_of_first(struct user_events *u, const struct event_method *e)
{
	struct segment_method_text t;
	const struct frt_method *row;
	uint32_t found = 0;

	if (u->first == e)
		return u->first_method;
	u->first = e;
	for (uint32_t id = 1; found < 2 && (row = segment_method_text(u->segment, id, &t)); id++) {
		if (!is_first(e, &t, row))
			continue;
		u->first_method = id;
		found += e->class_name ? 2 : 1;
	}
	if (!found || (found > 1 && !e->class_name))
		u->first_method = FRT_NO_METHOD;
	return u->first_method;
}

bool user_events_begun(struct user_events *u, const struct frt_field *f, struct begun_event *out)
{
	uint32_t index = FRT_FIELD_INDEX(f->number);
	const struct event_method *e;
	struct frt_since since;
	int64_t start;

	memcpy(&since, f->data, sizeof(since));
	if (f->form != FRT_FORM_SINCE || index >= u->plan->places || since.since > since.until)
		return false;
	e = &u->plan->method[u->plan->place[index].method];
	if (!e->spec->begins)
		return false;
	start = clock_ns(u->clock, since.since);
	*out = (struct begun_event){.start = start + u->ticks_offset,
				    .duration = clock_ns(u->clock, since.until) - start,
				    .thread = key_of_first(u, since.thread),
				    .method = method_of_first(u, e)};
	snprintf(out->remark, sizeof(out->remark), "event '%.100s' has begun, and not ended by '%.100s'", e->spec->name,
		 u->plan->type[e->type].spec->text);
	return true;
}
