// SPDX-License-Identifier: BSD-2-Clause
#include "user/jvm/event_plan_internal.h"
#include "filters/redact.h"
#include "filters/suggest.h"
#include "format/vec.h"
#include "user/jvm/matches.h"
#include "user/text/skip_reason.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define PAUSE_US 20000

void event_plan_release(struct event_plan *p)
{
	for (uint32_t i = 0; i < p->types; i++)
		free(p->type[i].field);
	for (uint32_t i = 0; i < p->methods; i++)
		free((void *)p->method[i].filter.program);
	free(p->type);
	free(p->method);
	free(p->place);
	bytes_release(&p->bytes);
	method_table_release(&p->texts);
	*p = (struct event_plan){.types = 0};
}

/* ---- the methods of filters */

static void offer_near(const char *class_name, const char *method, void *context)
{
	suggest_offer(context, class_name, method);
}

/* `near` gets names if nothing matches; NULL: they are not wanted. */
static int find_matches(const struct event_making *m, const struct filter_list *filters, struct suggest *near,
			struct matches *out, struct diag *d)
{
	const struct matches_setup setup = {.layout = m->s->layout,
					    .mem = m->s->mem,
					    .jdk_version = m->s->jdk_version,
					    .pause_us = PAUSE_US,
					    .near = near ? offer_near : NULL,
					    .context = near};

	return matches_find_by(out, setup, filters, d);
}

static int order_methods(const struct resolved_method *a, const struct resolved_method *b)
{
	return strcmp(a->class_name, b->class_name) ?: strcmp(a->name, b->name) ?: strcmp(a->descriptor, b->descriptor);
}

/* Does -m record the method, too? */
static const struct match *match_of(const struct matches *traced, const struct resolved_method *r)
{
	for (uint32_t i = matches_first(traced, r->class_name, r->name); i < traced->count; i++) {
		const struct match *t = &traced->match[i];

		if (strcmp(t->method->name, r->name) || strcmp(t->method->class_name, r->class_name))
			break;
		if (!order_methods(t->method, r))
			return t->verdict.trace ? t : NULL;
	}
	return NULL;
}

/* ---- types */

int event_plan_type_of(struct event_making *m, const struct event_spec *e, uint32_t *type, struct diag *d)
{
	struct event_plan *p = m->p;

	for (*type = 0; *type < p->types; ++*type)
		if (strcmp(p->type[*type].spec->name, e->name) == 0)
			return 0;
	if (vec_reserve(&p->type, &p->type_capacity, (size_t)p->types + 1))
		return event_plan_no_memory(d);
	p->type[p->types] =
		(struct event_type){.spec = e, .field = calloc(e->fields + 1, sizeof(struct event_type_field))};
	if (!p->type[p->types++].field)
		return event_plan_no_memory(d);
	for (size_t i = 0; i < e->fields; i++)
		p->type[*type].field[i].redacted =
			!e->field[i].since && (redact_matches(m->s->redact, e->field[i].name) ||
					       redact_matches(m->s->redact, e->field[i].expression));
	for (size_t i = 0; i < e->fields; i++)
		p->type[*type].field[i].kind = e->field[i].since		 ? PLAN_TEXT
					       : e->field[i].unit == EVENT_WHOLE ? PLAN_LONG
										 : PLAN_KINDS; /* not known yet */
	return 0;
}

/* All methods of an event give a field the same kind. */
static int agree(struct event_type *t, size_t field, const struct event_value *v, const struct event_spec *e,
		 const struct resolved_method *r, struct diag *d)
{
	struct event_type_field *f = &t->field[field];

	if (f->kind != PLAN_KINDS && f->kind != v->kind)
		return diag_usage(
			d,
			"field '%s' of event '%s' is %s in '%s' and something else in other methods: give the "
			"methods events of their own",
			e->field[field].name, e->name, event_kind_name(v->kind), r->name);
	f->kind = v->kind;
	f->nullable |= v->nullable;
	return 0;
}

int event_plan_add_place(struct event_plan *p, size_t field, size_t part, struct diag *d)
{
	if (p->places == PLAN_FIELDS)
		return diag_usage(d, "too many values: all methods of all events have more than %u", PLAN_FIELDS);
	if (vec_reserve(&p->place, &p->place_capacity, (size_t)p->places + 1))
		return event_plan_no_memory(d);
	p->place[p->places++] = (struct event_place){p->methods - 1, field, part};
	return 0;
}

/* A parameter itself is of the call's begin in any case. */
static bool begins(const struct event_spec *e, size_t field, const struct event_value *v)
{
	return e->field[field].at_begin && v->steps;
}

