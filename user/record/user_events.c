// SPDX-License-Identifier: BSD-2-Clause
#include "user/record/user_events.h"
#include "filters/plan.h"
#include "user/jvm/event_plan.h"
#include "user/record/user_value.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NAME_SIZE 8192
#define UNKNOWN	  0u /* of user_events.of: not looked up yet, */
#define NO_EVENTS 1u
#define FIRST	  2u /* the number of an event_method, plus this */
#define REDACTED  "[REDACTED]"

struct user_events {
	const struct event_plan *plan;
	const struct segment *segment;
	uint64_t threshold_ns;
	struct jfr_user_type *type;
	uint32_t *next;		      /* for each event_method: the next one of the same method, plus 1 */
	uint32_t of[FRT_MAX_METHODS]; /* by the agent's ids */
	struct jfr_user_value value[EVENT_FIELDS_MAX];
	struct bytes text[EVENT_FIELDS_MAX];
};

static const enum jfr_type kind_types[PLAN_KINDS] = {
	[PLAN_BOOLEAN] = JFR_BOOLEAN, [PLAN_BYTE] = JFR_BYTE,	[PLAN_CHAR] = JFR_CHAR,	  [PLAN_SHORT] = JFR_SHORT,
	[PLAN_INT] = JFR_INT,	      [PLAN_LONG] = JFR_LONG,	[PLAN_FLOAT] = JFR_FLOAT, [PLAN_DOUBLE] = JFR_DOUBLE,
	[PLAN_TEXT] = JFR_STRING,     [PLAN_CLASS] = JFR_CLASS,
};

static const struct jfr_annotation units[EVENT_UNITS] = {
	[EVENT_BYTES] = {JFR_DATA_AMOUNT, "BYTES"},  [EVENT_NS] = {JFR_TIMESPAN, "NANOSECONDS"},
	[EVENT_US] = {JFR_TIMESPAN, "MICROSECONDS"}, [EVENT_MS] = {JFR_TIMESPAN, "MILLISECONDS"},
	[EVENT_S] = {JFR_TIMESPAN, "SECONDS"},	     [EVENT_EPOCH_MS] = {JFR_TIMESTAMP, "MILLISECONDS_SINCE_EPOCH"},
	[EVENT_PERCENT] = {JFR_PERCENTAGE, NULL},    [EVENT_ADDRESS] = {JFR_MEMORY_ADDRESS, NULL},
	[EVENT_HZ] = {JFR_FREQUENCY, NULL},
};

static int make_type(struct jfr_user_type *to, const struct event_type *from)
{
	const struct event_spec *e = from->spec;
	struct jfr_user_field *f = calloc(e->fields + 1, sizeof(*f));

	to->name = e->name;
	to->field = f;
	to->fields = e->fields;
	to->label = e->label;
	to->description = e->description;
	to->category = e->category;
	to->calls = from->calls;
	if (!f)
		return -ENOMEM;
	for (size_t i = 0; i < e->fields; i++) {
		const struct event_type_field *known = &from->field[i];
		bool number = known->kind < PLAN_TEXT && known->kind != PLAN_BOOLEAN && known->kind != PLAN_CHAR;

		f[i] = (struct jfr_user_field){.name = e->field[i].name,
					       .type = known->redacted ? JFR_STRING : kind_types[known->kind],
					       .label = e->field[i].label,
					       .description = e->field[i].description,
					       .contextual = e->field[i].contextual};
		if (number && !known->redacted) {
			f[i].unit = units[e->field[i].unit].type;
			f[i].unit_value = units[e->field[i].unit].value;
		}
	}
	return 0;
}

static bool same_method(const struct event_method *a, const struct event_method *b)
{
	return strcmp(a->name, b->name) == 0 && strcmp(a->class_name, b->class_name) == 0 &&
	       strcmp(a->descriptor, b->descriptor) == 0;
}

static void link_methods(struct user_events *u)
{
	const struct event_plan *p = u->plan;

	for (uint32_t i = 0; i < p->methods; i++)
		for (uint32_t n = i + 1; n < p->methods && !u->next[i]; n++)
			if (p->method[n].type != p->method[i].type && same_method(&p->method[i], &p->method[n]))
				u->next[i] = n + 1;
}

int user_events_new(struct user_events **out, const struct event_plan *plan, const struct segment *segment,
		    uint64_t threshold_ns, struct diag *d)
{
	struct user_events *u = calloc(1, sizeof(*u));
	int err = 0;

	*out = NULL;
	if (!u)
		return diag_errno(d, ENOMEM, "cannot make events");
	u->plan = plan;
	u->segment = segment;
	u->threshold_ns = threshold_ns;
	u->type = calloc(plan->types + 1, sizeof(*u->type));
	u->next = calloc(plan->methods + 1, sizeof(*u->next));
	if (!u->type || !u->next)
		err = -ENOMEM;
	for (uint32_t i = 0; !err && i < plan->types; i++)
		err = make_type(&u->type[i], &plan->type[i]);
	if (err) {
		user_events_free(u);
		return diag_errno(d, -err, "cannot make events");
	}
	link_methods(u);
	*out = u;
	return 0;
}

