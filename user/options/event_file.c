// SPDX-License-Identifier: BSD-2-Clause
#include "user/options/event_file.h"
#include "filters/quote.h"
#include "format/bytes.h"
#include "format/vec.h"
#include "user/options/option_file.h"
#include "user/text/java_number.h"
#include "user/text/log.h"

#include <ctype.h>
#include <errno.h>
#include <expat.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#define MAX_SIZE  (1u << 20)
#define MAX_DEPTH 8
#define MAX_TEXT  4096u /* of one element */
#define MAX_PATH  256

/* The texts of an element whose content is a text, by its place below <event>. */
enum text { LABEL, DESCRIPTION, CLASS, PATH, METHOD, DESCRIPTOR, EVENT_TEXTS };
enum field_text { FIELD_NAME, FIELD_DESCRIPTION, FIELD_TYPE, FIELD_EXPRESSION, FIELD_TEXTS };

struct file_field {
	char *text[FIELD_TEXTS];
	bool of_method; /* a parameter, or what is returned */
};

struct event_reader {
	XML_Parser parser;
	struct event_list *list;
	const char *file;
	struct diag *d;
	int err;
	char path[MAX_PATH]; /* the open elements: "jfragent/events/event" */
	unsigned depth;
	struct bytes content; /* of the innermost element */
	char *id, *text[EVENT_TEXTS];
	struct file_field *field;
	size_t fields, capacity;
};

/* What an element does when it ends: `end`, or its content becomes a text of the event or of the last field. */
struct known {
	const char *path;
	void (*end)(struct event_reader *r, const char *text);
	enum { NO_TEXT, OF_EVENT, OF_FIELD } keeps;
	int text; /* an enum text or an enum field_text */
};

static void __attribute__((format(printf, 2, 3))) event_file_fail(struct event_reader *r, const char *format, ...)
{
	char text[512];
	va_list list;

	if (r->err)
		return;
	va_start(list, format);
	vsnprintf(text, sizeof(text), format, list);
	va_end(list);
	r->err = diag_usage(r->d, "wrong events: %.200s:%u: %s", r->file, (unsigned)XML_GetCurrentLineNumber(r->parser),
			    text);
	XML_StopParser(r->parser, XML_FALSE);
}

static void event_file_no_memory(struct event_reader *r)
{
	if (r->err)
		return;
	r->err = diag_set(r->d, ENOMEM, "no memory for events");
	XML_StopParser(r->parser, XML_FALSE);
}

static void forget_event(struct event_reader *r)
{
	for (size_t i = 0; i < r->fields; i++)
		for (int t = 0; t < FIELD_TEXTS; t++)
			free(r->field[i].text[t]);
	r->fields = 0;
	for (int t = 0; t < EVENT_TEXTS; t++) {
		free(r->text[t]);
		r->text[t] = NULL;
	}
	free(r->id);
	r->id = NULL;
}

/* ---- what elements say */

static bool is_true(const char *text)
{
	return strcmp(text, "true") == 0 || strcmp(text, "1") == 0;
}

static void keep_text(struct event_reader *r, char **to, const char *text)
{
	free(*to);
	*to = strdup(text);
	if (!*to)
		event_file_no_memory(r);
}

static void keep_field(struct event_reader *r, enum field_text which, const char *text)
{
	if (r->fields)
		keep_text(r, &r->field[r->fields - 1].text[which], text);
}

static void end_converter(struct event_reader *r, const char *text)
{
	event_file_fail(
		r,
		"<converter> '%.100s' is code that would run in the JVM, which frtrace does not do: name a field "
		"with <expression> instead",
		text);
}

static void end_to_string(struct event_reader *r, const char *text)
{
	if (is_true(text))
		log_line(
			"%s: <allowtostring> is not followed: no method of the program is called, and an object that is "
			"no String, number, enum, class or thread is recorded as the name of its class",
			r->file);
}

static void end_emit_on_exception(struct event_reader *r, const char *text)
{
	if (is_true(text))
		event_file_fail(r, "<emitonexception> holds for all events: leave it out and give --thrown");
}

static void end_location(struct event_reader *r, const char *text)
{
	if (strcmp(text, "ENTRY") && strcmp(text, "EXIT") && strcmp(text, "WRAP"))
		event_file_fail(r, "<location> has to be ENTRY, EXIT or WRAP, not '%.40s'", text);
}