static int check_read_early(const struct event_spec *e, size_t field, const struct event_value *v,
			    const struct resolved_method *r, struct diag *d)
{
	const char *why = NULL;

	if (!begins(e, field, v))
		return 0;
	if (v->source != PLAN_PARAMETER && v->source != PLAN_THIS)
		why = "it is read from a parameter or this then";
	else if (v->source == PLAN_THIS && !strcmp(r->name, "<init>"))
		why = "the object of a constructor has nothing then";
	else if (v->step[v->steps - 1].kind == PLAN_LENGTH ||
		 (v->step[v->steps - 1].kind == PLAN_GET && !strchr("[L", v->step[v->steps - 1].descriptor[0])))
		why = "only objects are kept until the call ends";
	return why ? diag_usage(d, "event '%s', '%s@begin=%s': %s", e->name, e->field[field].name,
				e->field[field].expression, why)
		   : 0;
}

/* What a part of a difference, or EVENT_WHOLE, is to its field: a whole or a decimal number. The agent reads it as what it is. */
static int make_part(struct event_value *v, struct event_value *field, const struct event_spec *e, size_t number,
		     struct diag *d)
{
	bool none = v->kind == PLAN_BOOLEAN || v->kind == PLAN_CLASS;

	*field = *v;
	field->nullable = true;
	field->kind = e->field[number].difference && (v->kind == PLAN_FLOAT || v->kind == PLAN_DOUBLE) ? PLAN_DOUBLE
												       : PLAN_LONG;
	v->kind = PLAN_TEXT;
	return none ? diag_usage(d, "event '%s', '%s': it is no %s", e->name, e->field[number].expression,
				 e->field[number].difference ? "difference of numbers or times" : "number")
		    : 0;
}

static int add_found(struct event_making *m, const struct event_spec *e, size_t field, size_t alternative,
		     struct event_value *v, const struct match *match, uint32_t type, struct diag *d)
{
	const bool difference = e->field[field].difference;
	struct event_value of_field = *v;
	struct event_plan *p = m->p;
	int err = check_read_early(e, field, v, match->method, d);

	if (!err && event_field_is_computed(&e->field[field]))
		err = make_part(v, &of_field, e, field, d);
	err = err ?: agree(&p->type[type], field, &of_field, e, match->method, d);
	if (err || p->type[type].field[field].redacted)
		return err;
	err = event_plan_add_place(p, m->role == PLAN_KEPT ? EVENT_PLACE_KEPT : field, difference ? alternative : 0, d);
	return err
		       ?: event_plan_put_field(m, match->method, v, p->method[p->methods - 1].event, field,
					       begins(e, field, v), d);
}

/* Is a value looked for in each object's class, so that it may not be there? */
static bool value_is_doubtful(const struct event_value *v)
{
	for (uint32_t i = 0; i < v->steps; i++)
		if (v->step[i].kind == PLAN_FIND)
			return true;
	return false;
}

/* Add the alternatives that the method has, up to the first one that its objects have for certain. */
static int add_value(struct event_making *m, const struct event_spec *e, size_t field, const struct match *match,
		     uint32_t type, struct diag *d)
{
	const struct event_field *f = &e->field[field];
	struct event_value v = {.steps = 0};
	struct event_object object;
	bool found = false, awaited = false;
	struct diag first;
	int err = 0;

	if (f->since) {
		object = event_object_since(e, field);
		return event_kept_add_object(m, e, match, type, &object, d);
	}
	if (event_field_is_null(f)) {
		m->p->type[type].field[field].nullable = true;
		return 0;
	}
	for (size_t i = 0; !err && i < f->alternatives; i++) {
		err = event_value_find(&v, &m->classes, match, f->alternative[i], f->any_object, e->name, d);
		if (!i)
			first = *d;
		found = found || !err;
		awaited = awaited || err == -ENOENT;
		err = err == -ENOENT ? -EINVAL : err;
		if (err == -EINVAL && !f->difference && (found || i + 1 < f->alternatives)) {
			err = 0;
			continue;
		}
		if (err == -EINVAL && !f->difference)
			*d = first;
		err = err ?: event_kept_recall(m, e, field, i, &v, d) ?: add_found(m, e, field, i, &v, match, type, d);
		if (!f->difference && !f->recall[i].is && !value_is_doubtful(&v))
			break;
	}
	if (err != -EINVAL || !e->preset)
		return err == -EINVAL && awaited && (f->difference || !found) ? -ENOENT : err;
	m->p->type[type].field[field].nullable = true; /* another version of the library has no such field */
	if (m->s->doubts)
		m->s->doubts(d->text);
	return 0;
}

static const char *plan_keep(struct event_making *m, const char *text)
{
	return method_table_text(&m->p->texts, text, strlen(text));
}

