// SPDX-License-Identifier: BSD-2-Clause
#include "user/run/record_events.h"
#include "filters/quote.h"
#include "filters/time.h"
#include "user/jvm/jvm_model.h"
#include "user/jvm/matches.h"
#include "user/text/log.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Those of classes that are loaded later, by the filter as it is. */
static int add_later(const struct event_method *m, struct settings *s, struct diag *d)
{
	const struct filter_list *l = s->events.event[m->event].filters;
	int err = 0;

	for (size_t i = 0; !err && i < filter_list_size(l); i++)
		err = filter_list_add(s->filters, filter_list_text(l, i), FILTER_TRACE, d);
	return err;
}

/* The methods are traced like those of -m; one filter for each, so that nothing else gets hooks. */
static int add_filters(const struct event_plan *p, struct settings *s, struct diag *d)
{
	int err = 0;

	for (uint32_t i = 0; !err && i < p->methods; i++) {
		const struct event_method *m = &p->method[i];
		char *filter, *whole = NULL, time[32] = "";

		if (!m->class_name) {
			err = add_later(m, s, d);
			continue;
		}
		filter = quote_filter(m->class_name, m->name, m->descriptor);
		if (m->threshold_ns != MATCHER_NO_THRESHOLD)
			time_print(m->threshold_ns, time, sizeof(time));
		if (!filter || asprintf(&whole, "%s%s%s", filter, time[0] ? ":" : "", time) < 0)
			err = diag_set(d, ENOMEM, "no memory for filters");
		else
			err = filter_list_add(s->filters, whole, FILTER_TRACE, d);
		free(filter);
		free(whole);
	}
	return err;
}

/* A method of an event that an exclusion leaves out would have no events, and nobody would say why. */
static int check_exclusions(const struct event_plan *p, const struct settings *s, struct diag *d)
{
	struct matcher pattern;
	void *program = NULL;
	int err = filter_list_compile(s->filters, &program, &pattern.size, d);

	pattern.program = program;
	for (uint32_t i = 0; !err && i < p->methods; i++) {
		const struct event_method *m = &p->method[i];

		if (m->class_name && !matcher_method(&pattern, m->class_name, strlen(m->class_name), m->name,
						     strlen(m->name), m->descriptor, strlen(m->descriptor)))
			err = diag_usage(d, "event '%s': -x leaves out its method '%s'", p->type[m->type].spec->name,
					 m->name);
	}
	free(program);
	return err;
}

static void say_awaited(const char *message)
{
	log_line("%s; a class that does, and is loaded later, has the event from its first call on", message);
}

int record_events_plan(struct event_plan *out, struct settings *s, const struct target *t, bool waits, struct diag *d)
{
	struct jvm_model model = {0};
	struct event_plan_setup setup = {.events = &s->events,
					 .filters = s->filters,
					 .layout = &model.layout,
					 .mem = &model.remote.mem,
					 .jdk_version = t->jdk_version,
					 .redact = s->redact_key,
					 .text = s->string_length,
					 .suggest = !waits,
					 .patient = waits,
					 .awaits = waits ? NULL : say_awaited};
	size_t event;
	int err = jvm_model_open_classes(&model, t, d);

	if (!err)
		err = event_plan_make(out, &setup, &event, d);
	if (!err)
		err = add_filters(out, s, d);
	if (!err)
		err = check_exclusions(out, s, d);
	jvm_model_close(&model);
	return err;
}
