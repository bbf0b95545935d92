/* SPDX-License-Identifier: BSD-2-Clause */
/* A plan while it is made. For the modules event_plan*.c only. */
#ifndef USER_JVM_EVENT_PLAN_INTERNAL_H
#define USER_JVM_EVENT_PLAN_INTERNAL_H

#include "user/jvm/event_plan.h"
#include "user/jvm/event_value.h"

struct event_making {
	struct event_plan *p;
	const struct event_plan_setup *s;
	struct class_list classes;
	struct bytes fields, steps, texts; /* offsets of texts are relative to `texts` until the end */
	uint8_t outermost;		   /* of the event at hand, as in plan_field */
	uint32_t outermost_events;
};

int event_plan_no_memory(struct diag *d);

/* A text of the plan, and one that ends with a zero byte. */
struct plan_text event_plan_put_slice(struct event_making *m, const void *bytes, size_t size);
struct plan_text event_plan_put_text(struct event_making *m, const char *text);

/* A step of the field that is put next. */
void event_plan_put_step(struct event_making *m, enum plan_step_kind kind, const char *class_name,
			 struct plan_text name, const char *descriptor);

/* The number of steps so far. */
uint32_t event_plan_steps_put(const struct event_making *m);

/* A value of a method, with its steps, at the last place. */
void event_plan_put_field(struct event_making *m, const struct resolved_method *r, const struct event_value *v,
			  uint32_t event, uint32_t value, bool at_begin);

/* Put all together; see filters/plan.h. */
int event_plan_join(struct event_making *m, struct diag *d);

#endif
