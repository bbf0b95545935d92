// SPDX-License-Identifier: BSD-2-Clause
#include "user/record/user_events_internal.h"
#include "filters/plan.h"
#include "user/record/user_value.h"
#include "user/segment/segment_names.h"
#include "user/text/masked.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REDACTED "[REDACTED]"

static struct method_events no_events;

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

static void describe_field(struct jfr_user_field *to, const struct event_type_field *known, const struct event_field *f)
{
	bool number = known->kind < PLAN_TEXT && known->kind != PLAN_BOOLEAN && known->kind != PLAN_CHAR;
	bool text = known->redacted || known->kind == PLAN_KINDS;

	*to = (struct jfr_user_field){.name = f->name,
				      .type = f->since ? JFR_THREAD
					      : text   ? JFR_STRING
						       : kind_types[known->kind],
				      .label = f->label,
				      .description = f->description,
				      .contextual = f->contextual};
	if (number && !known->redacted) {
		to->unit = units[f->unit].type;
		to->unit_value = units[f->unit].value;
	}
}

static void describe_fields(struct jfr_user_type *to, const struct event_type *from)
{
	for (size_t i = 0; i < to->fields; i++)
		describe_field((struct jfr_user_field *)&to->field[i], &from->field[i], &from->spec->field[i]);
}

static int make_type(struct jfr_user_type *to, struct state *state, const struct event_type *from)
{
	const struct event_spec *e = from->spec;

	to->name = e->name;
	to->field = calloc(e->fields + 1, sizeof(*to->field));
	to->fields = e->fields;
	to->label = e->label;
	to->description = e->description;
	to->category = e->category;
	to->calls = from->calls;
	state->absent = calloc(e->fields + 1, sizeof(*state->absent));
	state->settled = true;
	for (size_t i = 0; i < e->fields; i++)
		state->settled = state->settled && (from->field[i].redacted || from->field[i].kind != PLAN_KINDS);
	if (!to->field || !state->absent)
		return -ENOMEM;
	describe_fields(to, from);
	return 0;
}

bool user_events_same_method(const struct event_method *a, const struct event_method *b)
{
	return strcmp(a->name, b->name) == 0 && strcmp(a->class_name, b->class_name) == 0 &&
	       strcmp(a->descriptor, b->descriptor) == 0;
}

int user_events_new(struct user_events **out, const struct event_plan *plan, const struct segment *segment,
		    uint64_t threshold_ns, bool mask, struct diag *d)
{
	struct user_events *u = calloc(1, sizeof(*u));
	int err = 0;

	*out = NULL;
	if (!u)
		return diag_errno(d, ENOMEM, "cannot make events");
	u->plan = plan;
	u->segment = segment;
	u->threshold_ns = threshold_ns;
	u->mask = mask;
	u->type = calloc(plan->types + 1, sizeof(*u->type));
	u->state = calloc(plan->types + 1, sizeof(*u->state));
	if (!u->type || !u->state)
		err = -ENOMEM;
	for (uint32_t i = 0; !err && i < plan->types; i++)
		err = make_type(&u->type[i], &u->state[i], &plan->type[i]);
	if (err) {
		user_events_free(u);
		return diag_errno(d, -err, "cannot make events");
	}
	*out = u;
	return 0;
}

void user_events_free(struct user_events *u)
{
	if (!u)
		return;
	for (uint32_t i = 0; u->type && i < u->plan->types; i++)
		free((void *)u->type[i].field);
	for (uint32_t i = 0; u->state && i < u->plan->types; i++)
		free(u->state[i].absent);
	for (uint32_t i = 0; i < EVENT_FIELDS_MAX; i++)
		bytes_release(&u->text[i]);
	for (uint32_t i = 0; i < FRT_MAX_METHODS; i++)
		if (u->of[i] != &no_events)
			free(u->of[i]);
	free(u->type);
	free(u->state);
	free(u);
}

const struct jfr_user_type *user_events_types(const struct user_events *u, uint32_t *count)
{
	*count = u ? u->plan->types : 0;
	return u ? u->type : NULL;
}

/* Has a loaded class's method of that name the same event already, or another one of the same type? */
static bool has_event(const struct user_events *u, const struct method_events *known, uint32_t event)
{
	const struct event_method *e = &u->plan->method[event];

	for (uint32_t i = 0; i < known->count; i++) {
		const struct event_method *o = &u->plan->method[known->of[i].event];

		if (o->event == e->event || (o->type == e->type && !o->tagged && !e->tagged))
			return true;
	}
	return false;
}

