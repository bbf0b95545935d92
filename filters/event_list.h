/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The events of -e: 'NAME FILTER [field=EXPR]...'. They are parsed and checked here as far as the text alone allows;
 * user/jvm/event_plan.h finds what they mean in a JVM.
 *
 *     shop.Checkout com.acme.Shop::checkout:20ms cart=cart.id|this.id items:bytes=items.length @who=this.name
 *
 * `outermost` before the filter: of calls within each other on a thread only the outermost one is an event.
 *
 * FILTER~EXPR names an object: later calls with the same one have the event's values, as NAME[EXPR].FIELD:
 *
 *     db.Prepare com.acme.Connection::prepareStatement~return sql=arg0
 *     db.Execute com.acme.Statement::execute sql=db.Prepare[this].sql
 *
 * With two of them an event lasts from a call of the first with an object to one of the second with the same object. The fields
 * are of the second one; beginThread, which each such event has, is the thread of the first one:
 *
 *     redis.Ask com.acme.Client::send~arg0 => com.acme.Client::done~arg0 peer=arg0.peer
 *
 * A difference of two values, late=arg0.fire-arg0.sched, has no other alternatives. The expression null is a value that is never there.
 *
 * A field may have a unit and @begin after its name, and an @ before it: its value is the context of what happens inside the call.
 */
#ifndef FILTERS_EVENT_LIST_H
#define FILTERS_EVENT_LIST_H

#include "filters/filter_list.h"
#include "format/diag.h"

#include <stdbool.h>
#include <stddef.h>

enum event_unit {
	EVENT_NO_UNIT,
	EVENT_BYTES,
	EVENT_NS,
	EVENT_US,
	EVENT_MS,
	EVENT_S,
	EVENT_EPOCH_MS, /* a moment */
	EVENT_PERCENT,	/* 0 to 1 */
	EVENT_ADDRESS,
	EVENT_HZ,
	EVENT_WHOLE, /* a whole number without a unit, whatever the type of the value */
	EVENT_SQL,   /* the text of a statement, in MySQL's dialect, and that of a URL: without the values in them */
	EVENT_MYSQL,
	EVENT_URL,
	EVENT_UNITS
};

#define EVENT_ALTERNATIVES 4u

struct event_field {
	char *name, *expression;	       /* all of it */
	char *alternative[EVENT_ALTERNATIVES]; /* what is between '|' in it: the first one that has a value counts */
	struct event_recall {
		size_t event, field; /* of that event of the list, which comes before */
		bool is;
	} recall[EVENT_ALTERNATIVES]; /* the alternative is of an earlier call with the object that it names */
	size_t alternatives;
	bool kept;		   /* later calls may ask for it */
	bool difference;	   /* the first alternative less the second one */
	bool since;		   /* beginThread; its expression is the object by which the first call is found */
	bool at_begin;		   /* it is read when the call begins, not when it ends */
	char *label, *description; /* NULL: the name, none */
	enum event_unit unit;
	bool contextual;
	bool any_object; /* an array, too, is recorded as the name of its class; false: it is refused */
};

/* Is the value a number that the collector makes of what is read: a difference, or EVENT_WHOLE? */
bool event_field_is_computed(const struct event_field *f);

/* May its value be one of an earlier call? */
bool event_field_is_recalled(const struct event_field *f);

/* Is the expression null? */
bool event_field_is_null(const struct event_field *f);

struct event_spec {
	char *name;
	char *text;		   /* of the filter, as typed */
	char *key;		   /* the object by which later calls find the values; NULL: they do not */
	char *label, *description; /* NULL: the name, none */
	char *category;		   /* parts with '/' between them; NULL: Methods */
	struct filter_list *filters;
	bool outermost; /* a call within another one of the event on its thread is none */
	/* Where an event between two calls begins: its text, filters and key. NULL: the event is of one call. */
	struct event_spec *from;
	bool begins; /* it is the `from` of another one */
	/* Title of the preset that has the event; the JVM may lack it, or some of its values. NULL: the user named it. */
	char *preset;
	bool entry; /* the preset is of an entry point */
	/* A class that is loaded before the first call, by which the preset is known to be there; NULL: only that of its method. */
	char *loaded;
	bool served; /* it is loaded, but not yet the class of the method */
	bool unsaid; /* the JDK loads the class itself, so a loaded class proves nothing */
	struct event_field *field;
	size_t fields, capacity;
};

struct event_list {
	struct event_spec *event;
	size_t count, capacity;
};

/* The first event of that name, whose fields all of them have; l->count: there is none. */
size_t event_list_find(const struct event_list *l, const char *name, size_t length);

/* A zeroed list is empty. */
void event_list_release(struct event_list *l);

/* Add an event. 0, or a usage error with the message. */
int event_list_add(struct event_list *l, const char *text, struct diag *d);

#define EVENT_FIELDS_MAX 512u /* of one event */

#endif
