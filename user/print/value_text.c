// SPDX-License-Identifier: BSD-2-Clause
#include "user/print/value_text.h"
#include "user/text/java_number.h"
#include "user/text/java_time.h"

#include <math.h>
#include <stdio.h>

/* Print a timespan or a timestamp, in ISO 8601 unless it has a content type. False: neither. */
static bool value_text_put_time(struct printer *p, int64_t n, const struct meta_field *f)
{
	struct java_time t;

	if (f->timespan) {
		if (!java_timespan(&t, p->chunk, f, n))
			return false;
		if (f->content_type)
			(p->exact ? put_duration_exact : put_duration)(&p->out, &t);
		else
			put_duration_iso(&p->out, &t);
		return true;
	}
	if (!java_timestamp(&t, p->chunk, f, n))
		return false;
	if (f->content_type)
		put_moment(&p->out, &t, p->utc_offset, p->exact);
	else
		put_moment_iso(&p->out, &t, p->utc_offset);
	return true;
}

static void put_amount_exact(struct bytes *out, int64_t n, const struct meta_field *f)
{
	put_integer(out, n);
	put_text(out, f->bits ? " bit" : " byte");
	put_text(out, n > 1 ? "s" : "");
	put_text(out, f->frequency ? "/s" : "");
}

static bool put_address(struct bytes *out, int64_t n)
{
	char text[24];

	bytes_put(out, text, snprintf(text, sizeof(text), "0x%08lX", n));
	return true;
}

static bool put_percentage(struct printer *p, double part)
{
	put_fixed(&p->out, 100 * part, p->exact ? 9 : 2);
	bytes_put_u8(&p->out, '%');
	return true;
}

/* Print the number with its unit. False: no unit. */
static bool put_measured(struct printer *p, int64_t n, double real, const struct meta_field *f)
{
	if (!f->content_type)
		return false;
	if (f->percentage)
		return put_percentage(p, real);
	if (f->bits || f->bytes) {
		if (p->exact)
			put_amount_exact(&p->out, n, f);
		else
			put_amount(&p->out, n, f->bits, f->frequency);
		return true;
	}
	return f->address && put_address(&p->out, n);
}

static bool is_missing(const struct jfr_value *v, const struct meta_field *f)
{
	if (v->type->kind == META_INT)
		return v->number == INT32_MIN && !f->is_unsigned;
	return v->type->kind == META_LONG && v->number == INT64_MIN && !f->is_unsigned;
}

static void value_text_put_number(struct printer *p, const struct jfr_value *v, const struct meta_field *f)
{
	int64_t n = jfr_value_widened(v, f);
	uint16_t unit = n;

	if ((f->timespan || f->timestamp) && value_text_put_time(p, n, f))
		return;
	if (is_missing(v, f)) {
		put_text(&p->out, "N/A");
		return;
	}
	if (v->type->kind == META_CHAR)
		bytes_put_utf16(&p->out, &unit, 1);
	else if (put_measured(p, n, f->is_unsigned ? (double)(uint64_t)n : (double)n, f))
		return;
	else if (f->is_unsigned)
		put_unsigned(&p->out, n);
	else
		put_integer(&p->out, n);
	if (f->content_type && f->frequency)
		put_text(&p->out, " Hz");
}

static int64_t integer_of(double real)
{
	return real >= 9.2e18 ? INT64_MAX : real <= -9.2e18 ? INT64_MIN : (int64_t)real;
}

static void value_text_put_real(struct printer *p, const struct jfr_value *v, const struct meta_field *f)
{
	if (isnan(v->real) || v->real == -INFINITY) {
		put_text(&p->out, "N/A");
		return;
	}
	if (put_measured(p, integer_of(v->real), v->real, f))
		return;
	if (v->type->kind == META_FLOAT)
		put_float(&p->out, v->real);
	else
		put_double(&p->out, v->real);
	if (f->content_type && f->frequency)
		put_text(&p->out, " Hz");
}

void value_text_put(struct printer *p, const struct jfr_value *v, const struct meta_field *f)
{
	switch (v->kind) {
	case VALUE_BOOLEAN: put_text(&p->out, v->number ? "true" : "false"); break;
	case VALUE_NUMBER: value_text_put_number(p, v, f); break;
	case VALUE_REAL: value_text_put_real(p, v, f); break;
	case VALUE_TEXT:
		bytes_put_u8(&p->out, '"');
		bytes_put_decoded(&p->out, &v->text);
		bytes_put_u8(&p->out, '"');
		break;
	default: put_text(&p->out, "N/A");
	}
}
