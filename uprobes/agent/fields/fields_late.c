// SPDX-License-Identifier: BSD-2-Clause
/*
 * A class that is loaded while a recording runs: what the events of -e mean in it, from its class file alone. The JVM does not
 * have the class yet, and those above it may not be loaded.
 */
#include "filters/policy.h"
#include "uprobes/agent/fields/fields_internal.h"

static char type_of_local(struct slice type)
{
	switch (type.at[0]) {
	case 'J':
	case 'F':
	case 'D': return type.at[0];
	case 'L':
	case '[': return 'L';
	default: return 'I';
	}
}

static bool find_parameter(const struct plan *p, const struct plan_field *f, const struct fields_method *m,
			   struct capture *c, struct slice *type)
{
	struct slice word = plan_text(p, &f->word);
	int n = class_parameter_named(m->file, m->method, word);

	n = n < 0 ? plan_argument_number(word) : n;
	return n >= 0 && class_parameter(m->method, n, type, &c->local);
}

struct slice fields_returned_type(struct slice descriptor)
{
	while (descriptor.length && *descriptor.at++ != ')')
		descriptor.length--;
	descriptor.length -= descriptor.length != 0;
	return descriptor;
}

/* Where the value begins in the method, and its type; that of `this` stays empty. False: the method has no such thing. */
static bool find_beginning(const struct plan *p, const struct plan_field *f, const struct fields_method *m,
			   struct capture *c, struct slice *type)
{
	*c = (struct capture){.source = CAPTURE_NOTHING, .type = 'L'};
	*type = (struct slice){"", 0};
	switch (f->source) {
	case PLAN_PARAMETER:
		if (!find_parameter(p, f, m, c, type))
			return false;
		c->source = CAPTURE_LOCAL;
		break;
	case PLAN_THIS:
		c->source = slice_is(m->method->name, "<init>") ? CAPTURE_THIS : CAPTURE_LOCAL;
		return !(m->method->access & CLASS_STATIC) && !(f->at_begin && c->source == CAPTURE_THIS);
	case PLAN_RETURN:
		c->source = CAPTURE_RETURN;
		*type = fields_returned_type(m->method->descriptor);
		if (!type->length || type->at[0] == 'V')
			return false;
		break;
	case PLAN_EXCEPTION: c->source = CAPTURE_THROWN; return true;
	default: return true;
	}
	c->type = type_of_local(*type);
	return c->type == 'L' || !f->steps;
}

/* PLAN_KINDS: the class file does not tell. */
static enum plan_kind kind_in_file(const struct plan *p, const struct plan_field *f, const struct fields_method *m,
				   struct slice type)
{
	uint32_t i = f->first, end = f->first + f->steps;
	uint16_t access;

	if (f->source == PLAN_STATIC || (f->source == PLAN_EXCEPTION && f->steps))
		return PLAN_KINDS;
	if (f->source == PLAN_EXCEPTION)
		return PLAN_CLASS;
	if (f->source == PLAN_THIS && i < end) {
		if (!class_find_field(m->file, plan_text(p, &plan_step(p, i)->name), &access, &type))
			return PLAN_KINDS;
		i++;
	}
	if (i + 1 == end && slice_is(plan_text(p, &plan_step(p, i)->name), "length") && plan_has_length(type))
		return PLAN_INT;
	return i < end ? PLAN_KINDS : plan_kind_of(type);
}

/* The first class whose file tells the kind of a value decides for all. False: for this one it would be another. */
static bool agree_on_kind(struct live_plan *p, uint32_t i, enum plan_kind kind)
{
	uint32_t at = plan_field(&p->plan, i)->kind_at;
	uint16_t known = PLAN_KINDS, decided = kind == PLAN_KINDS ? PLAN_TEXT : kind;

	if (!__atomic_compare_exchange_n((uint16_t *)&plan_field(&p->plan, at)->kind, &known, decided, false,
					 __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		decided = known;
	store_release((uint16_t *)&plan_field(&p->shared, at)->kind, decided);
	return kind == PLAN_KINDS || kind == decided;
}

/* Does the plan know the method, so that fields for classes that are loaded later do not apply? */
static bool is_planned(const struct plan *p, const struct plan_field *of, const struct fields_method *m)
{
	for (uint32_t i = 0; i < plan_fields(p); i++) {
		const struct plan_field *f = plan_field(p, i);

		if (!plan_is_late(f) && f->event == of->event &&
		    plan_is_of(p, f, m->file->name, m->method->name, m->method->descriptor))
			return true;
	}
	return false;
}

/* The recording's filters have those of the plan, and with them what the JVM has told of the class. */
static bool is_taken(const struct live_plan *p, const struct plan_field *f, const struct fields_method *m)
{
	struct matcher filter = plan_filter(&p->plan, f);
	struct matcher_tags tags = {.count = 0};
	enum frt_skip_reason reason;

	if (m->tags)
		matcher_tag_again(&filter, &m->pattern[p->recording], &m->tags[p->recording], &tags);
	return policy_method(&filter, m->file, m->method, &tags, &reason).trace && !is_planned(&p->plan, f, m);
}

uint32_t fields_late_captures(uint32_t recording, struct live_plan *p, bool for_later, const struct fields_method *m,
			      struct capture *to, uint32_t room)
{
	const struct plan_field *taken = NULL, *refused = NULL, *asked = NULL;
	bool wanted = false;
	struct slice type;
	uint32_t n = 0;

	for (uint32_t i = 0; i < plan_fields(&p->plan) && n < room; i++) {
		const struct plan_field *f = plan_field(&p->plan, i);

		if (!plan_is_late(f) || plan_is_for_later(f) != for_later)
			continue;
		if (!asked || asked->event != f->event)
			wanted = is_taken(p, f, m);
		asked = f;
		if (!wanted || (taken && plan_same_value(taken, f)))
			continue;
		/* What is there, but of another kind, is what the name means: nothing else is read instead. */
		if (refused && plan_same_value(refused, f) && f->source != PLAN_STATIC)
			continue;
		if (!find_beginning(&p->plan, f, m, &to[n], &type))
			continue;
		if ((plan_needs_object(f) && to[n].type != 'L') || (for_later && to[n].source == CAPTURE_THROWN))
			continue; /* no object, or no exit that keeps anything */
		if (f->source < PLAN_STATIC && !f->any_kind &&
		    !agree_on_kind(p, i, kind_in_file(&p->plan, f, m, type))) {
			refused = f;
			continue;
		}
		taken = f;
		fields_nesting_note(p, f, m->id);
		to[n].begins = f->at_begin;
		to[n].always = for_later ? p->always : 0;
		to[n++].number = FRT_FIELD_NUMBER(recording, i);
	}
	return n;
}
