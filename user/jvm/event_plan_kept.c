// SPDX-License-Identifier: BSD-2-Clause
/* Values that a call keeps with an object, and those that a later one recalls by the same object; events between two calls. */
#include "user/jvm/event_plan_internal.h"

#include <string.h>

bool event_is_kept(const struct event_spec *e)
{
	for (size_t i = 0; i < e->fields; i++)
		if (e->key && e->field[i].kept)
			return true;
	return false;
}

static bool value_is_object(const struct event_value *v)
{
	const struct event_step *last = v->steps ? &v->step[v->steps - 1] : NULL;

	if (!last)
		return v->type == 'L';
	return last->kind == PLAN_FIND || (last->kind != PLAN_LENGTH && strchr("L[", last->descriptor[0]));
}

/* A recalled field has the kind of the kept one, also if that is not known yet. */
static void kept_share_kind(const struct event_making *m, struct plan_field *f)
{
	const struct plan_field *fields = (const struct plan_field *)m->fields.data;

	f->any_kind = true;
	f->kind = f->kind == PLAN_KINDS ? PLAN_TEXT : f->kind;
	for (uint32_t i = 0; i + 1 < m->p->places; i++)
		if (m->p->place[i].field == f->kept_value &&
		    m->p->method[m->p->place[i].method].type == f->kept_event) {
			f->kind_at = fields[i].kind_at;
			return;
		}
}

int event_kept_of(struct event_making *m, const struct event_recall *r, struct plan_field *f, struct diag *d)
{
	uint32_t type;
	int err = event_plan_type_of(m, &m->s->events->event[r->event], &type, d);

	if (err || f->role == PLAN_KEPT)
		return err;
	f->role = PLAN_RECALLED;
	f->kept_event = type;
	f->kept_value = r->field;
	kept_share_kind(m, f);
	return 0;
}

int event_kept_recall(struct event_making *m, const struct event_spec *e, size_t field, size_t alternative,
		      struct event_value *v, struct diag *d)
{
	const struct event_field *f = &e->field[field];
	uint32_t type;
	int err;

	m->recall = &f->recall[alternative];
	if (!m->recall->is)
		return 0;
	if (!value_is_object(v))
		return diag_usage(d, "event '%s', '%s': '%s' is no object", e->name, f->expression,
				  f->alternative[alternative]);
	err = event_plan_type_of(m, &m->s->events->event[m->recall->event], &type, d);
	if (err)
		return err;
	v->nullable = true;
	v->kind = m->p->type[type].field[m->recall->field].kind;
	return 0;
}

struct event_object event_object_key(const struct event_spec *e)
{
	return (struct event_object){PLAN_KEY, e->key, EVENT_PLACE_KEPT, PLAN_KEY_VALUE};
}

struct event_object event_object_from(const struct event_spec *e)
{
	return (struct event_object){PLAN_FROM, e->key, EVENT_PLACE_KEPT, PLAN_KEY_VALUE};
}

struct event_object event_object_since(const struct event_spec *e, size_t i)
{
	return (struct event_object){PLAN_SINCE, e->field[i].expression, i, i};
}

/* An event between two calls is of the moments at which they get the object, or return it. */
static bool object_begins(const struct event_object *o, const struct event_value *v, const struct resolved_method *r)
{
	return o->role != PLAN_KEY &&
	       (v->source == PLAN_PARAMETER || (v->source == PLAN_THIS && strcmp(r->name, "<init>") != 0));
}

int event_kept_add_object(struct event_making *m, const struct event_spec *e, const struct match *match, uint32_t type,
			  const struct event_object *o, struct diag *d)
{
	struct event_value v;
	int err = event_value_find(&v, &m->classes, match, o->expression, true, e->name, d);

	if (!err && !value_is_object(&v))
		err = diag_usage(d, "event '%s', '~%s': it is no object", e->name, o->expression);
	err = err ?: event_plan_add_place(m->p, o->place, 0, d);
	if (err)
		return err;
	m->role = o->role;
	m->recall = NULL;
	m->type = type;
	v.kind = PLAN_TEXT;
	err = event_plan_put_field(m, match->method, &v, m->event, o->value, object_begins(o, &v, match->method), d);
	m->role = PLAN_VALUE;
	return err;
}
