// SPDX-License-Identifier: BSD-2-Clause
#include "user/record/user_value.h"
#include "filters/java_type.h"
#include "filters/near.h"
#include "user/text/java_number.h"

#include <ctype.h>
#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A text in several records. */
struct gathered {
	uint32_t whole; /* characters, or bytes of a class's name */
	unsigned char bytes[FRT_FIELD_TEXT_MAX * 2];
	size_t size;
};

static bool is_text(uint8_t form)
{
	return form == FRT_FORM_LATIN1 || form == FRT_FORM_UTF16 || form == FRT_FORM_CLASS || form == FRT_FORM_ABSENT;
}

static void gather_piece(struct gathered *g, const struct frt_field *f, size_t begin)
{
	size_t size = f->size < sizeof(f->data) ? f->size : sizeof(f->data);

	size = size > begin ? size - begin : 0;
	if (size > sizeof(g->bytes) - g->size)
		size = sizeof(g->bytes) - g->size;
	memcpy(g->bytes + g->size, f->data + begin, size);
	g->size += size;
}

/* Put the pieces of a text together. Returns the number of records. */
static size_t gather(struct gathered *g, const struct frt_field *f, size_t n)
{
	size_t i = 0;

	g->size = 0;
	memcpy(&g->whole, f->data, sizeof(g->whole));
	gather_piece(g, f, sizeof(g->whole));
	while (f[i].flags & FRT_FIELD_MORE && i + 1 < n && f[i + 1].number == f->number && f[i + 1].form == f->form)
		gather_piece(g, &f[++i], 0);
	return i + 1;
}

static void put_wide(struct bytes *b, uint16_t c)
{
	bytes_put(b, &c, sizeof(c));
}

static void put_ascii(struct bytes *b, const char *text)
{
	while (*text)
		put_wide(b, (unsigned char)*text++);
}

/* Modified UTF-8, JVMS 4.4.7; of a byte that begins no character only the byte is taken. */
static void put_modified(struct bytes *b, const unsigned char *at, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		unsigned char c = at[i];

		if (c >= 0xe0 && i + 2 < size) {
			put_wide(b, (c & 15) << 12 | (at[i + 1] & 63) << 6 | (at[i + 2] & 63));
			i += 2;
		} else if (c >= 0xc0 && i + 1 < size) {
			put_wide(b, (c & 31) << 6 | (at[i + 1] & 63));
			i++;
		} else {
			put_wide(b, c);
		}
	}
}

/* "[[Ljava/lang/String;" as java.lang.String[][]. */
static void put_class_text(struct bytes *b, struct gathered *g)
{
	size_t arrays = 0, end;
	const char *name;

	while (arrays < g->size && g->bytes[arrays] == '[')
		arrays++;
	name = arrays < g->size ? java_primitive(g->bytes[arrays]) : "";
	for (size_t i = 0; i < g->size; i++)
		if (g->bytes[i] == '/')
			g->bytes[i] = '.';
	end = g->size && g->bytes[g->size - 1] == ';' ? g->size - 1 : g->size;
	if (name)
		put_ascii(b, name);
	else if (end > arrays + 1)
		put_modified(b, g->bytes + arrays + 1, end - arrays - 1);
	while (arrays--)
		put_ascii(b, "[]");
}

/* The internal name: "java/lang/String", "[I", "int". */
static const char *class_name_of(char *name, size_t room, const struct gathered *g)
{
	size_t size = g->size < room - 1 ? g->size : room - 1;

	memcpy(name, g->bytes, size);
	name[size] = 0;
	if (name[0] == 'L') {
		name[size - 1] = 0;
		return name + 1;
	}
	return name[0] && !name[1] ? java_primitive(name[0]) : name;
}

static uint64_t read_class(struct jfr_writer *w, const struct gathered *g)
{
	char name[FRT_FIELD_TEXT_MAX + 1];
	struct jfr_class_constant c = {.name = class_name_of(name, sizeof(name), g)};

	return c.name ? jfr_class(w, &c) : 0;
}

/* A text that was cut says how long it is: "abc…(4096)". */
static void put_whole_length(struct bytes *b, uint32_t whole)
{
	char more[16];

	put_wide(b, 0x2026);
	snprintf(more, sizeof(more), "(%" PRIu32 ")", whole);
	put_ascii(b, more);
}

