// SPDX-License-Identifier: BSD-2-Clause
#include "filters/event_list.h"
#include "format/vec.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NAME_MAX_LENGTH 255u
#define AT_BEGIN	"@begin"
#define OUTERMOST	"outermost "
#define ARROW		"=>"
#define BEGIN_THREAD	"beginThread"

static const char *const unit_names[EVENT_UNITS] = {
	[EVENT_NO_UNIT] = "",
	[EVENT_BYTES] = "bytes",
	[EVENT_NS] = "ns",
	[EVENT_US] = "us",
	[EVENT_MS] = "ms",
	[EVENT_S] = "s",
	[EVENT_EPOCH_MS] = "epochms",
	[EVENT_PERCENT] = "percent",
	[EVENT_ADDRESS] = "address",
	[EVENT_HZ] = "hz",
	[EVENT_WHOLE] = "number",
	[EVENT_SQL] = "sql",
	[EVENT_MYSQL] = "mysql",
	[EVENT_URL] = "url",
};

bool event_field_is_computed(const struct event_field *f)
{
	return f->difference || f->unit == EVENT_WHOLE;
}

bool event_field_is_recalled(const struct event_field *f)
{
	for (size_t i = 0; i < f->alternatives; i++)
		if (f->recall[i].is)
			return true;
	return false;
}

bool event_field_is_null(const struct event_field *f)
{
	return strcmp(f->expression, "null") == 0;
}

static void event_field_release(struct event_field *f)
{
	for (size_t i = 0; i < f->alternatives; i++)
		free(f->alternative[i]);
	free(f->name);
	free(f->expression);
	free(f->label);
	free(f->description);
}

static void event_release(struct event_spec *e)
{
	if (e->from) {
		event_release(e->from);
		free(e->from);
	}
	for (size_t i = 0; i < e->fields; i++)
		event_field_release(&e->field[i]);
	free(e->field);
	free(e->label);
	free(e->description);
	free(e->category);
	free(e->preset);
	free(e->loaded);
	free(e->name);
	free(e->key);
	free(e->text);
	filter_list_free(e->filters);
}

void event_list_release(struct event_list *l)
{
	for (size_t i = 0; i < l->count; i++)
		event_release(&l->event[i]);
	free(l->event);
	*l = (struct event_list){.count = 0};
}

/* Beyond ASCII each letter and each sign will do: Java's own list is long, and readers do not check. */
static bool begins_identifier(char c)
{
	return isalpha((unsigned char)c) || c == '_' || c == '$' || c & 0x80;
}

/* The length of the Java identifier at `text`; 0: there is none. */
static size_t identifier(const char *text)
{
	size_t n = 0;

	while (begins_identifier(text[n]) || (n && isdigit((unsigned char)text[n])))
		n++;
	return n;
}

/* Where the '=' is, if `word` begins a field: [@]name[:unit][@begin]=. NULL: it does not. */
static const char *field_equals(const char *word)
{
	const char *at = word + (*word == '@');
	size_t n = identifier(at);

	if (!n)
		return NULL;
	at += n;
	if (*at == ':') {
		at++;
		while (isalnum((unsigned char)*at))
			at++;
	}
	if (!strncmp(at, AT_BEGIN, strlen(AT_BEGIN)))
		at += strlen(AT_BEGIN);
	return *at == '=' ? at : NULL;
}

static int check_name(const char *name, struct diag *d)
{
	static const char *const reserved[] = {"jdk.", "java.", "jfr.", "frtrace.", "profiler."};
	const char *at = name;

	for (size_t i = 0; i < sizeof(reserved) / sizeof(reserved[0]); i++)
		if (strncmp(name, reserved[i], strlen(reserved[i])) == 0)
			return diag_usage(d, "wrong event '%s': names that begin with '%s' belong to others", name,
					  reserved[i]);
	while (identifier(at)) {
		at += identifier(at);
		if (!*at && strlen(name) <= NAME_MAX_LENGTH)
			return 0;
		if (*at++ != '.')
			break;
	}
	return diag_usage(d,
			  "wrong event '%.300s': it begins with the event's name, as in 'shop.Checkout "
			  "com.acme.Shop::checkout cart=cart.id'",
			  name);
}