void user_events_free(struct user_events *u)
{
	if (!u)
		return;
	for (uint32_t i = 0; u->type && i < u->plan->types; i++)
		free((void *)u->type[i].field);
	for (uint32_t i = 0; i < EVENT_FIELDS_MAX; i++)
		bytes_release(&u->text[i]);
	free(u->type);
	free(u->next);
	free(u);
}

const struct jfr_user_type *user_events_types(const struct user_events *u, uint32_t *count)
{
	*count = u ? u->plan->types : 0;
	return u ? u->type : NULL;
}

/* The number of the method's first event, plus FIRST, or NO_EVENTS. */
static uint32_t look_up(const struct user_events *u, uint32_t method)
{
	char class_name[NAME_SIZE], name[NAME_SIZE], descriptor[NAME_SIZE];
	const struct frt_method *m = segment_method(u->segment, method);
	const struct frt_class *c = m ? segment_class(u->segment, m->class_id) : NULL;
	struct event_method wanted = {class_name, name, descriptor, 0, 0, false, 0};

	if (!c)
		return NO_EVENTS;
	segment_string(u->segment, c->name, class_name, sizeof(class_name));
	segment_string(u->segment, m->name, name, sizeof(name));
	segment_string(u->segment, m->descriptor, descriptor, sizeof(descriptor));
	for (uint32_t i = 0; i < u->plan->methods; i++)
		if (same_method(&u->plan->method[i], &wanted))
			return i + FIRST;
	return NO_EVENTS;
}

static uint32_t events_of(struct user_events *u, uint32_t method)
{
	if (method >= FRT_MAX_METHODS)
		return NO_EVENTS;
	if (u->of[method] == UNKNOWN)
		u->of[method] = look_up(u, method);
	return u->of[method];
}

bool user_events_has(struct user_events *u, uint32_t method)
{
	return events_of(u, method) != NO_EVENTS;
}

/* Read the values of one event of the call. Without a writer, classes become texts. */
static void read_values(struct user_events *u, struct jfr_writer *w, uint32_t event, const struct frt_field *f,
			size_t n)
{
	const struct event_method *m = &u->plan->method[event];
	const struct event_type *t = &u->plan->type[m->type];

	for (size_t i = 0; i < t->spec->fields; i++) {
		u->value[i] = (struct jfr_user_value){.null = !t->field[i].redacted};
		if (t->field[i].redacted) {
			u->value[i].text = REDACTED;
			u->value[i].length = strlen(REDACTED);
		}
	}
	for (size_t i = 0; i < n;) {
		uint32_t index = FRT_FIELD_INDEX(f[i].number), field;

		if (index >= u->plan->places || u->plan->place[index].method != event) {
			i++;
			continue;
		}
		field = u->plan->place[index].field;
		i += user_value_read(&u->value[field], t->field[field].kind, &f[i], n - i, &u->text[field], w);
	}
}

static bool lasts(const struct user_events *u, int64_t duration, uint64_t threshold_ns)
{
	uint64_t least = threshold_ns == MATCHER_NO_THRESHOLD ? u->threshold_ns : threshold_ns;

	return duration >= 0 && (uint64_t)duration >= least;
}

bool user_events_put(struct user_events *u, struct jfr_writer *w, const struct frt_span *s,
		     const struct jfr_method_trace *call, const struct frt_field *values, size_t n)
{
	uint32_t first = events_of(u, s->method);
	const struct event_method *m;

	if (first == NO_EVENTS)
		return true;
	for (uint32_t i = first - FIRST + 1; i; i = u->next[i - 1]) {
		m = &u->plan->method[i - 1];
		if (!lasts(u, call->duration, m->threshold_ns))
			continue;
		read_values(u, w, i - 1, values, n);
		jfr_user_event(w, m->type, call, u->value);
	}
	m = &u->plan->method[first - FIRST];
	return m->traced && lasts(u, call->duration, m->trace_ns);
}

/* Numbers of the user's events are missing as jfr_user_event() writes them. */
static void show_values(struct user_events *u, const struct event_type *t, user_events_seen *seen, void *context)
{
	for (size_t i = 0; i < t->spec->fields; i++) {
		enum plan_kind kind = t->field[i].kind;
		struct jfr_user_value value = u->value[i];

		if (t->field[i].redacted || kind == PLAN_CLASS)
			kind = PLAN_TEXT;
		if (kind != PLAN_TEXT && value.null)
			value.number = jfr_missing_number(kind_types[kind]);
		seen(context, t->spec->field[i].name, kind, &value);
	}
}

bool user_events_call(struct user_events *u, const struct frt_span *s, int64_t duration, const struct frt_field *values,
		      size_t n, user_events_seen *seen, void *context)
{
	uint32_t first = events_of(u, s->method);
	const struct event_method *m;

	if (first == NO_EVENTS)
		return true;
	m = &u->plan->method[first - FIRST];
	if (!u->plan->type[m->type].calls) /* nor do those of the same method's other events */
		return m->traced && lasts(u, duration, m->trace_ns);
	if (!lasts(u, duration, m->threshold_ns))
		return false;
	read_values(u, NULL, first - FIRST, values, n);
	show_values(u, &u->plan->type[m->type], seen, context);
	return true;
}
