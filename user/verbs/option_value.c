// SPDX-License-Identifier: BSD-2-Clause
#include "user/verbs/option_value.h"
#include "user/options/event_file.h"
#include "user/options/filter_file.h"
#include "user/options/presets.h"
#include "user/options/settings_files.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_SIZE 32

int option_store_target(struct command_line *c, const char *text, struct diag *d)
{
	struct settings *s = &c->settings;

	if (s->target && strcmp(s->target, text) != 0)
		return diag_usage(d, "one target at a time: both '%s' and '%s' are given", s->target, text);
	if (!*text)
		return diag_usage(d, "wrong --pid '': it is empty, name a pid or a part of the main class or jar");
	s->target = text;
	return 0;
}

static int store_copy(char **field, char *copy, struct diag *d)
{
	if (!copy)
		return diag_set(d, ENOMEM, "no memory for settings");
	free(*field);
	*field = copy;
	return 0;
}

static int store_output(char **field, const char *text, struct diag *d)
{
	int err = settings_check_output(text, d);

	return err ? err : store_copy(field, strdup(text), d);
}

/* Make the path absolute, because the JVM has another working directory. */
static int store_with_jfr(char **field, const char *text, struct diag *d)
{
	const char *name = text ? text : "default";
	size_t length = strlen(name);
	char *path = NULL;

	if (!*name || strpbrk(name, " \t\n\"',="))
		return diag_usage(
			d, "wrong --with-jfr '%s': it has to be default, profile or a .jfc file, without spaces", name);
	if (length > 4 && strcmp(name + length - 4, ".jfc") == 0)
		path = realpath(name, NULL);
	return store_copy(field, path ? path : strdup(name), d);
}

static int store_user(const char **field, const char *text, struct diag *d)
{
	if (!*text)
		return diag_usage(d, "wrong --user '': it is empty, name a user");
	*field = text;
	return 0;
}

/* List choices as "on, off or full". */
static void list_choices(const struct option_choice *choices, char *out, size_t size)
{
	size_t length = 0;

	out[0] = 0;
	for (const struct option_choice *c = choices; c->name && length < size; c++)
		length += snprintf(out + length, size - length, "%s%s", c == choices ? "" : (c[1].name ? ", " : " or "),
				   c->name);
}

static int store_choice(unsigned int *field, const struct option_row *o, const char *text, struct diag *d)
{
	char list[128];

	for (const struct option_choice *c = o->choices; c->name; c++) {
		if (strcmp(text, c->name) == 0) {
			*field = c->value;
			return 0;
		}
	}
	list_choices(o->choices, list, sizeof(list));
	return diag_usage(d, "wrong --%s '%s': it has to be %s", o->name, text, list);
}

/* Format a limit as a user would type it. */
static const char *limit_text(const struct option_row *o, uint64_t limit, char out[NAME_SIZE])
{
	static const char *const times[] = {"ns", "us", "ms", "s"}, *const sizes[] = {"", "k", "m", "g"};
	const char *const *units = o->kind == OPTION_TIME ? times : o->kind == OPTION_SIZE ? sizes : NULL;
	uint64_t step = o->kind == OPTION_TIME ? 1000 : 1024;
	size_t unit = 0;

	for (; units && unit < 3 && limit && limit % step == 0; unit++)
		limit /= step;
	snprintf(out, NAME_SIZE, "%" PRIu64 "%s", limit, units ? units[unit] : "");
	return out;
}

static int check_limits(const struct option_row *o, const char *text, uint64_t value, struct diag *d)
{
	char min[NAME_SIZE], max[NAME_SIZE];

	if (value >= o->min && (!o->max || value <= o->max))
		return 0;
	if (o->max)
		return diag_usage(d, "wrong --%s '%s': it has to be %s to %s", o->name, text,
				  limit_text(o, o->min, min), limit_text(o, o->max, max));
	if (o->min == 1)
		return diag_usage(d, "wrong --%s '%s': it has to be more than 0", o->name, text);
	return diag_usage(d, "wrong --%s '%s': it has to be at least %s", o->name, text, limit_text(o, o->min, min));
}

