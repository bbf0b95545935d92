// SPDX-License-Identifier: BSD-2-Clause
#include "filters/plan.h"

#define ACC_SYNTHETIC 0x1000u

static bool plan_text_fits(const struct plan *p, const struct plan_text *t)
{
	return t->at <= p->size && t->length <= UINT16_MAX && t->length < p->size - t->at &&
	       !((const char *)p->bytes)[t->at + t->length];
}

static bool plan_filter_fits(const struct plan *p, const struct plan_field *f)
{
	struct matcher filter = plan_filter(p, f);

	return !plan_is_late(f) || (plan_text_fits(p, &f->filter) && matcher_valid(&filter));
}

static bool plan_field_fits(const struct plan *p, const struct plan_field *f, uint32_t steps)
{
	return plan_text_fits(p, &f->class_name) && plan_text_fits(p, &f->method) &&
	       plan_text_fits(p, &f->descriptor) && plan_text_fits(p, &f->word) && plan_filter_fits(p, f) &&
	       f->first <= steps && f->steps <= PLAN_STEPS && f->steps <= steps - f->first &&
	       f->source < PLAN_SOURCES && f->outermost <= PLAN_OUTERMOST && f->kind_at < plan_fields(p) &&
	       f->role < PLAN_ROLES && (f->kind < PLAN_KINDS || (plan_is_late(f) && f->kind == PLAN_KINDS));
}

static bool plan_step_fits(const struct plan *p, const struct plan_step *s)
{
	return plan_text_fits(p, &s->class_name) && plan_text_fits(p, &s->name) && plan_text_fits(p, &s->descriptor) &&
	       s->kind <= PLAN_NOTHING;
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

bool plan_filter_takes(const struct matcher *filter, struct slice class_name, struct slice method,
		       struct slice descriptor, uint16_t access, uint64_t *threshold_ns)
{
	const struct matcher_method m = {.class_name = class_name,
					 .name = method,
					 .descriptor = descriptor,
					 .synthetic = access & ACC_SYNTHETIC};
	struct matcher_decision v = matcher_decide(filter, &m);

	if (threshold_ns)
		*threshold_ns = v.threshold_ns;
	return v.trace;
}

enum plan_kind plan_kind_of(struct slice type)
{
	static const char primitives[] = "ZBCSIJFD";
	static const char *const boxes[] = {"Ljava/lang/Boolean;", "Ljava/lang/Byte;",	  "Ljava/lang/Character;",
					    "Ljava/lang/Short;",   "Ljava/lang/Integer;", "Ljava/lang/Long;",
					    "Ljava/lang/Float;",   "Ljava/lang/Double;"};

	for (int i = 0; i < 8; i++)
		if (slice_is(type, boxes[i]) || (type.length == 1 && type.at[0] == primitives[i]))
			return i;
	return slice_is(type, "Ljava/lang/Class;") ? PLAN_CLASS : PLAN_TEXT;
}

int plan_argument_number(struct slice word)
{
	int n = 0;

	if (word.length < 4 || word.length > 6 || !slice_begins(word, "arg"))
		return -1;
	for (size_t i = 3; i < word.length; i++) {
		if (word.at[i] < '0' || word.at[i] > '9')
			return -1;
		n = 10 * n + (word.at[i] - '0');
	}
	return n;
}

bool plan_has_length(struct slice type)
{
	return slice_begins(type, "[") || slice_is(type, "Ljava/lang/String;");
}