/* The field that tells that a call is an event. Without a method it is one of a filter. */
int event_plan_add_nesting(struct event_making *m, const struct resolved_method *r, struct plan_text filter,
			   uint32_t event, struct diag *d)
{
	bool wanted = m->outermost || m->p->method[m->p->methods - 1].tagged;
	int err = wanted ? event_plan_add_place(m->p, EVENT_PLACE_NESTING, 0, d) : 0;
	struct plan_field f = {.class_name = event_plan_put_text(m, r ? r->class_name : ""),
			       .method = event_plan_put_text(m, r ? r->name : ""),
			       .descriptor = event_plan_put_text(m, r ? r->descriptor : ""),
			       .filter = r ? event_plan_put_text(m, "") : filter,
			       .word = event_plan_put_text(m, ""),
			       .first = event_plan_steps_put(m),
			       .source = PLAN_NESTING,
			       .kind = PLAN_INT,
			       .type = 'L',
			       .event = event,
			       .value = UINT16_MAX,
			       .kind_at = m->p->places - 1,
			       .outermost = m->outermost};

	if (wanted && !err)
		bytes_put(&m->fields, &f, sizeof(f));
	return err;
}

static int plan_add_method(struct event_making *m, const struct event_spec *e, const struct match *match, uint32_t type,
			   const struct matches *traced, struct diag *d)
{
	const struct resolved_method *r = match->method;
	const struct match *also = traced ? match_of(traced, r) : NULL;
	const struct event_object from = event_object_from(e), key = event_object_key(e);
	struct event_plan *p = m->p;
	struct event_method new = {.class_name = plan_keep(m, r->class_name),
				   .name = plan_keep(m, r->name),
				   .descriptor = plan_keep(m, r->descriptor),
				   .event = m->event,
				   .spec = e,
				   .type = type,
				   .threshold_ns = match->verdict.threshold_ns,
				   .outermost = e->outermost,
				   .traced = also,
				   .trace_ns = also ? also->verdict.threshold_ns : MATCHER_NO_THRESHOLD};
	int err = 0;

	if (!new.class_name || !new.name || !new.descriptor ||
	    vec_reserve(&p->method, &p->method_capacity, (size_t)p->methods + 1))
		return event_plan_no_memory(d);
	p->method[p->methods++] = new;
	if (e->begins)
		return event_kept_add_object(m, e, match, type, &from, d);
	err = event_plan_add_nesting(m, r, (struct plan_text){0, 0}, new.event, d);
	for (size_t i = 0; !err && i < e->fields; i++)
		err = add_value(m, e, i, match, type, d);
	if (!event_is_kept(e))
		return err;
	err = err ?: event_kept_add_object(m, e, match, type, &key, d);
	m->role = PLAN_KEPT;
	for (size_t i = 0; !err && i < e->fields; i++)
		if (e->field[i].kept)
			err = add_value(m, e, i, match, type, d);
	m->role = PLAN_VALUE;
	return err;
}

/* The same method in a class of another loader has the same plan. */
static bool is_again(const struct matches *found, uint32_t i)
{
	return i && !order_methods(found->match[i].method, found->match[i - 1].method);
}

/* What has code matches nothing. */
static int nothing_matches(const struct event_making *m, const struct event_spec *e, const struct matches *found,
			   const struct suggest *near, struct diag *d)
{
	const struct match *match = found->match;
	char names[400] = "";
	const char *name;

	if (found->count && match_is_traced_native(match))
		return diag_set(d, ENOENT, "event '%s': '%s' is native: -m traces it, without values", e->name,
				e->text);
	if (found->count)
		return diag_set(d, ENOENT, "event '%s': '%s' gets no events: %s", e->name, e->text,
				skip_reason(match->reason));
	for (size_t i = 0; near && (name = suggest_best(near, i)); i++)
		snprintf(names + strlen(names), sizeof(names) - strlen(names), "%s'%s'",
			 i ? ", " : "; loaded and near: ", name);
	return diag_set(d, ENOENT, "event '%s': no method of a loaded class matches '%s'%s", e->name, e->text, names);
}

static int plan_add_calls(struct event_making *m, const struct event_spec *e, const struct matches *traced,
			  struct diag *d)
{
	struct suggest *near = m->s->suggest ? suggest_new(e->filters) : NULL;
	struct matches found = {.count = 0};
	struct event_later later = {.lacks = false};
	uint32_t type, methods = 0;
	bool absent; /* as most presets */
	int err = event_plan_type_of(m, e, &type, d) ?: event_later_find(&later, e, &m->p->type[type], d);

