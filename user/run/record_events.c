// SPDX-License-Identifier: BSD-2-Clause
#include "user/run/record_events.h"
#include "filters/quote.h"
#include "filters/number.h"
#include "user/process/interrupt.h"
#include "user/jvm/busy_packages.h"
#include "user/jvm/class_list.h"
#include "user/jvm/matches.h"
#include "user/text/log.h"
#include "user/text/monotonic.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EVENTS_POLL_MS	50
#define EVENTS_START_NS 5000000000LL /* that a JVM may take to start, before its classes can be read */

#define EVENTS_NEVER_NS (1000 * 86400 * 1000000000ull) /* no call lasts so long */

/*
 * The threshold of a method's calls. An event between two calls has one of its own, so all calls that end one are recorded, and
 * those that begin one are not unless something else records them.
 */
static uint64_t calls_threshold(const struct event_method *m)
{
	if (m->spec->begins)
		return m->alone ? EVENTS_NEVER_NS : MATCHER_NO_THRESHOLD;
	return m->spec->from ? 0 : m->threshold_ns;
}

static int events_add_filter(struct settings *s, const char *filter, size_t length, uint64_t threshold_ns,
			     struct diag *d)
{
	char *whole, time[32] = "";
	int err;

	if (threshold_ns != MATCHER_NO_THRESHOLD)
		time_print(threshold_ns, time, sizeof(time));
	if (asprintf(&whole, "%.*s%s%s", (int)length, filter, time[0] ? ":" : "", time) < 0)
		return diag_set(d, ENOMEM, "no memory for filters");
	err = filter_list_add(s->filters, whole, FILTER_TRACE, d);
	free(whole);
	return err;
}

/* The length of a filter's text without the threshold at its end. */
static size_t without_threshold(const char *filter)
{
	const char *colon = strrchr(filter, ':');

	return colon && colon > filter && colon[-1] != ':' && colon[-1] != '\\' ? (size_t)(colon - filter)
										: strlen(filter);
}

/* Those of classes that are loaded later, by the filter as it is. */
static int add_later(const struct event_method *m, struct settings *s, struct diag *d)
{
	const struct filter_list *l = m->spec->filters;
	bool between = m->spec->begins || m->spec->from;
	int err = 0;

	for (size_t i = 0; !err && i < filter_list_size(l); i++) {
		const char *text = filter_list_text(l, i);

		err = events_add_filter(s, text, between ? without_threshold(text) : strlen(text),
					between ? calls_threshold(m) : MATCHER_NO_THRESHOLD, d);
	}
	return err;
}

/* The methods are traced like those of -m; one filter for each, so that nothing else gets hooks. */
static int add_filters(const struct event_plan *p, struct settings *s, struct diag *d)
{
	int err = 0;

	for (uint32_t i = 0; !err && i < p->methods; i++) {
		const struct event_method *m = &p->method[i];
		char *filter;

		if (!m->class_name) {
			err = add_later(m, s, d);
			continue;
		}
		filter = quote_exact(m->class_name, m->name, m->descriptor);
		err = filter ? events_add_filter(s, filter, strlen(filter), calls_threshold(m), d)
			     : diag_set(d, ENOMEM, "no memory for filters");
		free(filter);
	}
	return err;
}

