/* SPDX-License-Identifier: BSD-2-Clause */
/* The user's own events (-e): which methods have them, and their values from the agent's records. */
#ifndef USER_RECORD_USER_EVENTS_H
#define USER_RECORD_USER_EVENTS_H

#include "filters/plan.h"
#include "format/diag.h"
#include "format/jfr/jfr_write.h"
#include "user/capture/clock.h"
#include "user/segment/segment.h"

struct event_plan;
struct user_events;

/*
 * What is passed is borrowed. `threshold_ns` is that of filters without one; `mask`: statements and URLs lose the values in them
 * (user/text/masked.h). 0, or -errno with *out set to NULL.
 */
int user_events_new(struct user_events **out, const struct event_plan *plan, const struct segment *segment,
		    uint64_t threshold_ns, bool mask, struct diag *d);

/* For events between two calls: the clock, what it lacks to the file's ticks, and the keys of threads. All are borrowed. */
struct thread_keys;
void user_events_between(struct user_events *u, struct clock *clock, int64_t ticks_offset, struct thread_keys *threads);
void user_events_free(struct user_events *u);

/* The types for the writer, which live as long as `u`; NULL has none. */
const struct jfr_user_type *user_events_types(const struct user_events *u, uint32_t *count);

/*
 * Report, a line each: values that were missing because a class or method has no such thing, with the number of calls; events
 * that no loaded class had when tracing began, and that have not been recorded. NULL has none.
 */
void user_events_gaps(const struct user_events *u, void (*report)(const char *text, void *context), void *context);

/*
 * What an event between two calls would be that has begun and not ended, from the record of the agent (FRT_FORM_SINCE). False: it
 * is forged. `remark` names the event.
 */
struct begun_event {
	int64_t start, duration; /* ticks, ns */
	uint64_t thread;	 /* key */
	uint32_t method;	 /* of the agent's, 0: unknown */
	char remark[320];
};
bool user_events_begun(struct user_events *u, const struct frt_field *f, struct begun_event *out);

/* Does a method have events? */
bool user_events_has(struct user_events *u, uint32_t method);

/* May a method's calls be in the file, and not only begin or end events between two of them? */
bool user_events_stand(struct user_events *u, uint32_t method);

/*
 * Write the events of a call; `n` values follow its span. Returns true if the call is to be recorded as jdk.MethodTrace,
 * too.
 */
bool user_events_put(struct user_events *u, struct jfr_writer *w, const struct frt_span *s,
		     const struct jfr_method_trace *call, const struct frt_field *values, size_t n);

/*
 * How a call of `duration` ns is in the file. False: by no event. Else `seen` is called for each value of the event that
 * stands for it, if it is not jdk.MethodTrace: with its name, its kind, which is never PLAN_CLASS (a class is a text), and
 * the value, valid until `seen` returns. `values` are those of user_events_put().
 */
typedef void user_events_seen(void *context, const char *event, const char *name, enum plan_kind kind,
			      const struct jfr_user_value *value);
bool user_events_call(struct user_events *u, const struct frt_span *s, int64_t duration, const struct frt_field *values,
		      size_t n, user_events_seen *seen, void *context);

#endif
