// SPDX-License-Identifier: BSD-2-Clause
#include "filters/plan.h"

static bool plan_text_fits(const struct plan *p, const struct plan_text *t)
{
	return t->at <= p->size && t->length <= UINT16_MAX && t->length < p->size - t->at &&
	       !((const char *)p->bytes)[t->at + t->length];
}

static bool plan_field_fits(const struct plan *p, const struct plan_field *f, uint32_t steps)
{
	return plan_text_fits(p, &f->class_name) && plan_text_fits(p, &f->method) &&
	       plan_text_fits(p, &f->descriptor) && f->first <= steps && f->steps <= PLAN_STEPS &&
	       f->steps <= steps - f->first && f->source < PLAN_SOURCES && f->kind < PLAN_KINDS;
}

static bool plan_step_fits(const struct plan *p, const struct plan_step *s)
{
	return plan_text_fits(p, &s->class_name) && plan_text_fits(p, &s->name) && plan_text_fits(p, &s->descriptor) &&
	       s->kind <= PLAN_LENGTH;
}

bool plan_valid(const struct plan *p)
{
	const struct plan_header *h = p->bytes;

	if (p->size < sizeof(*h) || h->magic != PLAN_MAGIC || h->size != p->size || h->fields > PLAN_FIELDS ||
	    h->steps > PLAN_FIELDS * PLAN_STEPS ||
	    sizeof(*h) + h->fields * sizeof(struct plan_field) + h->steps * sizeof(struct plan_step) > p->size)
		return false;
	for (uint32_t i = 0; i < h->fields; i++)
		if (!plan_field_fits(p, plan_field(p, i), h->steps))
			return false;
	for (uint32_t i = 0; i < h->steps; i++)
		if (!plan_step_fits(p, plan_step(p, i)))
			return false;
	return true;
}

static bool plan_same(const struct plan *p, const struct plan_text *t, struct slice other)
{
	return t->length == other.length && !__builtin_memcmp((const char *)p->bytes + t->at, other.at, t->length);
}

bool plan_is_of(const struct plan *p, const struct plan_field *f, struct slice class_name, struct slice method,
		struct slice descriptor)
{
	return plan_same(p, &f->class_name, class_name) && plan_same(p, &f->method, method) &&
	       plan_same(p, &f->descriptor, descriptor);
}
