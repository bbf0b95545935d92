/* SPDX-License-Identifier: BSD-2-Clause */
/* What an expression of -e means in a method: where its value begins, the fields on the way, and its kind. */
#ifndef USER_JVM_EVENT_VALUE_H
#define USER_JVM_EVENT_VALUE_H

#include "filters/event_list.h"
#include "filters/plan.h"
#include "format/diag.h"
#include "user/jvm/class_list.h"
#include "user/jvm/matches.h"

struct event_step {
	enum plan_step_kind kind;
	const char *class_name, *name, *descriptor; /* of the list's texts */
};

struct event_value {
	enum plan_source source;
	uint16_t argument, local; /* of a parameter: its number, and its slot */
	char type;
	enum plan_kind kind;
	bool nullable;
	uint32_t steps;
	struct event_step step[PLAN_STEPS];
};

/*
 * The possible meanings of an expression in a class that is loaded later: at most EVENT_WAYS. The first one that a method has
 * applies; the last one means that it has none. `*loaded`: only a loaded class may tell.
 */
#define EVENT_WAYS 3
struct event_way {
	enum plan_source source;
	const char *word; /* of a parameter; not 0-terminated */
	size_t length;
	const char *steps; /* names with dots between them; "": none */
};
uint32_t event_value_ways(const char *expression, struct event_way ways[EVENT_WAYS], bool *loaded);

/*
 * 0, or a usage error with the message, which names what there is instead. -ENOENT, for a patient caller only: the expression
 * may begin with a class that is not loaded yet. `arrays`: they are recorded as the names of their classes instead of refused.
 * `event` is for the message.
 */
int event_value_find(struct event_value *v, struct class_list *l, const struct match *method, const char *expression,
		     bool arrays, const char *event, struct diag *d);

/* "an int", "a text". */
const char *event_kind_name(enum plan_kind kind);

#endif
