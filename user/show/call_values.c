// SPDX-License-Identifier: BSD-2-Clause
#include "user/show/call_values.h"
#include "user/text/java_number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int64_t narrowed(enum plan_kind kind, int64_t n)
{
	switch (kind) {
	case PLAN_BYTE: return (int8_t)n;
	case PLAN_SHORT: return (int16_t)n;
	case PLAN_INT: return (int32_t)n;
	default: return n;
	}
}

static double real_of(enum plan_kind kind, int64_t bits)
{
	double real;
	float single;

	memcpy(&single, &bits, sizeof(single));
	memcpy(&real, &bits, sizeof(real));
	return kind == PLAN_FLOAT ? (double)single : real;
}

static void put_characters(struct bytes *out, const struct jfr_user_value *v)
{
	struct cursor_text latin1 = {.encoding = TEXT_LATIN1, .data = v->text, .size = v->length, .length = v->length};

	if (v->wide)
		bytes_put_utf16(out, v->text, v->length);
	else
		bytes_put_decoded(out, &latin1);
}

enum otlp_kind call_value_put(struct bytes *out, enum plan_kind kind, const struct jfr_user_value *v)
{
	uint16_t unit = v->number;

	switch (kind) {
	case PLAN_BOOLEAN: put_text(out, v->number & 0xff ? "true" : "false"); return OTLP_BOOLEAN;
	case PLAN_CHAR: bytes_put_utf16(out, &unit, 1); return OTLP_TEXT;
	case PLAN_FLOAT:
	case PLAN_DOUBLE: put_double(out, real_of(kind, v->number)); return OTLP_REAL;
	case PLAN_TEXT: put_characters(out, v); return OTLP_TEXT;
	default: put_integer(out, narrowed(kind, v->number)); return OTLP_INTEGER;
	}
}

bool call_value_is_missing(enum plan_kind kind, const struct jfr_user_value *v)
{
	return (kind == PLAN_TEXT && v->null) || (kind == PLAN_INT && (int32_t)v->number == INT32_MIN) ||
	       (kind == PLAN_LONG && v->number == INT64_MIN);
}

/* ---- of a call */

struct values_print {
	FILE *to;
	struct json json;
	bool as_json, any;
};

static void put_json_value(struct json *j, const char *name, enum otlp_kind kind, struct bytes *text)
{
	char *end = (char *)text->data + text->size - 1; /* its zero */
	double real;

	switch (kind) {
	case OTLP_INTEGER: json_signed(j, name, strtoll((char *)text->data, NULL, 10)); break;
	case OTLP_BOOLEAN: json_bool(j, name, text->data[0] == 't'); break;
	case OTLP_REAL:
		real = strtod((char *)text->data, NULL);
		json_real(j, name, real); /* null if it is none */
		break;
	default: json_bytes(j, name, (char *)text->data, end - (char *)text->data);
	}
}

static void values_on_value(void *context, const char *event, const char *name, enum plan_kind kind,
			    const struct jfr_user_value *v)
{
	struct values_print *p = context;
	bool missing = call_value_is_missing(kind, v);
	enum otlp_kind what = OTLP_TEXT;
	struct bytes text;

	bytes_init(&text);
	if (!missing)
		what = call_value_put(&text, kind, v);
	bytes_put_u8(&text, 0);
	if (text.failed)
		missing = true;
	if (p->as_json && missing)
		json_null(&p->json, name);
	else if (p->as_json)
		put_json_value(&p->json, name, what, &text);
	else if (missing)
		fprintf(p->to, "%s%s=null", p->any ? " " : "", name);
	else
		fprintf(p->to, what == OTLP_TEXT ? "%s%s=\"%s\"" : "%s%s=%s", p->any ? " " : "", name,
			(char *)text.data);
	p->any = true;
	bytes_release(&text);
}

char *call_values_text(const struct recorded_call *call, bool json)
{
	struct values_print p = {.as_json = json};
	char *text = NULL;
	size_t size;

	if (!call->value_count)
		return NULL;
	p.to = open_memstream(&text, &size);
	if (!p.to)
		return NULL;
	json_init(&p.json, p.to);
	if (json)
		json_object(&p.json, NULL);
	recorded_values(call, values_on_value, &p);
	if (json)
		json_end(&p.json);
	if (fclose(p.to) || !p.any) {
		free(text);
		return NULL;
	}
	if (json && size)
		text[size - 1] = 0; /* the end of the line */
	return text;
}