	absent = !err && e->preset && !matcher_any_class(&later.filter) && event_later_may_come(m, &later);
	if (!err && !absent)
		err = find_matches(m, e->filters, near, &found, d);
	m->outermost = e->outermost ? ++m->outermost_events : 0;
	if (m->outermost_events > PLAN_OUTERMOST)
		err = err ?: diag_usage(d, "more than %u events are 'outermost'", PLAN_OUTERMOST);
	for (uint32_t i = 0; !err && i < found.count; i++) {
		if (!match_is_traced(&found.match[i]) || is_again(&found, i))
			continue;
		err = plan_add_method(m, e, &found.match[i], type, traced, d);
		methods++;
	}
	if (!err && !methods) {
		err = nothing_matches(m, e, &found, near, d);
		err = event_later_miss(m, &later, err, d);
	}
	if (!err && later.can)
		err = event_later_add(m, e, &later, type, d);
	free((void *)later.filter.program);
	matches_release(&found);
	suggest_free(near);
	return err;
}

static int plan_add_event(struct event_making *m, size_t event, const struct matches *traced, struct diag *d)
{
	const struct event_spec *e = &m->s->events->event[event];
	uint32_t type;
	int err = event_plan_type_of(m, e, &type, d);

	m->event = m->s->events->count + event;
	if (!err && e->from)
		err = plan_add_calls(m, e->from, traced, d);
	m->event = event;
	return err ?: plan_add_calls(m, e, traced, d);
}

/* Is it of an event that stands for no call? */
static bool method_is_between(const struct event_method *e)
{
	return e->spec->from || e->spec->begins;
}

static bool same_traced(const struct event_method *a, const struct event_method *b)
{
	return a->name == b->name && a->class_name == b->class_name && a->descriptor == b->descriptor;
}

/* Is the method in another event, or may it be? The texts are the table's, so that equal ones are the same. */
static bool is_shared(const struct event_plan *p, uint32_t i)
{
	const struct event_method *e = &p->method[i];

	for (uint32_t n = 0; n < p->methods; n++) {
		const struct event_method *o = &p->method[n];

		if (n == i || !e->class_name != !o->class_name ||
		    (e->spec->begins ? o->spec->begins : method_is_between(o)))
			continue;
		if (e->class_name ? same_traced(e, o)
				  : (e->type != o->type || e->spec->begins) &&
					    filter_lists_meet(e->spec->filters, o->spec->filters))
			return true;
	}
	return false;
}

/*
 * Readers must find each call once. So events stand for calls if none of them is recorded otherwise: if -m has a method of
 * a type, or two types have one method, the calls of all methods of these types are recorded as jdk.MethodTrace, too.
 */
static void decide_calls(struct event_plan *p)
{
	for (uint32_t i = 0; i < p->types; i++)
		p->type[i].calls = !p->type[i].spec->from;
	for (uint32_t i = 0; i < p->methods; i++)
		if (!method_is_between(&p->method[i]) && (p->method[i].traced || is_shared(p, i)))
			p->type[p->method[i].type].calls = false;
	for (uint32_t i = 0; i < p->methods; i++) {
		struct event_method *e = &p->method[i];

		if (method_is_between(e)) {
			e->alone = e->spec->begins && !e->traced && !is_shared(p, i);
			e->trace_ns = e->class_name ? e->trace_ns : 0;
			continue;
		}
		if (p->type[e->type].calls || (e->traced && e->class_name))
			continue;
		e->traced = true;
		e->trace_ns = e->class_name ? e->threshold_ns : 0; /* a filter of -m may have any threshold */
	}
}

static int make_plan(struct event_making *m, size_t *event, struct diag *d)
{
	const struct event_plan_setup *s = m->s;
	bool any = filter_list_count(s->filters, FILTER_TRACE);
	struct matches traced = {.count = 0};
	int err = class_list_read(&m->classes, s->layout, s->mem, d);

	m->classes.doubts = s->doubts;
	m->classes.patient = s->patient;
	if (!err && any)
		err = find_matches(m, s->filters, NULL, &traced, d);
	for (*event = 0; !err && *event < s->events->count; ++*event)
		err = plan_add_event(m, *event, any ? &traced : NULL, d);
	if (!err && !m->p->methods && !any && !filter_list_count(s->filters, FILTER_TIMING))
		err = -ENOENT; /* nothing is left; the message is there */
	if (err)
		--*event;
	matches_release(&traced);
	if (!err)
		decide_calls(m->p);
	if (!err && !m->fields.failed)
		event_later_share_kinds(m);
	return err ?: event_plan_join(m, d);
}

int event_plan_make(struct event_plan *p, const struct event_plan_setup *setup, size_t *event, struct diag *d)
{
	struct event_making m = {.p = p, .s = setup};
	int err;

	*p = (struct event_plan){.types = 0};
	err = make_plan(&m, event, d);
	class_list_release(&m.classes);
	bytes_release(&m.fields);
	bytes_release(&m.steps);
	bytes_release(&m.texts);
	if (err)
		event_plan_release(p);
	return err;
}
