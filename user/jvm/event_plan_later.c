// SPDX-License-Identifier: BSD-2-Clause
/* Events of classes that are loaded later. */
#include "user/jvm/event_plan_internal.h"
#include "format/vec.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/*
 * Which methods a filter by supertype or annotation selects is known by the agent alone, which does not tell which of several
 * thresholds is theirs. An exclusion would have to be added to the recording's filters, and would exclude there from -m.
 */
int event_later_find(struct event_later *l, const struct event_spec *e, const struct event_type *t, struct diag *d)
{
	struct event_way ways[EVENT_WAYS];
	void *program;
	int err = filter_list_compile(e->filters, &program, &l->filter.size, d);
	bool loaded;

	if (err)
		return err;
	*l = (struct event_later){.filter = {program, l->filter.size}, .preset = e->preset};
	l->tagged = matcher_has_supertypes(&l->filter) || matcher_has_annotations(&l->filter);
	l->can = !strchr(e->text, '!') && l->filter.size <= UINT16_MAX &&
		 (matcher_one_threshold(&l->filter, &l->threshold_ns) || !l->tagged);
	for (size_t i = 0; i < e->fields; i++)
		for (size_t n = 0; !t->field[i].redacted && n < e->field[i].alternatives; n++) {
			event_value_ways(e->field[i].alternative[n], ways, &loaded);
			l->lacks = l->lacks || loaded;
		}
	return 0;
}

/* A class that a filter names, and that is loaded, will not get its methods later. */
bool event_later_may_come(const struct event_making *m, const struct event_later *l)
{
	for (uint32_t i = 0; i < m->classes.count && !matcher_any_class(&l->filter); i++)
		if (matcher_class(&l->filter, m->classes.class[i].name, strlen(m->classes.class[i].name)))
			return false;
	return true;
}

/*
 * No loaded class has the event, which is a mistake if the class is there. Otherwise a later one may have it, or the event is
 * left out, so that the others are recorded.
 */
int event_later_miss(struct event_making *m, const struct event_later *l, int err, const struct diag *d)
{
	bool others = m->s->events->count > 1 || filter_list_count(m->s->filters, FILTER_TRACE);
	bool may = err == -ENOENT && event_later_may_come(m, l) && (l->can || others) &&
		   !(m->s->patient && (!l->can || l->lacks));

	if (err == -ENOENT && l->preset)
		return 0;
	if (may && l->can && m->s->awaits)
		m->s->awaits(d->text);
	if (may && !l->can && m->s->leaves_out)
		m->s->leaves_out(d->text);
	return may ? 0 : err;
}

/* The first of all fields that share the kind of this value. */
static uint32_t kind_at(const struct event_plan *p, uint32_t type, size_t field)
{
	uint32_t i = 0;

	while (p->method[p->place[i].method].class_name || p->method[p->place[i].method].type != type ||
	       p->place[i].field != field)
		i++;
	return i;
}

static void put_way(struct event_making *m, const struct event_way *w, struct plan_field *f)
{
	f->first = event_plan_steps_put(m);
	f->word = event_plan_put_slice(m, w->word, w->length);
	f->class_name = f->method = f->descriptor = event_plan_put_text(m, "");
	if (w->source == PLAN_STATIC)
		event_plan_put_step(m, PLAN_NOTHING, "", event_plan_put_text(m, ""), "");
	for (const char *at = w->steps; *at; at += at[0] == '.') {
		event_plan_put_step(m, PLAN_FIND, "", event_plan_put_slice(m, at, strcspn(at, ".")), "");
		at += strcspn(at, ".");
	}
	f->steps = event_plan_steps_put(m) - f->first;
	bytes_put(&m->fields, f, sizeof(*f));
}

static int add_way(struct event_making *m, const struct event_spec *e, size_t field, size_t alternative,
		   const struct event_way *w, struct plan_text filter, uint32_t type, struct diag *d)
{
	bool part = event_field_is_computed(&e->field[field]);
	struct plan_field f = {.filter = filter,
			       .source = w->source,
			       .kind = part ? PLAN_TEXT : PLAN_KINDS,
			       .any_kind = part,
			       .type = 'L',
			       .event = m->event,
			       .value = field,
			       .alternative = alternative,
			       .at_begin = e->field[field].at_begin && w->source <= PLAN_THIS && *w->steps,
			       .outermost = m->outermost,
			       .role = m->role};
	int err = event_plan_add_place(m->p, m->role == PLAN_KEPT ? EVENT_PLACE_KEPT : field,
				       e->field[field].difference ? alternative : 0, d);

	if (err)
		return err;
	if (part && m->p->type[type].field[field].kind == PLAN_KINDS)
		m->p->type[type].field[field].kind = PLAN_LONG; /* no loaded class has told of decimals */
	f.kind_at = part ? m->p->places - 1 : kind_at(m->p, type, field);
	if (e->field[field].recall[alternative].is) {
		err = event_kept_of(m, &e->field[field].recall[alternative], &f, d);
		if (err)
			return err;
	}
	put_way(m, w, &f);
	if (event_plan_steps_put(m) - f.first > PLAN_STEPS)
		return diag_usage(d, "event '%s', '%s': it has too many steps", e->name, e->field[field].expression);
	return 0;
}

