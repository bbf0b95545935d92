// SPDX-License-Identifier: BSD-2-Clause
/*
 * Outermost events: a call inside another one of the same event makes none. A method's outermost events are noted when it gets
 * its hooks. When the values of a call are read, the thread's open calls say whether it is inside another one: they are in its
 * slot, or in the table for a virtual thread. If some of them are missing and none of the others is of the event, it is unknown.
 */
#include "uprobes/agent/fields/fields_internal.h"
#include "uprobes/agent/recordings.h"
#include "uprobes/agent/virtual_calls.h"

#define METHODS_MEMORY (FRT_MAX_METHODS * sizeof(uint32_t))

bool fields_nesting_begin(struct live_plan *p)
{
	bool any = false;

	for (uint32_t i = 0; i < plan_fields(&p->plan); i++)
		any = any || plan_field(&p->plan, i)->outermost;
	p->outermost = any ? sys_map(METHODS_MEMORY) : NULL;
	return p->outermost || !any;
}

void fields_nesting_end(struct live_plan *p)
{
	if (p->outermost)
		sys_unmap(p->outermost, METHODS_MEMORY);
}

static uint32_t bit_of(const struct plan_field *f)
{
	return 1u << (f->outermost - 1);
}

void fields_nesting_note(const struct live_plan *p, const struct plan_field *f, uint32_t method)
{
	if (f->outermost && method < FRT_MAX_METHODS)
		__atomic_fetch_or(&p->outermost[method], bit_of(f), __ATOMIC_RELAXED);
}

struct nesting_question {
	const struct live_plan *p;
	const struct plan_field *f;
};

static bool is_call_of(const void *context, uint32_t method, uint64_t start)
{
	const struct nesting_question *q = context;

	return method < FRT_MAX_METHODS && load_relaxed(&q->p->outermost[method]) & bit_of(q->f) &&
	       start >= load_relaxed(&recordings_since[q->p->recording]);
}

/* `own`: how many of the open calls are the one that is asked about: the innermost one. */
static enum plan_nesting ask_platform(const struct nesting_question *q, const struct frt_slot *s, uint32_t own)
{
	uint32_t outer = s->depth - own, kept = outer < FRT_OPEN_CALLS ? outer : FRT_OPEN_CALLS;

	if (s->depth < own)
		return PLAN_NESTING_UNKNOWN;
	for (uint32_t i = 0; i < kept; i++)
		if (is_call_of(q, s->open[i].method, s->open[i].start))
			return PLAN_INNER;
	return outer == kept ? PLAN_IS_OUTERMOST : PLAN_NESTING_UNKNOWN;
}

static enum plan_nesting ask_virtual(JNIEnv *env, const struct nesting_question *q, const struct frt_slot *s,
				     uint32_t own)
{
	const struct frt_carrier *c = &s->carrier;
	uint32_t count, kept = virtual_calls_count(s, env, is_call_of, q, &count);
	bool followed = c->java_id && (own || c->followed);

	if (count > own)
		return PLAN_INNER;
	return followed && (c->depth == kept || c->depth == own) ? PLAN_IS_OUTERMOST : PLAN_NESTING_UNKNOWN;
}

enum plan_nesting fields_nesting_ask(JNIEnv *env, const struct live_plan *p, const struct plan_field *f,
				     const struct frt_slot *s, bool begins)
{
	const struct nesting_question q = {p, f};

	if (!f->outermost)
		return PLAN_IS_OUTERMOST;
	return s->flags & FRT_SLOT_CARRIER ? ask_virtual(env, &q, s, begins) : ask_platform(&q, s, begins);
}
