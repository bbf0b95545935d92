// SPDX-License-Identifier: BSD-2-Clause
#include "uprobes/agent/fields/fields_internal.h"

static bool capture_of(const struct plan_field *f, bool constructor, struct capture *c)
{
	c->type = f->type;
	c->local = f->local;
	c->begins = f->at_begin;
	switch (f->source) {
	case PLAN_PARAMETER: c->source = CAPTURE_LOCAL; break;
	case PLAN_THIS:
		c->source = constructor ? CAPTURE_THIS : CAPTURE_LOCAL;
		c->type = 'L';
		c->local = 0;
		break;
	case PLAN_RETURN: c->source = CAPTURE_RETURN; break;
	case PLAN_EXCEPTION: c->source = CAPTURE_THROWN; break;
	default: c->source = CAPTURE_NOTHING; break;
	}
	return c->type == 'I' || c->type == 'J' || c->type == 'F' || c->type == 'D' || c->type == 'L';
}

static bool capture_planned(const struct live_plan *p, uint32_t i, const struct fields_method *m, struct capture *c)
{
	const struct plan_field *f = plan_field(&p->plan, i);

	return plan_is_of(&p->plan, f, m->file->name, m->method->name, m->method->descriptor) &&
	       fields_static_is_meant(p, i, m->loader) && capture_of(f, slice_is(m->method->name, "<init>"), c);
}

static uint32_t captures_for(struct live_plan *p, bool for_later, const struct fields_method *m, struct capture *to,
			     uint32_t room)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < plan_fields(&p->plan) && n < room; i++) {
		const struct plan_field *f = plan_field(&p->plan, i);

		if (plan_is_late(f) || plan_is_for_later(f) != for_later || !capture_planned(p, i, m, &to[n]))
			continue;
		if (for_later && to[n].source == CAPTURE_THROWN)
			continue; /* no such exit keeps anything */
		fields_nesting_note(p, f, m->id);
		to[n].always = for_later ? p->always : 0;
		to[n++].number = FRT_FIELD_NUMBER(p->recording, i);
	}
	return n + fields_late_captures(p->recording, p, for_later, m, to + n, room - n);
}

/* Mark the last capture of each event. All of one event stand together, behind that of the object. */
static void mark_last(struct capture *c, uint32_t n, const struct live_plan *p)
{
	for (uint32_t i = 0; i < n; i++)
		if (i + 1 == n || plan_is_key(plan_field(&p->plan, FRT_FIELD_INDEX(c[i + 1].number))))
			c[i].number |= CAPTURE_LAST;
}

uint32_t fields_plan_captures(struct live_plan *p, bool for_later, const struct fields_method *m, struct capture *to,
			      uint32_t room)
{
	uint32_t n = captures_for(p, for_later, m, to, room);

	if (for_later)
		mark_last(to, n, p);
	return n;
}