static void read_text(struct jfr_user_value *v, struct gathered *g, uint8_t form, struct bytes *text)
{
	bool wide = form == FRT_FORM_UTF16;
	size_t characters = wide ? g->size / 2 : g->size;

	if (form == FRT_FORM_CLASS) {
		put_class_text(text, g);
		wide = true;
	} else if (wide || characters == g->whole) {
		bytes_put(text, g->bytes, wide ? characters * 2 : characters);
	} else {
		wide = true;
		for (size_t i = 0; i < characters; i++)
			put_wide(text, g->bytes[i]);
	}
	if (form != FRT_FORM_CLASS && characters < g->whole)
		put_whole_length(text, g->whole);
	v->wide = wide;
	v->text = text->data;
	v->length = wide ? text->size / 2 : text->size;
	v->null = text->failed;
}

/* A box, where only the object could say what it is. */
static void read_box(struct jfr_user_value *v, const struct frt_field *f, struct bytes *text)
{
	bool wide = f->form == FRT_FORM_CHAR;
	int64_t n;
	float single;
	double twice;

	memcpy(&n, f->data, sizeof(n));
	memcpy(&single, f->data, sizeof(single));
	memcpy(&twice, f->data, sizeof(twice));
	switch (f->form) {
	case FRT_FORM_BOOLEAN: put_text(text, n ? "true" : "false"); break;
	case FRT_FORM_CHAR: put_wide(text, n); break;
	case FRT_FORM_FLOAT: put_float(text, single); break;
	case FRT_FORM_DOUBLE: put_double(text, twice); break;
	default: put_integer(text, n); break;
	}
	*v = (struct jfr_user_value){
		.wide = wide, .text = text->data, .length = wide ? 1 : text->size, .null = text->failed};
}

static void read_number(struct jfr_user_value *v, enum plan_kind kind, const struct frt_field *f)
{
	bool whole = f->form == FRT_FORM_INTEGER || f->form == FRT_FORM_BOOLEAN || f->form == FRT_FORM_CHAR;

	v->null = kind == PLAN_FLOAT	? f->form != FRT_FORM_FLOAT
		  : kind == PLAN_DOUBLE ? f->form != FRT_FORM_DOUBLE
					: !whole;
	memcpy(&v->number, f->data, kind == PLAN_FLOAT ? 4 : 8);
}

size_t user_value_read(struct jfr_user_value *v, enum plan_kind kind, const struct frt_field *f, size_t n,
		       struct bytes *text, struct jfr_writer *w)
{
	struct gathered g;
	size_t records = 1;

	*v = (struct jfr_user_value){.null = true};
	bytes_clear(text);
	if (is_text(f->form)) {
		records = gather(&g, f, n);
		if (f->form == FRT_FORM_ABSENT)
			return records;
		if (kind == PLAN_TEXT || (kind == PLAN_CLASS && !w && f->form == FRT_FORM_CLASS))
			read_text(v, &g, f->form, text);
		else if (kind == PLAN_CLASS && f->form == FRT_FORM_CLASS)
			v->number = read_class(w, &g);
		if (kind == PLAN_CLASS && w)
			v->null = !v->number;
	} else if (kind == PLAN_TEXT && f->form != FRT_FORM_NULL) {
		read_box(v, f, text);
	} else if (kind < PLAN_TEXT && f->form != FRT_FORM_NULL) {
		read_number(v, kind, f);
	}
	return records;
}

static uint64_t network_order(const uint8_t bytes[8])
{
	uint64_t n;

	memcpy(&n, bytes, sizeof(n));
	return be64toh(n);
}

void user_value_trace(const struct frt_field *f, size_t n, struct jfr_method_trace *call)
{
	size_t i = 0;

	while (i < n && (f[i].number != FRT_FIELD_TRACE || f[i].form != FRT_FORM_TRACE))
		i++;
	if (i == n)
		return;
	call->trace_hi = network_order(f[i].data);
	call->trace_lo = network_order(f[i].data + 8);
	call->span = network_order(f[i].data + 16);
}

int64_t user_value_number(const struct frt_field *f, size_t n, uint16_t number)
{
	int64_t value;

	for (size_t i = 0; i < n; i++) {
		if (f[i].number != number || f[i].form != FRT_FORM_INTEGER)
			continue;
		memcpy(&value, f[i].data, sizeof(value));
		return value < 0 ? JFR_MISSING : value;
	}
	return JFR_MISSING;
}

/* The words behind what was gathered, which are cut off: the wanted field, and those that there are. */
static void take_fields(struct gathered *g, struct value_absent *out)
{
	struct near_names near = {.count = 0};
	char *end = (char *)g->bytes + g->size, *at = memchr(g->bytes, ' ', g->size), *next;

	if (at)
		g->size = at - (char *)g->bytes;
	for (; at; at = next) {
		struct slice word = {++at, 0};

		next = memchr(at, ' ', end - at);
		word.length = next ? next - at : end - at;
		if (near.wanted.at)
			near_names_offer(&near, word);
		else
			near.wanted = word;
	}
	snprintf(out->wanted, sizeof(out->wanted), "%.*s", (int)near.wanted.length, near.wanted.at ?: "");
	near_names_print(&near, out->near, sizeof(out->near));
}