static int add_ways(struct event_making *m, const struct event_spec *e, size_t field, struct plan_text filter,
		    uint32_t type, struct diag *d)
{
	const struct event_field *f = &e->field[field];
	struct event_way ways[EVENT_WAYS];
	bool loaded;
	int err = 0;

	for (size_t i = 0; !err && i < f->alternatives; i++) {
		uint32_t n = event_value_ways(f->alternative[i], ways, &loaded);

		for (uint32_t w = 0; !err && w < n; w++)
			err = add_way(m, e, field, i, &ways[w], filter, type, d);
	}
	return err;
}

static int add_object_way(struct event_making *m, const struct event_way *w, const struct event_object *o,
			  struct plan_text filter, uint32_t type, bool at_begin, struct diag *d)
{
	struct plan_field f = {.filter = filter,
			       .source = w->source,
			       .kind = PLAN_TEXT,
			       .any_kind = true,
			       .type = 'L',
			       .event = m->event,
			       .value = o->value,
			       .kind_at = m->p->places,
			       .at_begin = at_begin,
			       .role = o->role,
			       .kept_event = type};
	int err = event_plan_add_place(m->p, o->place, 0, d);

	if (!err)
		put_way(m, w, &f);
	return err;
}

/* A constructor has its object only when it ends: it skips the way that reads at the begin, and takes the next one. */
static int event_later_add_object(struct event_making *m, const struct event_object *o, struct plan_text filter,
				  uint32_t type, struct diag *d)
{
	struct event_way ways[EVENT_WAYS];
	bool loaded;
	uint32_t n = event_value_ways(o->expression, ways, &loaded);
	int err = 0;

	for (uint32_t i = 0; !err && i < n; i++) {
		bool begins = o->role != PLAN_KEY && ways[i].source <= PLAN_THIS;

		if (begins)
			err = add_object_way(m, &ways[i], o, filter, type, true, d);
		if (!err && !(begins && ways[i].source == PLAN_PARAMETER))
			err = add_object_way(m, &ways[i], o, filter, type, false, d);
	}
	return err;
}

static int event_later_add_kept(struct event_making *m, const struct event_spec *e, struct plan_text filter,
				uint32_t type, struct diag *d)
{
	const struct event_object key = event_object_key(e);
	int err = event_is_kept(e) ? event_later_add_object(m, &key, filter, type, d) : 0;

	m->role = PLAN_KEPT;
	for (size_t i = 0; !err && i < e->fields; i++)
		if (event_is_kept(e) && e->field[i].kept && !event_field_is_null(&e->field[i]) &&
		    !m->p->type[type].field[i].redacted)
			err = add_ways(m, e, i, filter, type, d);
	m->role = PLAN_VALUE;
	return err;
}

/* The event of all classes that are loaded later. Takes the filter's memory. */
int event_later_add(struct event_making *m, const struct event_spec *e, struct event_later *l, uint32_t type,
		    struct diag *d)
{
	struct event_plan *p = m->p;
	struct event_method new = {.filter = l->filter,
				   .event = m->event,
				   .spec = e,
				   .type = type,
				   .threshold_ns = l->tagged ? l->threshold_ns : MATCHER_NO_THRESHOLD,
				   .outermost = e->outermost,
				   .tagged = l->tagged,
				   .traced = filter_lists_meet(e->filters, m->s->filters)};
	struct plan_text filter = event_plan_put_slice(m, l->filter.program, l->filter.size);
	struct event_object object = event_object_from(e);
	int err = 0;

	if (vec_reserve(&p->method, &p->method_capacity, (size_t)p->methods + 1))
		return event_plan_no_memory(d);
	p->method[p->methods++] = new;
	l->filter.program = NULL;
	if (e->begins)
		return event_later_add_object(m, &object, filter, type, d);
	err = event_plan_add_nesting(m, NULL, filter, new.event, d);
	for (size_t i = 0; !err && i < e->fields; i++) {
		object = event_object_since(e, i);
		if (e->field[i].since)
			err = event_later_add_object(m, &object, filter, type, d);
		else if (!p->type[type].field[i].redacted && !event_field_is_null(&e->field[i]))
			err = add_ways(m, e, i, filter, type, d);
		p->type[type].field[i].nullable = true;
	}
	return err ?: event_later_add_kept(m, e, filter, type, d);
}

/* What loaded classes have told of kinds holds for those that are loaded later. */
void event_later_share_kinds(struct event_making *m)
{
	struct plan_field *f = (struct plan_field *)m->fields.data;
	const struct event_plan *p = m->p;

	for (uint32_t i = 0; i < p->places; i++) {
		const struct event_method *e = &p->method[p->place[i].method];

		if (!e->class_name && f[i].source != PLAN_NESTING && !f[i].any_kind)
			f[i].kind = p->type[e->type].field[f[i].value].kind;
	}
}
