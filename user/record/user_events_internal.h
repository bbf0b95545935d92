/* SPDX-License-Identifier: BSD-2-Clause */
/* What is known of the user's events while they are recorded. For the modules user_events*.c only. */
#ifndef USER_RECORD_USER_EVENTS_INTERNAL_H
#define USER_RECORD_USER_EVENTS_INTERNAL_H

#include "format/bytes.h"
#include "user/jvm/event_plan.h"
#include "user/record/user_events.h"
#include "user/record/user_value.h"

/* The events of one method; of tagged ones, those that it may have. */
struct method_events {
	uint32_t count;
	bool begins;	   /* its calls begin events between two calls, and */
	bool traced;	   /* are recorded as jdk.MethodTrace, too, */
	uint64_t trace_ns; /* with this threshold */
	struct {
		uint32_t event; /* number of an event_method */
		uint64_t threshold_ns;
	} of[];
};

/* What is missing of a field because there is no such thing. */
struct absent {
	uint64_t calls;
	struct value_absent first;
	uint64_t values; /* calls that have one */
};

/* What is known of a type besides its fields. */
struct state {
	uint64_t events;
	bool settled;	   /* the kinds of all fields are known */
	uint64_t doubtful; /* calls left out, because it is not known whether they are the outermost */
	uint64_t unbegun;  /* calls left out, because no first one with the object is known */
	struct absent *absent;
};

struct user_events {
	const struct event_plan *plan;
	const struct segment *segment;
	uint64_t threshold_ns;
	bool mask;
	struct clock *clock;
	int64_t ticks_offset;
	struct thread_keys *threads;
	const struct event_method *first; /* the last one that user_events_begun() was asked for; NULL: none */
	uint32_t first_method;
	struct jfr_user_type *type;
	struct state *state;			   /* of each type */
	struct method_events *of[FRT_MAX_METHODS]; /* by the agent's ids; NULL: not looked up yet */
	struct jfr_user_value value[EVENT_FIELDS_MAX];
	enum plan_nesting nesting;	  /* of the call at hand */
	struct frt_since since;		  /* of an event between two calls; 0: there is no first call */
	bool known[EVENT_FIELDS_MAX];	  /* of the call at hand: an alternative had a value */
	size_t lacking[EVENT_FIELDS_MAX]; /* 1 + number of the record that says what has no such field */
	struct bytes text[EVENT_FIELDS_MAX];
	struct value_amount part[EVENT_FIELDS_MAX][2]; /* of differences */
};

/* Do two methods have the same names? */
bool user_events_same_method(const struct event_method *a, const struct event_method *b);

/*
 * The values of an event between two calls have been read, with u->since. *e becomes the event's times, and u->value has the thread
 * that began it. False: there is none.
 */
bool user_events_describe_between(struct user_events *u, uint32_t event, const struct frt_span *s,
				  struct jfr_method_trace *e);

#endif