bool user_value_absent(const struct frt_field *f, size_t n, struct value_absent *out)
{
	char text[FRT_FIELD_TEXT_MAX + 1];
	struct gathered g;

	if (f->form != FRT_FORM_ABSENT)
		return false;
	gather(&g, f, n);
	take_fields(&g, out);
	snprintf(out->class_name, sizeof(out->class_name), "%s",
		 g.size ? class_name_of(text, sizeof(text), &g) ?: "" : "");
	java_name_dots(out->class_name);
	return true;
}

/* The class of what was thrown. */
static bool gather_thrown(struct gathered *g, const struct frt_field *f, size_t n)
{
	size_t i = 0;

	while (i < n && FRT_FIELD_INDEX(f[i].number) != FRT_FIELD_THROWN)
		i++;
	if (i == n || f[i].form != FRT_FORM_CLASS)
		return false;
	gather(g, f + i, n - i);
	return g->size;
}

uint64_t user_value_thrown(const struct frt_field *f, size_t n, struct jfr_writer *w)
{
	struct gathered g;

	return gather_thrown(&g, f, n) ? read_class(w, &g) : 0;
}

void user_value_thrown_name(const struct frt_field *f, size_t n, char *out, size_t size)
{
	char text[FRT_FIELD_TEXT_MAX + 1];
	struct gathered g;
	const char *name = gather_thrown(&g, f, n) ? class_name_of(text, sizeof(text), &g) : NULL;

	snprintf(out, size, "%s", name ?: "");
	java_name_dots(out);
}

/* Days from 1970 on, by the proleptic Gregorian calendar: years that begin in March end with the leap day. */
static int64_t days_until(int year, int month, int day)
{
	int64_t y = year - (month <= 2), era = (y >= 0 ? y : y - 399) / 400, of_era = y - era * 400;
	int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;

	return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

/* As Instant.toString(): 2026-11-28T05:22:00.123Z, with 0, 3, 6 or 9 digits of the second. */
static bool read_instant(const char *text, int64_t *ns)
{
	int year, month, day, hour, minute, second, at = 0;
	int64_t fraction = 0, unit = 1000000000;

	if (sscanf(text, "%4d-%2d-%2dT%2d:%2d:%2d%n", &year, &month, &day, &hour, &minute, &second, &at) != 6 || !at)
		return false;
	if (text[at] == '.')
		for (at++; isdigit((unsigned char)text[at]) && unit > 1; at++)
			fraction += (unit /= 10) * (text[at] - '0');
	second += 3600 * hour + 60 * minute;
	return !strcmp(text + at, "Z") &&
	       !__builtin_mul_overflow(86400 * days_until(year, month, day) + second, (int64_t)1000000000, ns) &&
	       !__builtin_add_overflow(*ns, fraction, ns);
}

struct value_amount user_value_amount(const struct jfr_user_value *v)
{
	struct value_amount a = {.form = AMOUNT_NONE};
	char text[64], *end;

	if (v->null || v->wide || !v->length || v->length >= sizeof(text))
		return a;
	memcpy(text, v->text, v->length);
	text[v->length] = 0;
	if (strspn(text, "0123456789-+.eENaInfity") == v->length && text[0] != '+') {
		errno = 0;
		a.whole = strtoll(text, &end, 10);
		if (!*end && !errno)
			a.form = AMOUNT_WHOLE;
		a.decimal = strtod(text, &end);
		if (!*end && !a.form)
			a.form = AMOUNT_DECIMAL;
	} else if (read_instant(text, &a.whole)) {
		a.form = AMOUNT_MOMENT;
	}
	return a;
}

struct jfr_user_value user_value_difference(enum plan_kind kind, const struct value_amount *a,
					    const struct value_amount *b)
{
	struct jfr_user_value v = {.null = true};
	double decimal = a->decimal - b->decimal;

	if (kind == PLAN_LONG && a->form == b->form && (a->form == AMOUNT_WHOLE || a->form == AMOUNT_MOMENT)) {
		v.null = __builtin_sub_overflow(a->whole, b->whole, &v.number);
	} else if (kind == PLAN_DOUBLE && a->form && b->form && a->form != AMOUNT_MOMENT && b->form != AMOUNT_MOMENT) {
		memcpy(&v.number, &decimal, sizeof(decimal));
		v.null = false;
	}
	return v;
}