/* Those of methods by name first: they know more than those of filters, for classes that are loaded later. */
static void add_events(const struct user_events *u, const struct event_method *wanted, uint16_t access, bool named,
		       struct method_events *out)
{
	for (uint32_t i = 0; i < u->plan->methods; i++) {
		const struct event_method *e = &u->plan->method[i];
		uint64_t threshold_ns = e->threshold_ns;
		bool same;

		if (!e->class_name == named || (!e->spec->begins && has_event(u, out, i)))
			continue;
		same = named	   ? user_events_same_method(e, wanted)
		       : e->tagged ? matcher_may_tag(&e->filter, slice_of(wanted->name), slice_of(wanted->descriptor))
				   : plan_filter_takes(&e->filter, slice_of(wanted->class_name), slice_of(wanted->name),
						       slice_of(wanted->descriptor), access, &threshold_ns);
		if (!same)
			continue;
		if (e->spec->begins) {
			out->traced = e->traced && (!out->begins || out->traced);
			out->trace_ns = e->trace_ns;
			out->begins = true;
			continue;
		}
		out->of[out->count].event = i;
		out->of[out->count++].threshold_ns = threshold_ns;
	}
}

static struct method_events *look_up(const struct user_events *u, uint32_t method)
{
	struct segment_method_text t;
	const struct frt_method *m = segment_method_text(u->segment, method, &t);
	struct event_method wanted = {.class_name = t.class_name, .name = t.name, .descriptor = t.descriptor};
	struct method_events *found = NULL;

	if (m)
		found = calloc(1, sizeof(*found) + u->plan->methods * sizeof(found->of[0]));
	if (!found)
		return &no_events;
	add_events(u, &wanted, m->modifiers, true, found);
	add_events(u, &wanted, m->modifiers, false, found);
	if (found->count || found->begins)
		return found;
	free(found);
	return &no_events;
}

static const struct method_events *events_of(struct user_events *u, uint32_t method)
{
	if (method >= FRT_MAX_METHODS)
		return &no_events;
	if (!u->of[method])
		u->of[method] = look_up(u, method);
	return u->of[method];
}

bool user_events_has(struct user_events *u, uint32_t method)
{
	const struct method_events *of = events_of(u, method);

	return of->count || of->begins;
}

/* ---- kinds that only classes tell that are loaded later */

/* The kind of a field of the plan as the agent has stored it, before the first call with that value. */
static enum plan_kind agents_kind(const struct user_events *u, uint32_t field)
{
	struct plan plan = {u->plan->bytes.data, u->plan->bytes.size};
	const struct frt_config *c = segment_config(u->segment);
	uint64_t at = ((uint64_t)__atomic_load_n(&c->pattern_size, __ATOMIC_RELAXED) + 7) / 8 * 8;
	uint16_t kind;

	if (at + plan.size > FRT_CONFIG_SIZE - sizeof(*c))
		return PLAN_TEXT;
	at += (const char *)&plan_field(&plan, field)->kind - (const char *)plan.bytes;
	kind = __atomic_load_n((const uint16_t *)((const char *)(c + 1) + at), __ATOMIC_ACQUIRE);
	return kind < PLAN_KINDS ? kind : PLAN_TEXT;
}

static enum plan_kind find_kind(const struct user_events *u, uint32_t type, uint32_t field)
{
	struct plan plan = {u->plan->bytes.data, u->plan->bytes.size};

	for (uint32_t i = 0; i < u->plan->places; i++) {
		const struct event_place *p = &u->plan->place[i];

		if (p->field == field && u->plan->method[p->method].type == type)
			return agents_kind(u, plan_field(&plan, i)->kind_at);
	}
	return PLAN_TEXT;
}

/*
 * The first event of a type is about to be written. From now on its fields have the kinds that are known now; the rest are
 * texts, as which all kinds can be read.
 */
static void settle(struct user_events *u, struct jfr_writer *w, uint32_t type)
{
	const struct event_type *t = &u->plan->type[type];

	if (u->state[type].settled)
		return;
	u->state[type].settled = true;
	for (uint32_t i = 0; i < t->spec->fields; i++)
		if (t->field[i].kind == PLAN_KINDS)
			t->field[i].kind = find_kind(u, type, i);
	describe_fields(&u->type[type], t);
	jfr_writer_renew_types(w);
}

/* Name the first class whose fields are known, else the first one. */
static void note_absent(struct absent *a, const struct frt_field *f, size_t n)
{
	struct value_absent seen;

	if (user_value_absent(f, n, &seen) && (!a->calls++ || (seen.wanted[0] && !a->first.wanted[0])))
		a->first = seen;
}

/* A part of a difference has been read as a value. With the other one it is the difference. */
static void take_part(struct user_events *u, const struct event_type *t, uint32_t field, uint32_t part)
{
	u->part[field][part != 0] = user_value_amount(&u->value[field]);
	u->value[field] = user_value_difference(t->field[field].kind, &u->part[field][0], &u->part[field][1]);
	u->known[field] = !u->value[field].null;
}