static int find_unit(const char *name, size_t length, enum event_unit *unit, struct diag *d)
{
	for (int i = EVENT_BYTES; i < EVENT_UNITS; i++) {
		if (strlen(unit_names[i]) == length && memcmp(unit_names[i], name, length) == 0) {
			*unit = i;
			return 0;
		}
	}
	return diag_usage(d,
			  "wrong unit '%.*s' of a field: it has to be bytes, ns, us, ms, s, epochms, percent, address, "
			  "hz, number, sql, mysql or url",
			  (int)length, name);
}

static int check_field_name(const struct event_spec *e, const char *name, struct diag *d)
{
	static const char *const reserved[] = {
		"startTime",	"duration",    "eventThread", "stackTrace",  "method",	    "thrown",	"cpuTime",
		"runQueueTime", "blockedTime", "pauseTime",   "majorFaults", "minorFaults", "syscalls", "syscallTime",
		"thrownClass",	"allocated",   "traceIdHi",   "traceIdLo",   "spanId"};

	for (size_t i = 0; i < sizeof(reserved) / sizeof(reserved[0]); i++)
		if (strcmp(name, reserved[i]) == 0)
			return diag_usage(d, "wrong field '%s' of event '%s': every event has one of that name", name,
					  e->name);
	for (size_t i = 0; i < e->fields; i++)
		if (strcmp(name, e->field[i].name) == 0)
			return diag_usage(d, "event '%s' has two fields '%s'", e->name, name);
	return 0;
}

size_t event_list_find(const struct event_list *l, const char *name, size_t length)
{
	size_t i = 0;

	while (i < l->count && (strlen(l->event[i].name) != length || memcmp(l->event[i].name, name, length)))
		i++;
	return i;
}

/* Statements are of one kind, whatever their dialects. */
static enum event_unit unit_kind(enum event_unit unit)
{
	return unit == EVENT_MYSQL ? EVENT_SQL : unit;
}

static size_t event_field_find(const struct event_spec *e, const char *name)
{
	size_t i = 0;

	while (i < e->fields && strcmp(e->field[i].name, name))
		i++;
	return i;
}

/* The event and the field of NAME[OBJECT].FIELD. */
static int event_recall_resolve(const struct event_list *l, const char *text, const char *open, const char *field,
				struct event_recall *to, struct diag *d)
{
	const struct event_spec *e;

	to->event = event_list_find(l, text, open - text);
	if (to->event == l->count)
		return diag_usage(d, "wrong expression '%.200s': no -e before it has the event '%.*s'", text,
				  (int)(open - text), text);
	e = &l->event[to->event];
	to->field = event_field_find(e, field);
	if (!e->key)
		return diag_usage(d,
				  "wrong expression '%.200s': event '%s' names no object behind its filter, as in "
				  "'Connection::prepareStatement~return'",
				  text, e->name);
	if (to->field == e->fields)
		return diag_usage(d, "wrong expression '%.200s': event '%s' has no field '%s'", text, e->name, field);
	for (size_t i = 0; i < e->field[to->field].alternatives; i++)
		if (e->field[to->field].recall[i].is)
			return diag_usage(d, "wrong expression '%.200s': field '%s' is itself one of an earlier call",
					  text, field);
	if (event_field_is_computed(&e->field[to->field]))
		return diag_usage(d, "wrong expression '%.200s': field '%s' is computed after the call, and not kept",
				  text, field);
	to->is = true;
	return 0;
}

/* A text that is kept without its values stays one. */
static int event_recall_unit(struct event_field *f, const struct event_field *from, struct diag *d)
{
	if (f->unit == EVENT_NO_UNIT)
		f->unit = from->unit;
	if (f->unit == from->unit || from->unit == EVENT_NO_UNIT)
		return 0;
	return diag_usage(d, "field '%s' recalls the value of '%s', which has another unit: they need the same one",
			  f->name, from->name);
}