/* ---- an event as -e has it */

/* Words of -e have spaces between them, so no text may bring its own. */
static void put_word(struct event_reader *r, struct bytes *out, const char *text, const char *what)
{
	if (!*text || text[strcspn(text, " \t\n\r")])
		event_file_fail(r, "'%.100s' is no %s: it has to be one word", text, what);
	put_text(out, text);
}

static const char *unit_of(struct event_reader *r, const char *type)
{
	static const struct {
		const char *type, *unit;
	} units[] = {{"Bytes", ":bytes"},     {"Timestamp", ":epochms"},  {"Millis", ":ms"},  {"Nanos", ":ns"},
		     {"Address", ":address"}, {"Percentage", ":percent"}, {"None", ""},	      {"Ticks", ""},
		     {"OSThread", ""},	      {"JavaThread", ""},	  {"StackTrace", ""}, {"Class", ""}};

	for (size_t i = 0; type && i < sizeof(units) / sizeof(units[0]); i++)
		if (strcmp(units[i].type, type) == 0)
			return units[i].unit;
	if (type)
		event_file_fail(r, "there is no <contenttype> '%.40s'", type);
	return "";
}

/* The name begins with a capital and lacks what identifiers cannot have. What is the method's has "field" before it. */
static void put_field_name(struct bytes *out, const struct file_field *f)
{
	bool first = true;

	if (f->of_method)
		put_text(out, "field");
	for (const char *name = f->text[FIELD_NAME]; *name; name++) {
		char c = first ? toupper((unsigned char)*name) : *name;

		if (!isalnum((unsigned char)c) && c != '_' && c != '$' && !(c & 0x80))
			continue;
		bytes_put(out, &c, 1);
		first = false;
	}
}

static void put_file_field(struct event_reader *r, struct bytes *out, const struct file_field *f)
{
	if (!f->text[FIELD_NAME] || !f->text[FIELD_EXPRESSION]) {
		event_file_fail(r, "a <%s> of event '%.100s' lacks its <%s>",
				f->text[FIELD_EXPRESSION] ? "parameter" : "field", r->id,
				f->text[FIELD_NAME] ? "expression" : "name");
		return;
	}
	put_text(out, " ");
	put_field_name(out, f);
	put_text(out, unit_of(r, f->text[FIELD_TYPE]));
	put_text(out, "=");
	put_word(r, out, f->text[FIELD_EXPRESSION], "<expression>");
}

static bool put_event(struct event_reader *r, struct bytes *out)
{
	static const char *const names[] = {
		[CLASS] = "class", [METHOD] = "method><name", [DESCRIPTOR] = "method><descriptor"};
	char *filter;

	for (int t = 0; t < EVENT_TEXTS; t++) {
		if ((t == CLASS || t == METHOD || t == DESCRIPTOR) && !r->text[t]) {
			event_file_fail(r, "event '%.100s' lacks its <%s>", r->id, names[t]);
			return false;
		}
	}
	put_word(r, out, r->id, "id of an <event>");
	put_text(out, " ");
	filter = quote_exact(r->text[CLASS], r->text[METHOD], r->text[DESCRIPTOR]);
	if (filter)
		put_text(out, filter);
	else
		event_file_fail(r, "'%.200s' is no <descriptor>, as in (Ljava/lang/String;J)V", r->text[DESCRIPTOR]);
	free(filter);
	for (size_t i = 0; i < r->fields; i++)
		put_file_field(r, out, &r->field[i]);
	bytes_put_u8(out, 0);
	if (out->failed)
		event_file_no_memory(r);
	return !r->err;
}

static char *event_file_take(char **from)
{
	char *text = *from;

	*from = NULL;
	return text;
}

/* Give the event what -e cannot say. */
static void describe_spec(struct event_reader *r, struct event_spec *e)
{
	e->label = event_file_take(&r->text[LABEL]);
	e->description = event_file_take(&r->text[DESCRIPTION]);
	e->category = event_file_take(&r->text[PATH]);
	for (size_t i = 0; i < r->fields && i < e->fields; i++) {
		e->field[i].label = event_file_take(&r->field[i].text[FIELD_NAME]);
		e->field[i].description = event_file_take(&r->field[i].text[FIELD_DESCRIPTION]);
		e->field[i].any_object = true;
	}
}

