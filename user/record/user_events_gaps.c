// SPDX-License-Identifier: BSD-2-Clause
/* What the events lack, in lines at the end of the recording. */
#include "user/record/user_events_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Had no loaded class a method for the type? */
static bool awaits_classes(const struct user_events *u, uint32_t type)
{
	for (uint32_t i = 0; i < u->plan->methods; i++)
		if (u->plan->method[i].type == type && u->plan->method[i].class_name)
			return false;
	return true;
}

/* "event 'x.Run', 'n=this.nr': 900 calls without it: a.Plug has no field 'nr'; near: n". */
static void report_absent(const struct event_type *t, size_t field, const struct absent *a,
			  void (*report)(const char *text, void *context), void *context)
{
	const struct event_field *f = &t->spec->field[field];
	const struct value_absent *v = &a->first;
	char text[1024], what[128] = "has no such field";

	if (!v->class_name[0])
		strcpy(what, "the method has nothing known of that name and type");
	else if (v->wanted[0])
		snprintf(what, sizeof(what), "has no field '%s'", v->wanted);
	snprintf(text, sizeof(text), "event '%s', '%s=%s': %" PRIu64 " %s without it: %s%s%s%s", t->spec->name, f->name,
		 f->expression, a->calls, a->calls == 1 ? "call" : "calls", v->class_name, v->class_name[0] ? " " : "",
		 what, v->near);
	report(text, context);
}

/* May a value be missing from all calls? Of a call that throws, or does not, it is, and so it is where presets meet. */
static bool may_be_null(const struct event_spec *e, const struct event_field *f)
{
	return e->preset || event_field_is_null(f) || !strncmp(f->expression, "exception", 9) ||
	       !strncmp(f->expression, "return", 6);
}

static void report_nulls(const struct event_type *t, size_t field, uint64_t calls,
			 void (*report)(const char *text, void *context), void *context)
{
	const struct event_field *f = &t->spec->field[field];
	char text[1024], more[128] = "";

	if (!f->at_begin && !f->difference && strchr(f->expression, '.'))
		snprintf(more, sizeof(more), " when the call ended; %.64s@begin= reads it before", f->name);
	snprintf(text, sizeof(text), "event '%s', '%s=%s': null in %s%" PRIu64 " %s%s", t->spec->name, f->name,
		 f->expression, calls == 1 ? "" : "all ", calls, calls == 1 ? "call" : "calls", more);
	report(text, context);
}

/* Some calls lack what an earlier one had to keep: their objects are from before the recording, or from other methods. */
static bool report_unknown(const struct event_type *t, size_t field, uint64_t calls, uint64_t known,
			   void (*report)(const char *text, void *context), void *context)
{
	const struct event_field *f = &t->spec->field[field];
	char text[1024];

	if (t->spec->preset || known == calls || !event_field_is_recalled(f))
		return false;
	snprintf(text, sizeof(text),
		 "event '%s', '%s=%s': %" PRIu64 " of %" PRIu64
		 " calls without it: no earlier call with the object is known",
		 t->spec->name, f->name, f->expression, calls - known, calls);
	report(text, context);
	return true;
}

static void report_unbegun(const struct event_type *t, uint64_t calls, void (*report)(const char *text, void *context),
			   void *context)
{
	char text[1024];

	if (!calls)
		return;
	snprintf(text, sizeof(text),
		 "event '%s': %" PRIu64 " %s of '%s' left out: no earlier call of '%s' with the object is known",
		 t->spec->name, calls, calls == 1 ? "call" : "calls", t->spec->text, t->spec->from->text);
	report(text, context);
}

void user_events_gaps(const struct user_events *u, void (*report)(const char *text, void *context), void *context)
{
	for (uint32_t i = 0; u && i < u->plan->types; i++) {
		const struct event_type *t = &u->plan->type[i];
		char text[1024];

		for (size_t n = 0; n < t->spec->fields; n++) {
			const struct absent *a = &u->state[i].absent[n];

			if (t->spec->field[n].since)
				continue;
			if (report_unknown(t, n, u->state[i].events, a->values, report, context))
				continue;
			if (a->calls)
				report_absent(t, n, a, report, context);
			else if (u->state[i].events && !a->values && !may_be_null(t->spec, &t->spec->field[n]))
				report_nulls(t, n, u->state[i].events, report, context);
		}
		if (u->state[i].doubtful) {
			snprintf(text, sizeof(text),
				 "event '%s': %" PRIu64 " %s left out: it is not known whether they are the outermost",
				 t->spec->name, u->state[i].doubtful, u->state[i].doubtful == 1 ? "call" : "calls");
			report(text, context);
		}
		report_unbegun(t, u->state[i].unbegun, report, context);
		if (u->state[i].events || u->state[i].unbegun || t->spec->preset || !awaits_classes(u, i))
			continue;
		snprintf(
			text, sizeof(text),
			"event '%s': no call was recorded of a method that matches '%s', nor was one loaded at the start",
			t->spec->name, t->spec->text);
		report(text, context);
	}
}