/* A value of EVENT_WHOLE has been read as what it is. */
static void take_whole(struct user_events *u, uint32_t field)
{
	struct value_amount a = user_value_amount(&u->value[field]);

	u->value[field] = (struct jfr_user_value){.null = a.form != AMOUNT_WHOLE, .number = a.whole};
	u->known[field] = !u->value[field].null;
}

/* Take the values out of a statement or a URL. */
static void mask_value(struct jfr_user_value *v, enum event_unit unit, struct bytes *text)
{
	static size_t (*const masks[EVENT_UNITS])(void *, size_t, bool) = {
		[EVENT_SQL] = masked_sql, [EVENT_MYSQL] = masked_mysql, [EVENT_URL] = masked_url};

	if (masks[unit] && v->text == (const void *)text->data)
		v->length = masks[unit](text->data, v->length, v->wide);
}

/* Read a record of a call into the values of an event, if it is one. Returns the number of records read. */
static size_t take_record(struct user_events *u, struct jfr_writer *w, uint32_t event, const struct frt_field *f,
			  size_t n, size_t at)
{
	const struct event_type *t = &u->plan->type[u->plan->method[event].type];
	uint32_t index = FRT_FIELD_INDEX(f[at].number), field;
	bool computed;
	size_t read;

	if (index >= u->plan->places || u->plan->place[index].method != event)
		return 1;
	field = u->plan->place[index].field;
	if (field == EVENT_PLACE_NESTING) {
		u->nesting = f[at].form == FRT_FORM_INTEGER ? f[at].data[0] : PLAN_NESTING_UNKNOWN;
		return 1;
	}
	if (field < t->spec->fields && t->spec->field[field].since) {
		if (f[at].form == FRT_FORM_SINCE)
			memcpy(&u->since, f[at].data, sizeof(u->since));
		return 1;
	}
	if (field >= t->spec->fields || u->known[field]) /* the former is forged: what is kept has no record */
		return 1;
	computed = event_field_is_computed(&t->spec->field[field]);
	read = user_value_read(&u->value[field], computed ? PLAN_TEXT : t->field[field].kind, &f[at], n - at,
			       &u->text[field], w);
	u->known[field] = f[at].form != FRT_FORM_ABSENT && !u->value[field].null;
	if (t->spec->field[field].difference)
		take_part(u, t, field, u->plan->place[index].part);
	else if (computed)
		take_whole(u, field);
	else if (u->mask && !u->value[field].null)
		mask_value(&u->value[field], u->plan->method[event].spec->field[field].unit, &u->text[field]);
	if (f[at].form == FRT_FORM_ABSENT && !u->lacking[field])
		u->lacking[field] = at + 1;
	return read;
}

/* Read the values of one event of the call. Without a writer, classes become texts. False: it is no event. */
static bool read_values(struct user_events *u, struct jfr_writer *w, uint32_t event, const struct frt_field *f,
			size_t n)
{
	const struct event_method *m = &u->plan->method[event];
	const struct event_type *t = &u->plan->type[m->type];

	for (size_t i = 0; i < t->spec->fields; i++) {
		u->value[i] = (struct jfr_user_value){.null = !t->field[i].redacted};
		u->known[i] = t->field[i].redacted;
		u->lacking[i] = 0;
		u->part[i][0] = u->part[i][1] = (struct value_amount){.form = AMOUNT_NONE};
		if (t->field[i].redacted) {
			u->value[i].text = REDACTED;
			u->value[i].length = strlen(REDACTED);
		}
	}
	u->nesting = PLAN_NESTING_UNKNOWN;
	u->since.since = 0;
	for (size_t i = 0; i < n;)
		i += take_record(u, w, event, f, n, i);
	if (m->outermost && u->nesting != PLAN_IS_OUTERMOST) {
		u->state[m->type].doubtful += w && u->nesting != PLAN_INNER;
		return false;
	}
	for (size_t i = 0; w && i < t->spec->fields; i++) {
		if (u->known[i])
			u->state[m->type].absent[i].values++;
		else if (u->lacking[i])
			note_absent(&u->state[m->type].absent[i], f + u->lacking[i] - 1, n - u->lacking[i] + 1);
	}
	return true;
}

static bool lasts(const struct user_events *u, int64_t duration, uint64_t threshold_ns)
{
	uint64_t least = threshold_ns == MATCHER_NO_THRESHOLD ? u->threshold_ns : threshold_ns;

	return duration >= 0 && (uint64_t)duration >= least;
}