/* The field of all events of that name is kept. All of them have it, and leave out of it what one of them does. */
static int event_recall_keep(struct event_list *l, const struct event_recall *r, const char *text, struct diag *d)
{
	for (size_t i = r->event; i < l->count; i++) {
		struct event_field *f = &l->event[i].field[r->field];

		if (strcmp(l->event[i].name, l->event[r->event].name))
			continue;
		if (f->unit != l->event[r->event].field[r->field].unit || event_field_is_recalled(f))
			return diag_usage(d,
					  "wrong expression '%.200s': the events '%s' have the field in different ways",
					  text, l->event[i].name);
		f->kept = true;
	}
	return 0;
}

/* NAME[OBJECT].FIELD becomes OBJECT. */
static int event_recall_find(struct event_list *l, struct event_field *f, size_t alternative, struct diag *d)
{
	struct event_recall *r = &f->recall[alternative];
	char *text = f->alternative[alternative], *open = strchr(text, '['), *close = open ? strchr(open, ']') : NULL;
	int err;

	if (!open)
		return 0;
	if (!close || close[1] != '.' || close == open + 1 || open == text || !close[2])
		return diag_usage(d, "wrong expression '%.200s': a value of an earlier call is EVENT[OBJECT].FIELD",
				  text);
	if (f->difference || f->unit == EVENT_WHOLE)
		return diag_usage(d, "wrong expression '%.200s': a value of an earlier call is not computed with",
				  text);
	err = event_recall_resolve(l, text, open, close + 2, r, d);
	err = err ?: event_recall_unit(f, &l->event[r->event].field[r->field], d);
	if (err)
		return err;
	err = event_recall_keep(l, r, text, d);
	if (err)
		return err;
	*close = 0;
	memmove(text, open + 1, close - open);
	return 0;
}

/* An expression is names with dots between them. What they name depends on the JVM. */
static int check_expression(const char *text, struct diag *d)
{
	const char *at = text;

	while (*at && *at != '.' && *at != ' ') {
		while (*at && *at != '.')
			at++;
		if (!*at)
			return 0;
		at++;
	}
	return diag_usage(d,
			  "wrong expression '%.200s': it is a parameter, arg0, this, return, exception or a static "
			  "field, and '.field' or '.length' behind it",
			  text);
}

/* What a call returns or throws is not known when it begins. */
static int check_begin_of(const struct event_field *f, const char *expression, struct diag *d)
{
	struct slice first = {expression, strcspn(expression, ".")};

	if (!f->at_begin || !(slice_is(first, "return") || slice_is(first, "exception")))
		return 0;
	return diag_usage(d, "wrong field '%s@begin': '%.200s' is known when the call ends", f->name, expression);
}

static int split_alternatives(struct event_list *l, struct event_field *f, struct diag *d)
{
	const char *between = strchr(f->expression, '-') ? "|-" : "|";
	int err = 0;

	f->difference = strchr(f->expression, '-');
	for (const char *at = f->expression; !err; at++) {
		size_t n = strcspn(at, between);

		if (f->alternatives == EVENT_ALTERNATIVES)
			return diag_usage(d, "wrong expression '%.200s': it has more than %u alternatives",
					  f->expression, EVENT_ALTERNATIVES);
		f->alternative[f->alternatives] = strndup(at, n);
		if (!f->alternative[f->alternatives])
			return diag_set(d, ENOMEM, "no memory for events");
		err = event_recall_find(l, f, f->alternatives, d) ?: check_expression(f->alternative[f->alternatives], d)
			?: check_begin_of(f, f->alternative[f->alternatives], d);
		f->alternatives++;
		at += n;
		if (!*at)
			break;
	}
	if (!err && f->difference && (f->alternatives != 2 || strchr(f->expression, '|')))
		err = diag_usage(d, "wrong expression '%.200s': a difference is of two values", f->expression);
	return err;
}

