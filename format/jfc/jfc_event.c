// SPDX-License-Identifier: BSD-2-Clause
/* Interprets the settings of an event type. */
#include "format/jfc/jfc_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void jfc_event_init(struct jfc_event *e)
{
	*e = (struct jfc_event){.stack_trace = true, .filter = ""};
}

int jfc_wrong(const struct jfc *j, const struct jfc_setting *s, struct diag *d, const char *format, ...)
{
	char text[400];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return jfc_wrong_at(j, s->line, s->column, d, "%s", text);
}

static const struct unit {
	const char *name;
	uint64_t ns;
} units[] = {
	{"ns", 1},	    {"us", 1000},	  {"ms", 1000000},	 {"s", 1000000000},
	{"m", 60000000000}, {"h", 3600000000000}, {"d", 86400000000000},
};

bool jfc_parse_time(const char *text, uint64_t *ns)
{
	const char *s = text;
	bool large = false;
	uint64_t n = 0;

	*ns = JFC_INFINITY;
	if (strcmp(text, "infinity") == 0)
		return true;
	for (; *s >= '0' && *s <= '9'; s++) {
		large |= __builtin_mul_overflow(n, 10, &n);
		large |= __builtin_add_overflow(n, (uint64_t)(*s - '0'), &n);
	}
	if (s == text || large || n > JFC_INFINITY)
		return false;
	s += strspn(s, " \t\r\n");
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcmp(s, units[i].name) != 0)
			continue;
		large = __builtin_mul_overflow(n, units[i].ns, &n);
		*ns = large || n > JFC_INFINITY ? JFC_INFINITY : n;
		return true;
	}
	return false;
}

static int parse_flag(const struct jfc *j, const struct jfc_setting *s, bool *value, struct diag *d)
{
	*value = strcmp(s->value, "true") == 0;
	if (*value || strcmp(s->value, "false") == 0)
		return 0;
	return jfc_wrong(j, s, d, "%s of %s is '%.60s', it has to be true or false", s->name, s->event, s->value);
}

static int parse_threshold(const struct jfc *j, const struct jfc_setting *s, uint64_t *ns, struct diag *d)
{
	if (jfc_parse_time(s->value, ns))
		return 0;
	return jfc_wrong(j, s, d, "threshold of %s is '%.60s', it has to be a number and a unit, as in 10 ms", s->event,
			 s->value);
}

static int parse_period(const struct jfc *j, const struct jfc_setting *s, struct jfc_period *p, struct diag *d)
{
	static const char *const names[] = {
		[JFC_EVERY_CHUNK] = "everyChunk", [JFC_BEGIN_CHUNK] = "beginChunk", [JFC_END_CHUNK] = "endChunk"};
	uint64_t ns;

	for (enum jfc_period_kind kind = JFC_EVERY_CHUNK; kind <= JFC_END_CHUNK; kind++)
		if (strcmp(s->value, names[kind]) == 0) {
			*p = (struct jfc_period){.kind = kind};
			return 0;
		}
	if (!jfc_parse_time(s->value, &ns))
		return jfc_wrong(
			j, s, d,
			"period of %s is '%.60s', it has to be everyChunk, beginChunk, endChunk or a time, as in 1 s",
			s->event, s->value);
	if (ns == 0)
		ns = JFC_INFINITY;
	*p = (struct jfc_period){.kind = JFC_TIME, .ns = ns < 1000000 ? 1000000 : ns};
	return 0;
}

static int apply_setting(const struct jfc *j, const struct jfc_setting *s, struct jfc_event *e, struct diag *d)
{
	if (strcmp(s->name, "enabled") == 0)
		return parse_flag(j, s, &e->enabled, d);
	if (strcmp(s->name, "stackTrace") == 0)
		return parse_flag(j, s, &e->stack_trace, d);
	if (strcmp(s->name, "threshold") == 0)
		return parse_threshold(j, s, &e->threshold_ns, d);
	if (strcmp(s->name, "period") == 0)
		return parse_period(j, s, &e->period, d);
	if (strcmp(s->name, "filter") == 0) {
		e->filter = s->value;
		e->filter_setting = s;
	}
	return 0;
}

int jfc_apply(const struct jfc *j, const char *event, struct jfc_event *e, struct diag *d)
{
	for (size_t i = 0; i < j->count; i++) {
		const struct jfc_setting *s = &j->settings[i];
		int err = 0;

		if (strcmp(s->event, event) != 0)
			continue;
		if (s->control && !jfc_names_control(j, s->control))
			err = jfc_wrong(j, s, d, "%.60s of %.60s names the control '%.60s', which is not there",
					s->name, s->event, s->control);
		if (!err)
			err = apply_setting(j, s, e, d);
		if (err)
			return err;
	}
	return 0;
}