/* Is it an event of the call? Of a tagged one the agent has left a value. */
static bool event_applies(const struct user_events *u, uint32_t event, const struct frt_field *f, size_t n)
{
	const struct event_method *m = &u->plan->method[event];

	for (size_t i = 0; m->tagged && i < n; i++) {
		uint32_t index = FRT_FIELD_INDEX(f[i].number);

		if (index < u->plan->places && u->plan->place[index].method == event)
			return true;
	}
	return !m->tagged;
}

/* The number among `of` of the first event from `i` on that the call has, one of each type; or of->count. */
static uint32_t next_event(const struct user_events *u, const struct method_events *of, uint32_t i,
			   const struct frt_field *f, size_t n)
{
	for (; i < of->count; i++) {
		const struct event_method *m = &u->plan->method[of->of[i].event];
		uint32_t before = 0;

		while (before < i && (u->plan->method[of->of[before].event].type != m->type ||
				      !event_applies(u, of->of[before].event, f, n)))
			before++;
		if (before == i && event_applies(u, of->of[i].event, f, n))
			break;
	}
	return i;
}

/*
 * Is the call recorded as jdk.MethodTrace, too? If several events have the method, they agree, but for those between two calls,
 * which stand for no call.
 */
static bool is_traced_too(const struct user_events *u, const struct method_events *of, int64_t duration,
			  const struct frt_field *f, size_t n)
{
	uint32_t first = next_event(u, of, 0, f, n);
	bool traced = of->begins ? of->traced && lasts(u, duration, of->trace_ns) : first == of->count;

	for (uint32_t i = first; i < of->count && !traced; i = next_event(u, of, i + 1, f, n)) {
		const struct event_method *m = &u->plan->method[of->of[i].event];

		traced = m->traced && lasts(u, duration, m->trace_ns);
	}
	return traced;
}

static bool is_between(const struct user_events *u, uint32_t event)
{
	return u->plan->method[event].spec->from;
}

bool user_events_stand(struct user_events *u, uint32_t method)
{
	const struct method_events *of = events_of(u, method);
	bool stand = of->begins ? of->traced : !of->count;

	for (uint32_t i = 0; i < of->count; i++)
		stand |= !is_between(u, of->of[i].event) || u->plan->method[of->of[i].event].traced;
	return stand;
}

static void put_between(struct user_events *u, struct jfr_writer *w, uint32_t event, uint64_t threshold_ns,
			const struct frt_span *s, const struct jfr_method_trace *call, const struct frt_field *values,
			size_t n)
{
	struct jfr_method_trace e = *call;
	uint32_t type = u->plan->method[event].type;

	settle(u, w, type);
	if (!read_values(u, w, event, values, n) || !user_events_describe_between(u, event, s, &e) ||
	    !lasts(u, e.duration, threshold_ns))
		return;
	jfr_user_event(w, type, &e, u->value);
	u->state[type].events++;
}

bool user_events_put(struct user_events *u, struct jfr_writer *w, const struct frt_span *s,
		     const struct jfr_method_trace *call, const struct frt_field *values, size_t n)
{
	const struct method_events *of = events_of(u, s->method);
	uint32_t first = next_event(u, of, 0, values, n);

	for (uint32_t i = first; i < of->count; i = next_event(u, of, i + 1, values, n)) {
		uint32_t type = u->plan->method[of->of[i].event].type;

		if (is_between(u, of->of[i].event)) {
			put_between(u, w, of->of[i].event, of->of[i].threshold_ns, s, call, values, n);
			continue;
		}
		if (!lasts(u, call->duration, of->of[i].threshold_ns))
			continue;
		settle(u, w, type);
		if (!read_values(u, w, of->of[i].event, values, n))
			continue;
		jfr_user_event(w, type, call, u->value);
		u->state[type].events++;
	}
	return is_traced_too(u, of, call->duration, values, n);
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
		seen(context, t->spec->name, t->spec->field[i].name, kind, &value);
	}
}

bool user_events_call(struct user_events *u, const struct frt_span *s, int64_t duration, const struct frt_field *values,
		      size_t n, user_events_seen *seen, void *context)
{
	const struct method_events *of = events_of(u, s->method);
	uint32_t first = next_event(u, of, 0, values, n);
	const struct event_type *t;

	while (first < of->count && is_between(u, of->of[first].event))
		first = next_event(u, of, first + 1, values, n);
	if (first == of->count)
		return is_traced_too(u, of, duration, values, n);
	t = &u->plan->type[u->plan->method[of->of[first].event].type];
	if (!t->calls) /* nor do those of the same method's other events */
		return is_traced_too(u, of, duration, values, n);
	if (!lasts(u, duration, of->of[first].threshold_ns) || !read_values(u, NULL, of->of[first].event, values, n))
		return false;
	show_values(u, t, seen, context);
	return true;
}
