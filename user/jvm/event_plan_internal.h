/* SPDX-License-Identifier: BSD-2-Clause */
/* A plan while it is made. For the modules event_plan*.c only. */
#ifndef USER_JVM_EVENT_PLAN_INTERNAL_H
#define USER_JVM_EVENT_PLAN_INTERNAL_H

#include "user/jvm/event_plan.h"
#include "user/jvm/event_value.h"

struct event_making {
	struct event_plan *p;
	const struct event_plan_setup *s;
	uint32_t event; /* number of the one at hand: in the list, or that behind it of the call that begins it */
	struct class_list classes;
	struct bytes fields, steps, texts; /* offsets of texts are relative to `texts` until the end */
	uint8_t outermost;		   /* of the event at hand, as in plan_field */
	uint32_t outermost_events;
	enum plan_role role;		   /* of the fields that are put */
	uint32_t type;			   /* of a key that is put: of its event */
	const struct event_recall *recall; /* what the next field recalls; NULL or not `is`: nothing */
};

int event_plan_no_memory(struct diag *d);

/* The type of an event, which is made if it has none yet. */
int event_plan_type_of(struct event_making *m, const struct event_spec *e, uint32_t *type, struct diag *d);

/* Note that the field of the plan that is put next is of the last method. */
int event_plan_add_place(struct event_plan *p, size_t field, size_t part, struct diag *d);

/* The field that tells that a call is an event. Without a method it is one of a filter. */
int event_plan_add_nesting(struct event_making *m, const struct resolved_method *r, struct plan_text filter,
			   uint32_t event, struct diag *d);

/* A text of the plan, and one that ends with a zero byte. */
struct plan_text event_plan_put_slice(struct event_making *m, const void *bytes, size_t size);
struct plan_text event_plan_put_text(struct event_making *m, const char *text);

/* A step of the field that is put next. */
void event_plan_put_step(struct event_making *m, enum plan_step_kind kind, const char *class_name,
			 struct plan_text name, const char *descriptor);

/* The number of steps so far. */
uint32_t event_plan_steps_put(const struct event_making *m);

/* A value of a method, with its steps, at the last place. */
int event_plan_put_field(struct event_making *m, const struct resolved_method *r, const struct event_value *v,
			 uint32_t event, uint32_t value, bool at_begin, struct diag *d);

/* What an event would be in a class that is loaded later. */
struct event_later {
	struct matcher filter;
	bool can;	       /* such classes can have the event */
	bool tagged;	       /* by a supertype or an annotation, which the collector cannot ask for */
	uint64_t threshold_ns; /* then */
	bool lacks;	       /* they cannot have some values that loaded classes may have */
	bool preset;	       /* nobody misses it */
};

/* 0, or -errno with the message. The filter's memory is the caller's. */
int event_later_find(struct event_later *l, const struct event_spec *e, const struct event_type *t, struct diag *d);

/* A class that a filter names, and that is loaded, will not get its methods later. */
bool event_later_may_come(const struct event_making *m, const struct event_later *l);

/* No loaded class has the event: `err` says why, and 0 that it does not matter. */
int event_later_miss(struct event_making *m, const struct event_later *l, int err, const struct diag *d);

/* Add the event of all classes that are loaded later. Takes the filter's memory. */
int event_later_add(struct event_making *m, const struct event_spec *e, struct event_later *l, uint32_t type,
		    struct diag *d);

/* What loaded classes have told of kinds holds for those that are loaded later. */
void event_later_share_kinds(struct event_making *m);

/*
 * Is the alternative one of an earlier call, so that `v` is its object? Then *v becomes of the kind of what is recalled by the
 * next field that is put. 0, or -errno with the message.
 */
int event_kept_recall(struct event_making *m, const struct event_spec *e, size_t field, size_t alternative,
		      struct event_value *v, struct diag *d);

/* Has the event values for later calls? */
bool event_is_kept(const struct event_spec *e);

/*
 * Add an object of a method's calls by which later ones find what it keeps (PLAN_KEY), or the begin of an event (PLAN_FROM); or by
 * which it finds that (PLAN_SINCE). `place` is as in event_place, `value` as in plan_field.
 */
struct event_object {
	enum plan_role role;
	const char *expression;
	uint32_t place, value;
};
int event_kept_add_object(struct event_making *m, const struct event_spec *e, const struct match *match, uint32_t type,
			  const struct event_object *o, struct diag *d);

/* The object by which an event keeps values, and those that begin and (field `i`) end an event between two calls. */
struct event_object event_object_key(const struct event_spec *e);
struct event_object event_object_from(const struct event_spec *e);
struct event_object event_object_since(const struct event_spec *e, size_t i);

/* Make a field, whose place is the last one, recall that. */
int event_kept_of(struct event_making *m, const struct event_recall *r, struct plan_field *f, struct diag *d);

/* Put all together; see filters/plan.h. */
int event_plan_join(struct event_making *m, struct diag *d);

#endif