/* A method of an event that an exclusion leaves out would have no events, and nobody would say why. From presets it may. */
static int check_exclusions(const struct event_plan *p, const struct settings *s, struct diag *d)
{
	struct matcher pattern;
	void *program = NULL;
	int err = filter_list_compile(s->filters, &program, &pattern.size, d);

	pattern.program = program;
	for (uint32_t i = 0; !err && i < p->methods; i++) {
		const struct event_method *m = &p->method[i];

		if (m->class_name && !m->spec->preset &&
		    !matcher_selects(&pattern, slice_of(m->class_name), slice_of(m->name), slice_of(m->descriptor)))
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

static void say_left_out(const char *message)
{
	log_line("%s; it is left out: what it means in a class that is loaded later is not known", message);
}

static void say_doubted(const char *message)
{
	log_line("%s; it is read where an object's class has it", message);
}

static bool plan_has_event(const struct event_plan *p, uint32_t event)
{
	for (uint32_t i = 0; i < p->methods; i++)
		if (p->method[i].event == event && p->method[i].class_name)
			return true;
	return false;
}

static bool plan_has_entry(const struct event_plan *p, const struct event_list *l)
{
	for (size_t i = 0; i < l->count; i++)
		if (l->event[i].entry && plan_has_event(p, i))
			return true;
	return false;
}

static bool is_loaded(const struct class_list *classes, const char *class_name)
{
	char name[256];
	size_t length = strlen(class_name);

	if (length > sizeof(name))
		return false;
	for (size_t i = 0; i < length; i++)
		name[i] = class_name[i] == '.' ? '/' : class_name[i];
	return class_list_find(classes, name, length, 0);
}

/* This only affects a message, so a list of classes that cannot be read is not an error. */
static void find_served(struct event_list *l, const struct jvm_model *model)
{
	struct class_list classes;
	struct diag d;
	int err = class_list_read(&classes, &model->layout, &model->remote.mem, &d);

	for (size_t i = 0; !err && i < l->count; i++)
		l->event[i].served = l->event[i].loaded && is_loaded(&classes, l->event[i].loaded);
	class_list_release(&classes);
}

/* The titles of the presets whose classes are loaded. Returns whether one of them is of an entry point. */
static bool put_found(struct bytes *out, const struct event_plan *p, const struct event_list *l)
{
	const char *last = NULL;
	bool entry = false;

	for (size_t i = 0; i < l->count; i++) {
		const struct event_spec *e = &l->event[i];

		if (!e->preset || e->unsaid || !(e->served || plan_has_event(p, i)) ||
		    (last && !strcmp(last, e->preset)))
			continue;
		bytes_printf(out, "%s%s", out->size ? ", " : "", e->preset);
		last = e->preset;
		entry = entry || e->entry;
	}
	return entry;
}

/* The error that names what to name instead. */
static int nothing_to_enter(const struct target *t, bool found, struct diag *d)
{
	struct busy_packages *busy = calloc(1, sizeof(*busy));
	struct bytes filter = {.size = 0}, where = {.size = 0};

	if (busy) {
		busy_packages_watch(busy, t);
		busy_packages_put(busy, &filter, &where);
		busy_packages_release(busy);
	}
	free(busy);
	diag_usage(
		d,
		"%d '%s' has no entry point that frtrace knows ('frtrace presets'): name methods, as in -m '%s'%s%s%s",
		(int)t->pid, t->name, filter.size ? bytes_text(&filter) : "com.acme.*",
		found ? ", or record all that was found, with --preset=all" : "",
		where.size ? "; its threads are mostly in " : "", where.size ? bytes_text(&where) : "");
	bytes_release(&filter);
	bytes_release(&where);
	return -EINVAL;
}

/* Say what of presets was found. It is an error if that is all that would be recorded, and nothing. */
static int say_found(const struct event_plan *p, const struct recording *r, struct diag *d)
{
	const struct settings *s = r->settings;
	struct bytes found = {.size = 0};
	bool entry = put_found(&found, p, &s->events), young = s->wait || s->one_of_many;
	int err = 0;

	if (found.size)
		log_line("found: %s", bytes_text(&found));
	if (s->by_entries && !entry && !young)
		err = nothing_to_enter(&r->target, found.size > 0, d);
	bytes_release(&found);
	return err;
}

/*
 * Find what the events mean in the target, and add filters for their methods to the settings. `waits`: the caller comes
 * again after -ENOENT.
 */
static int record_events_plan(struct event_plan *out, const struct recording *r, bool waits, struct diag *d)
{
	struct settings *s = r->settings;
	struct jvm_model model = {0};
	struct event_plan_setup setup = {.events = &s->events,
					 .filters = s->filters,
					 .layout = &model.layout,
					 .mem = &model.remote.mem,
					 .jdk_version = r->target.jdk_version,
					 .redact = s->redact_key,
					 .text = s->string_length,
					 .suggest = !waits,
					 .patient = waits,
					 .awaits = waits ? NULL : say_awaited,
					 .leaves_out = waits ? NULL : say_left_out,
					 .doubts = waits ? NULL : say_doubted};
	size_t event;
	int err = jvm_model_open_classes(&model, &r->target, d) ?: event_plan_make(out, &setup, &event, d)
		?: add_filters(out, s, d) ?: check_exclusions(out, s, d);

	if (!err && s->by_entries && !plan_has_entry(out, &s->events))
		find_served(&s->events, &model);
	jvm_model_close(&model);
	return err;
}

int record_events_prepare(struct event_plan *out, const struct recording *r, struct diag *d)
{
	int64_t end = monotonic_ns() + EVENTS_START_NS;
	int err;

	if (!r->settings->events.count)
		return 0;
	while ((err = record_events_plan(out, r, false, d)) == -EAGAIN) {
		if (monotonic_ns() > end || interrupted() || target_ended(&r->target))
			break;
		poll(NULL, 0, EVENTS_POLL_MS);
	}
	err = err ?: say_found(out, r, d);
	if (!err)
		session_take_plan(r->session, out);
	return err;
}

int record_events_await(struct event_plan *out, struct recording *r, struct program *program, struct diag *d)
{
	struct pollfd fds[PROGRAM_FDS];
	struct diag now = {0};
	int err;

	while ((err = record_events_plan(out, r, true, &now)) == -ENOENT) {
		*d = now;
		session_let_run(r->session);
		r->awaited = true;
		program_poll(program, fds);
		poll(fds, PROGRAM_FDS, EVENTS_POLL_MS);
		if (program_update(program) || target_ended(&r->target))
			return err;
	}
	if (err && d->text[0] && (err == -ESRCH || target_ended(&r->target)))
		return -ENOENT; /* what was missing says more than that it has ended */
	if (err)
		*d = now;
	else
		session_take_plan(r->session, out);
	return err;
}
