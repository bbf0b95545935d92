/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the events of -e mean in a JVM: their methods, and for each field where its value is and what it is. All is read
 * from the JVM's memory; the JVM is not changed.
 */
#ifndef USER_JVM_EVENT_PLAN_H
#define USER_JVM_EVENT_PLAN_H

#include "filters/event_list.h"
#include "filters/matcher.h"
#include "filters/plan.h"
#include "format/bytes.h"
#include "user/hotspot/layout.h"
#include "user/hotspot/method_table.h"

struct event_type_field {
	enum plan_kind kind;
	bool redacted; /* its value is not read */
	bool nullable; /* there may be none, besides a null text */
};

/* The events of one name. */
struct event_type {
	const struct event_spec *spec;	/* the first one of that name */
	struct event_type_field *field; /* spec->fields of them */
	bool calls;			/* its events stand for the calls: jdk.MethodTrace has none of them */
};

/* One event of one method, or of those that its filter selects in classes that are loaded later: then there are no names. */
struct event_method {
	const char *class_name, *name, *descriptor;
	struct matcher filter; /* its memory belongs to the plan */
	uint32_t event;	       /* number in the list */
	const struct event_spec *spec;
	uint32_t type;
	uint64_t threshold_ns; /* MATCHER_NO_THRESHOLD: the recording's */
	bool outermost;	       /* a call within another one of the event is none */
	bool tagged;	       /* only the agent knows which methods it selects, and marks their calls */
	bool traced;	       /* the calls are recorded as jdk.MethodTrace, too, */
	uint64_t trace_ns;     /* with this threshold */
	bool alone;	       /* with spec->begins: nothing else records its calls */
};

#define EVENT_PLACE_NESTING UINT32_MAX
#define EVENT_PLACE_KEPT    (UINT32_MAX - 1)

/* A field of the plan. */
struct event_place {
	uint32_t method; /* of event_plan.method */
	uint32_t field; /* of its event; or EVENT_PLACE_NESTING: a plan_nesting; or EVENT_PLACE_KEPT: for later calls */
	uint32_t part;	/* of a difference: 1 if it is subtracted */
};

struct event_plan {
	struct bytes bytes; /* for the agent (filters/plan.h) */
	struct event_type *type;
	struct event_method *method;
	struct event_place *place;
	uint32_t types, methods, places;
	size_t type_capacity, method_capacity, place_capacity;
	struct method_table texts;
};

struct event_plan_setup {
	const struct event_list *events;
	const struct filter_list *filters; /* -m, -x */
	const struct hotspot_layout *layout;
	const struct mem *mem;
	unsigned int jdk_version;
	uint32_t text;	    /* characters of a text that are kept */
	const char *redact; /* filters/redact.h */
	bool suggest;	    /* the message about a filter that matches nothing names what is near */
	/*
	 * The caller comes again after -ENOENT. So there is no plan as long as classes are missing without which an event or a
	 * value would be left out.
	 */
	bool patient;
	/* Called with a message for an event that no loaded class has. May be NULL. */
	void (*awaits)(const char *message);
	/* The same for one that classes that are loaded later cannot have either. May be NULL. */
	void (*leaves_out)(const char *message);
	/* Called with a message for a field that no loaded class has, and that is looked for in each object. May be NULL. */
	void (*doubts)(const char *message);
};

/*
 * Make the plan. 0; -ENOENT: a loaded class should have had an event and has not, or there is nothing to be recorded, or a class
 * on the way to a value is not loaded yet; the number of the event is in *event. Other -errno with the
 * message.
 */
int event_plan_make(struct event_plan *p, const struct event_plan_setup *setup, size_t *event, struct diag *d);
void event_plan_release(struct event_plan *p); /* accepts a zeroed one */

#endif