static int event_add_field(struct event_list *l, struct event_spec *e, const char *word, size_t length, struct diag *d)
{
	const char *equals = field_equals(word), *name = word + (*word == '@');
	struct event_field f = {.contextual = *word == '@'};
	size_t n = identifier(name);
	int err = 0;

	f.at_begin = memchr(name, '@', equals - name);
	if (name[n] == ':')
		err = find_unit(name + n + 1, strcspn(name + n + 1, "@="), &f.unit, d);
	if (err)
		return err;
	f.name = strndup(name, n);
	f.expression = strndup(equals + 1, word + length - equals - 1);
	if (!f.name || !f.expression || vec_reserve(&e->field, &e->capacity, e->fields + 1))
		err = diag_set(d, ENOMEM, "no memory for events");
	err = err ?: check_field_name(e, f.name, d) ?: split_alternatives(l, &f, d);
	if (!err && e->fields == EVENT_FIELDS_MAX)
		err = diag_usage(d, "event '%s' has more than %u fields", e->name, EVENT_FIELDS_MAX);
	if (err) {
		event_field_release(&f);
		return err;
	}
	e->field[e->fields++] = f;
	return 0;
}

/* Cut FILTER~EXPR. A method may have that sign in its name, with a backslash before it. */
static int event_take_key(struct event_spec *e, struct diag *d)
{
	char *at = strrchr(e->text, '~');

	if (!at || (at > e->text && at[-1] == '\\'))
		return 0;
	e->key = strdup(at + 1);
	do
		*at = 0;
	while (at > e->text && *--at == ' ');
	if (!e->key)
		return diag_set(d, ENOMEM, "no memory for events");
	if (slice_begins(slice_of(e->key), "exception"))
		return diag_usage(d, "wrong event '%s': a call that ends with an exception keeps nothing for others",
				  e->name);
	return check_expression(e->key, d);
}

/* The first word from which on all words are fields. */
static const char *fields_begin_at(const char *text)
{
	const char *begin = text + strlen(text);

	for (const char *at = begin; at > text;) {
		while (at > text && at[-1] == ' ')
			at--;
		while (at > text && at[-1] != ' ')
			at--;
		if (!field_equals(at))
			break;
		begin = at;
	}
	return begin;
}

static int event_add_filter(struct event_spec *e, struct diag *d)
{
	int err;

	if (!*e->text)
		return diag_usage(d,
				  "event '%s' needs a filter after its name, as in 'shop.Checkout "
				  "com.acme.Shop::checkout'",
				  e->name);
	err = filter_list_add(e->filters, e->text, FILTER_TRACE, d);
	if (!err && !filter_list_count(e->filters, FILTER_TRACE))
		err = diag_usage(d, "the filter '%s' of event '%s' chooses no method", e->text, e->name);
	return err;
}

/* beginThread, whose expression is the object behind the second filter. */
static int event_add_since(struct event_spec *e, struct diag *d)
{
	struct event_field f = {.name = strdup(BEGIN_THREAD), .since = true, .alternatives = 1};

	f.expression = e->key;
	f.alternative[0] = strdup(e->key);
	f.label = strdup("Begin Thread");
	f.description = strdup("The thread of the first call with the object");
	e->key = NULL;
	if (!f.name || !f.alternative[0] || !f.label || !f.description || vec_reserve(&e->field, &e->capacity, 1)) {
		event_field_release(&f);
		return diag_set(d, ENOMEM, "no memory for events");
	}
	e->field[e->fields++] = f;
	return 0;
}

/* FIRST~EXPR => SECOND~EXPR: cut the first one. */
static int event_take_from(struct event_spec *e, struct diag *d)
{
	char *arrow = strstr(e->text, ARROW), *second;
	struct event_spec *from;
	int err;

	if (!arrow)
		return event_take_key(e, d);
	if (e->outermost)
		return diag_usage(d, "event '%s' is between two calls, so it cannot be 'outermost'", e->name);
	from = e->from = calloc(1, sizeof(*from));
	second = strdup(arrow + strlen(ARROW) + strspn(arrow + strlen(ARROW), " "));
	while (arrow > e->text && arrow[-1] == ' ')
		arrow--;
	*arrow = 0;
	if (!from || !second) {
		free(second);
		return diag_set(d, ENOMEM, "no memory for events");
	}
	*from = (struct event_spec){
		.name = strdup(e->name), .text = e->text, .filters = filter_list_new(), .begins = true};
	e->text = second;
	if (!from->name || !from->filters)
		return diag_set(d, ENOMEM, "no memory for events");
	err = event_take_key(from, d) ?: event_take_key(e, d);
	if (!err && (!from->key || !e->key))
		err = diag_usage(d,
				 "event '%s' needs the object behind both filters, as in 'Client::send~arg0 => "
				 "Client::done~arg0'",
				 e->name);
	err = err ?: event_add_filter(from, d);
	if (!err && filter_list_threshold(from->filters, UINT64_MAX) != UINT64_MAX)
		err = diag_usage(d, "event '%s': a threshold stands behind the second filter, not behind '%s'", e->name,
				 from->text);
	return err ?: event_add_since(e, d);
}