static int parse_number(const struct option_row *o, const char *text, uint64_t *value, struct diag *d)
{
	char name[NAME_SIZE], seconds[2 * NAME_SIZE];

	snprintf(name, sizeof(name), "--%s", o->name);
	if (o->seconds && *text && !text[strspn(text, "0123456789")]) {
		snprintf(seconds, sizeof(seconds), "%ss", text);
		text = seconds;
	}
	switch (o->kind) {
	case OPTION_TIME: return settings_parse_time(name, text, value, d);
	case OPTION_SIZE: return settings_parse_size(name, text, value, d);
	case OPTION_PERCENT: return settings_parse_percent(name, text, o->max, value, d);
	default: return settings_parse_count(name, text, value, d);
	}
}

static int store_number(void *field, const struct option_row *o, const char *text, struct diag *d)
{
	uint64_t value;
	int err = parse_number(o, text ? text : o->omitted, &value, d);

	if (!err && o->kind != OPTION_PERCENT)
		err = check_limits(o, text, value, d);
	if (err)
		return err;
	if (o->size == sizeof(uint32_t))
		*(uint32_t *)field = value;
	else
		*(uint64_t *)field = value;
	return 0;
}

/* A filter may be given several times. */
static int store_until(struct settings *s, const struct option_row *o, const char *text, struct diag *d)
{
	for (const struct option_choice *c = o->choices; c->name; c++) {
		if (strcmp(text, c->name))
			continue;
		s->until = c->value;
		return 0;
	}
	if (*text && !strpbrk(text, ".:+*@")) /* a choice that is misspelt, rather than a class without a package */
		return diag_usage(d, "--until=%s: call, tasks, or a filter such as 'Reply::complete'", text);
	if (s->until == SETTINGS_UNTIL_TASKS)
		return diag_usage(d, "--until has one meaning: call, tasks, or filters");
	s->until = SETTINGS_UNTIL_NAMED;
	return filter_list_add(s->filters, text, FILTER_UNTIL, d);
}

int option_store(struct command_line *c, const struct option_row *o, const char *text, struct diag *d)
{
	struct filter_list *filters = c->settings.filters;
	void *field = (char *)c + o->at;

	if (o->given)
		*(bool *)((char *)c + o->given) = true;
	switch (o->kind) {
	case OPTION_FLAG: *(bool *)field = true; return 0;
	case OPTION_TEXT: *(const char **)field = text; return 0;
	case OPTION_COUNT:
	case OPTION_TIME:
	case OPTION_SIZE:
	case OPTION_PERCENT: return store_number(field, o, text, d);
	case OPTION_CHOICE: return store_choice(field, o, text, d);
	case OPTION_TARGET: return option_store_target(c, text, d);
	case OPTION_USER: return store_user(field, text, d);
	case OPTION_OUTPUT: return store_output(field, text, d);
	case OPTION_WITH_JFR: return store_with_jfr(field, text, d);
	case OPTION_TRACE: return filter_list_add(filters, text, FILTER_TRACE, d);
	case OPTION_TIMING: return filter_list_add(filters, text, FILTER_TIMING, d);
	case OPTION_EXCLUDE: return filter_list_add(filters, text, FILTER_EXCLUDE, d);
	case OPTION_ROOT: return filter_list_add(filters, text, FILTER_ROOT, d);
	case OPTION_UNTIL: return store_until(&c->settings, o, text, d);
	case OPTION_EVENT: return event_list_add(&c->settings.events, text, d);
	case OPTION_HANDOFF: return handoff_add(&c->settings.handoffs, text, d);
	case OPTION_EVENT_FILE: return event_file_add(&c->settings.events, text, d);
	case OPTION_PRESET: return presets_add(&c->settings, text, d);
	case OPTION_TRACE_FILE: return filter_file_add(filters, text, FILTER_TRACE, d);
	case OPTION_TIMING_FILE: return filter_file_add(filters, text, FILTER_TIMING, d);
	case OPTION_LAMBDA: filter_list_set_lambda(filters, true); return 0;
	case OPTION_SETTINGS: return settings_files_add(field, text, d);
	case OPTION_CONDITION: return condition_add(field, CONDITION_FAIL_IF, text, d);
	case OPTION_DUMP_WHEN: return condition_add(field, CONDITION_DUMP_WHEN, text, d);
	case OPTION_HELP:
	case OPTION_VERSION: break;
	}
	return 0;
}