static void end_event(struct event_reader *r, const char *text)
{
	struct bytes words;
	struct diag why = {0};

	bytes_init(&words);
	if (put_event(r, &words)) {
		if (event_list_add(r->list, (char *)words.data, &why))
			event_file_fail(r, "%.400s", why.text);
		else
			describe_spec(r, &r->list->event[r->list->count - 1]);
	}
	bytes_release(&words);
	forget_event(r);
}

#define EVENT	  "jfragent/events/event"
#define PARAMETER EVENT "/method/parameters/parameter"
#define RETURN	  EVENT "/method/returnvalue"
#define FIELD	  EVENT "/fields/field"

static const struct known elements[] = {
	{.path = "jfragent"},
	{.path = "jfragent/config"},
	{.path = "jfragent/config/classprefix"},
	{.path = "jfragent/config/allowtostring", .end = end_to_string},
	{.path = "jfragent/config/allowconverter"},
	{.path = "jfragent/config/emitonexception", .end = end_emit_on_exception},
	{.path = "jfragent/events"},
	{.path = EVENT, .end = end_event},
	{.path = EVENT "/label", .keeps = OF_EVENT, .text = LABEL},
	{.path = EVENT "/name", .keeps = OF_EVENT, .text = LABEL},
	{.path = EVENT "/description", .keeps = OF_EVENT, .text = DESCRIPTION},
	{.path = EVENT "/class", .keeps = OF_EVENT, .text = CLASS},
	{.path = EVENT "/path", .keeps = OF_EVENT, .text = PATH},
	{.path = EVENT "/stacktrace"},
	{.path = EVENT "/rethrow"},
	{.path = EVENT "/location", .end = end_location},
	{.path = EVENT "/method"},
	{.path = EVENT "/method/name", .keeps = OF_EVENT, .text = METHOD},
	{.path = EVENT "/method/descriptor", .keeps = OF_EVENT, .text = DESCRIPTOR},
	{.path = EVENT "/method/parameters"},
	{.path = EVENT "/fields"},
#define VALUE(p)                                                                                               \
	{.path = p}, {.path = p "/name", .keeps = OF_FIELD, .text = FIELD_NAME},                               \
		{.path = p "/description", .keeps = OF_FIELD, .text = FIELD_DESCRIPTION},                      \
		{.path = p "/contenttype", .keeps = OF_FIELD, .text = FIELD_TYPE}, {.path = p "/relationkey"}, \
		{.path = p "/converter", .end = end_converter},
	VALUE(PARAMETER) VALUE(RETURN)
		VALUE(FIELD){.path = FIELD "/expression", .keeps = OF_FIELD, .text = FIELD_EXPRESSION},
};

static const struct known *find_known(const char *path)
{
	for (size_t i = 0; i < sizeof(elements) / sizeof(elements[0]); i++)
		if (strcmp(elements[i].path, path) == 0)
			return &elements[i];
	return NULL;
}

/* ---- expat's callbacks */

static const char *attribute_of(const char **pairs, const char *name)
{
	for (; *pairs; pairs += 2)
		if (strcmp(pairs[0], name) == 0)
			return pairs[1];
	return NULL;
}

static void begin_field(struct event_reader *r, const char *name, const char *expression)
{
	if (r->fields == EVENT_FIELDS_MAX || vec_reserve(&r->field, &r->capacity, r->fields + 1)) {
		event_file_no_memory(r);
		return;
	}
	r->field[r->fields++] = (struct file_field){.text = {NULL}, .of_method = expression};
	if (name)
		keep_field(r, FIELD_NAME, name);
	if (expression)
		keep_field(r, FIELD_EXPRESSION, expression);
}

static void begin_parameter(struct event_reader *r, const char **pairs)
{
	const char *index = attribute_of(pairs, "index");
	char expression[16];

	if (!index || !*index || strlen(index) > 3 || strspn(index, "0123456789") < strlen(index)) {
		event_file_fail(r, "<parameter> lacks its index, as in index=\"0\"");
		return;
	}
	snprintf(expression, sizeof(expression), "arg%d", atoi(index));
	begin_field(r, NULL, expression);
}