static int event_parse(struct event_list *l, struct event_spec *e, const char *text, struct diag *d)
{
	const char *fields, *filter;
	int err;

	text += strspn(text, " ");
	filter = text + strcspn(text, " ");
	e->name = strndup(text, filter - text);
	e->filters = filter_list_new();
	if (!e->name || !e->filters)
		return diag_set(d, ENOMEM, "no memory for events");
	err = check_name(e->name, d);
	if (err)
		return err;
	filter += strspn(filter, " ");
	fields = fields_begin_at(filter);
	e->outermost = !strncmp(filter, OUTERMOST, strlen(OUTERMOST)) && filter + strlen(OUTERMOST) < fields;
	if (e->outermost)
		filter += strlen(OUTERMOST) + strspn(filter + strlen(OUTERMOST), " ");
	e->text = strndup(filter, fields - filter);
	for (size_t n = e->text ? strlen(e->text) : 0; n && e->text[n - 1] == ' '; n--)
		e->text[n - 1] = 0;
	if (!e->text)
		return diag_set(d, ENOMEM, "no memory for events");
	err = event_take_from(e, d) ?: event_add_filter(e, d);
	while (!err && *fields) {
		size_t length = strcspn(fields, " ");

		err = event_add_field(l, e, fields, length, d);
		fields += length;
		fields += strspn(fields, " ");
	}
	return err;
}

static int check_same_fields(const struct event_list *l, struct event_spec *e, struct diag *d)
{
	for (size_t i = 0; i < l->count; i++) {
		const struct event_spec *o = &l->event[i];
		bool same = o->fields == e->fields;

		if (strcmp(o->name, e->name) != 0)
			continue;
		for (size_t n = 0; same && n < e->fields; n++)
			same = strcmp(o->field[n].name, e->field[n].name) == 0 &&
			       unit_kind(o->field[n].unit) == unit_kind(e->field[n].unit) &&
			       o->field[n].contextual == e->field[n].contextual &&
			       o->field[n].since == e->field[n].since;
		same = same && !o->key == !e->key;
		for (size_t n = 0; same && n < e->fields; n++) {
			e->field[n].kept = o->field[n].kept;
			same = !e->field[n].kept ||
			       (e->field[n].unit == o->field[n].unit && !event_field_is_recalled(&e->field[n]));
		}
		if (!same)
			return diag_usage(
				d,
				"event '%s' is given twice with different fields: '%s' and '%s' need the same "
				"names and units in one order, and an object both or none",
				e->name, o->text, e->text);
	}
	return 0;
}

/* A long event may be typed in several lines. */
static void make_one_line(char *text)
{
	while (*(text += strcspn(text, "\t\n\r")))
		*text = ' ';
}

int event_list_add(struct event_list *l, const char *text, struct diag *d)
{
	struct event_spec e = {.fields = 0};
	char *words = strdup(text);
	int err;

	if (!words)
		return diag_set(d, ENOMEM, "no memory for events");
	make_one_line(words);
	err = event_parse(l, &e, words, d);
	free(words);
	err = err ?: check_same_fields(l, &e, d);
	if (!err && vec_reserve(&l->event, &l->capacity, l->count + 1))
		err = diag_set(d, ENOMEM, "no memory for events");
	if (err)
		event_release(&e);
	else
		l->event[l->count++] = e;
	return err;
}