static void event_file_begin(void *context, const char *name, const char **pairs)
{
	struct event_reader *r = context;
	size_t length = strlen(r->path);

	if (r->err)
		return;
	if (++r->depth > MAX_DEPTH || length + strlen(name) + 2 > sizeof(r->path)) {
		event_file_fail(r, "elements are nested more than %d deep", MAX_DEPTH);
		return;
	}
	snprintf(r->path + length, sizeof(r->path) - length, "%s%s", length ? "/" : "", name);
	bytes_clear(&r->content);
	if (!find_known(r->path))
		event_file_fail(r,
				r->depth == 1 ? "it begins with <%.40s> and not with <jfragent>"
					      : "<%.40s> is not known here",
				name);
	else if (strcmp(r->path, EVENT) == 0 && !attribute_of(pairs, "id"))
		event_file_fail(r, "<event> lacks its id, which is the event's name, as in id=\"shop.Checkout\"");
	else if (strcmp(r->path, EVENT) == 0)
		keep_text(r, &r->id, attribute_of(pairs, "id"));
	else if (strcmp(r->path, PARAMETER) == 0)
		begin_parameter(r, pairs);
	else if (strcmp(r->path, RETURN) == 0)
		begin_field(r, "Return Value", "return");
	else if (strcmp(r->path, FIELD) == 0)
		begin_field(r, NULL, NULL);
}

static void event_file_text(void *context, const char *text, int length)
{
	struct event_reader *r = context;

	if (r->content.size + (size_t)length > MAX_TEXT)
		event_file_fail(r, "a text of more than %u bytes", MAX_TEXT);
	else
		bytes_put(&r->content, text, (size_t)length);
}

/* Spaces at the ends go, and those inside become one, as the schema has it for most texts. */
static void collapse(char *text)
{
	char *to = text;

	for (const char *from = text; *from; from++) {
		if (!isspace((unsigned char)*from))
			*to++ = *from;
		else if (to > text && to[-1] != ' ')
			*to++ = ' ';
	}
	if (to > text && to[-1] == ' ')
		to--;
	*to = 0;
}

static void event_file_end(void *context, const char *name)
{
	struct event_reader *r = context;
	const struct known *known = find_known(r->path);
	char *text;

	if (r->err)
		return;
	bytes_put_u8(&r->content, 0);
	if (r->content.failed) {
		event_file_no_memory(r);
		return;
	}
	text = (char *)r->content.data;
	collapse(text);
	if (known && known->end)
		known->end(r, text);
	else if (known && known->keeps == OF_EVENT)
		keep_text(r, &r->text[known->text], text);
	else if (known && known->keeps == OF_FIELD)
		keep_field(r, known->text, text);
	bytes_clear(&r->content);
	r->depth--;
	r->path[strrchr(r->path, '/') ? strrchr(r->path, '/') - r->path : 0] = 0;
}

/* Without a document type only XML's five entities exist, so nothing is fetched and nothing expands. */
static void event_file_doctype(void *context, const char *name, const char *system, const char *public_id, int internal)
{
	event_file_fail(context, "a document type is not allowed");
}

int event_file_parse(struct event_list *l, const char *path, const void *bytes, size_t size, struct diag *d)
{
	struct event_reader r = {.parser = XML_ParserCreate(NULL), .list = l, .file = path, .d = d};
	size_t before = l->count;

	if (!r.parser)
		return diag_set(d, ENOMEM, "no memory for events");
	bytes_init(&r.content);
	XML_SetUserData(r.parser, &r);
	XML_SetElementHandler(r.parser, event_file_begin, event_file_end);
	XML_SetCharacterDataHandler(r.parser, event_file_text);
	XML_SetStartDoctypeDeclHandler(r.parser, event_file_doctype);
	if (XML_Parse(r.parser, bytes, (int)size, 1) != XML_STATUS_OK && !r.err)
		event_file_fail(&r, "%s", XML_ErrorString(XML_GetErrorCode(r.parser)));
	if (!r.err && l->count == before)
		event_file_fail(&r, "it has no <event>");
	forget_event(&r);
	free(r.field);
	bytes_release(&r.content);
	XML_ParserFree(r.parser);
	return r.err;
}

int event_file_add(struct event_list *l, const char *path, struct diag *d)
{
	struct bytes content = {.size = 0};
	int err = option_file_read(&content, path, "events", MAX_SIZE + 1, d);

	if (!err && content.size > MAX_SIZE)
		err = diag_usage(d, "wrong events: '%.200s' is larger than 1 MB", path);
	if (!err)
		err = event_file_parse(l, path, bytes_text(&content), content.size, d);
	bytes_release(&content);
	return err;
}
