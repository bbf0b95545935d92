// SPDX-License-Identifier: BSD-2-Clause
#include "user/options/settings.h"
#include "filters/number.h"
#include "filters/redact.h"
#include "format/bytes.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define DEFAULT_NAME	"frtrace-%p-%t.jfr"
#define REPOSITORY_NAME "%t_%p/"

int settings_init(struct settings *s, struct diag *d)
{
	*s = (struct settings){.max_size = SETTINGS_MAX_SIZE,
			       .stack_depth = SETTINGS_STACK_DEPTH,
			       .max_overhead = SETTINGS_OVERHEAD_USUAL,
			       .auto_unhook_ns = SETTINGS_UNHOOK_USUAL,
			       .string_length = SETTINGS_TEXT,
			       .kernel = SETTINGS_KERNEL_ON,
			       .wait_stack_ns = SETTINGS_WAIT_STACK};
	s->filters = filter_list_new();
	return s->filters ? 0 : diag_set(d, ENOMEM, "no memory for settings");
}

void settings_release(struct settings *s)
{
	filter_list_free(s->filters);
	event_list_release(&s->events);
	free(s->output);
	free(s->with_jfr);
	condition_list_release(&s->dump_when);
	*s = (struct settings){0};
}

bool settings_has_roots(const struct settings *s)
{
	return filter_list_count(s->filters, FILTER_ROOT);
}

bool settings_has_tasks(const struct settings *s)
{
	return s->tasks == SETTINGS_TASKS_ON || (s->tasks == SETTINGS_TASKS_AUTO && settings_has_roots(s));
}

bool settings_names_resources(const struct settings *s)
{
	return s->resources == SETTINGS_RESOURCES_ON && !redact_matches(s->redact_key, "resource");
}

uint32_t settings_max_overhead(const struct settings *s)
{
	if (s->max_overhead != SETTINGS_OVERHEAD_USUAL)
		return s->max_overhead;
	return s->lossless_ns ? 0 : SETTINGS_MAX_OVERHEAD;
}

uint64_t settings_unhook_ns(const struct settings *s)
{
	if (s->auto_unhook_ns != SETTINGS_UNHOOK_USUAL)
		return s->auto_unhook_ns;
	for (size_t i = 0; i < filter_list_size(s->filters); i++) {
		const char *text = filter_list_text(s->filters, i);

		if (filter_list_kind(s->filters, i) == FILTER_TRACE && (strchr(text, '*') || !strstr(text, "::")))
			return SETTINGS_UNHOOK;
	}
	return 0;
}

static const struct unit size_units[] = {
	{"", 1},	   {"k", 1ULL << 10}, {"K", 1ULL << 10}, {"m", 1ULL << 20},
	{"M", 1ULL << 20}, {"g", 1ULL << 30}, {"G", 1ULL << 30}, {0},
};

static const struct unit percent_units[] = {{"%", 1}, {"", 1}, {0}};

static int number_check(enum number result, const char *option, const char *text, const char *wanted, struct diag *d)
{
	switch (result) {
	case NUMBER_OK: return 0;
	case NUMBER_NO_UNIT:
		return diag_usage(d, "wrong %s '%s': the unit is missing, as in %sms or %ss", option, text, text, text);
	case NUMBER_TOO_LARGE: return diag_usage(d, "wrong %s '%s': it is too large", option, text);
	default: return diag_usage(d, "wrong %s '%s': it has to be %s", option, text, wanted);
	}
}

int settings_parse_time(const char *option, const char *text, uint64_t *ns, struct diag *d)
{
	return number_check(number_parse(text, strlen(text), time_units, ns), option, text,
			    "a whole number and a unit, ns us ms s m h or d, as in 10ms", d);
}

int settings_parse_size(const char *option, const char *text, uint64_t *bytes, struct diag *d)
{
	return number_check(number_parse(text, strlen(text), size_units, bytes), option, text,
			    "a whole number of bytes, or with k, m or g, as in 500m", d);
}

int settings_parse_count(const char *option, const char *text, uint64_t *count, struct diag *d)
{
	return number_check(number_parse(text, strlen(text), no_units, count), option, text,
			    "a whole number, as in 1000", d);
}

int settings_parse_percent(const char *option, const char *text, uint64_t max, uint64_t *percent, struct diag *d)
{
	bool off = strcmp(text, "off") == 0;
	uint64_t n = 0;

	if (!off && (number_parse(text, strlen(text), percent_units, &n) != NUMBER_OK || n < 1 || n > max))
		return diag_usage(d, "wrong %s '%s': it has to be a whole percentage from 1%% to %" PRIu64 "%%, or off",
				  option, text, max);
	*percent = n;
	return 0;
}

int settings_check_output(const char *text, struct diag *d)
{
	if (!*text)
		return diag_usage(d, "wrong --output '': it is empty, name a file or DIR/");
	for (const char *s = text; (s = strchr(s, '%')); s += 2)
		if (!s[1] || !strchr("pt%", s[1]))
			return diag_usage(d, "wrong --output '%s': of '%%' there are %%p (pid), %%t (time) and %%%%",
					  text);
	return 0;
}

bool settings_to_stdout(const struct settings *s)
{
	return s->output && strcmp(s->output, "-") == 0;
}

bool settings_show_calls(const struct settings *s)
{
	return s->interval_ns || s->lines || s->otlp;
}

static bool is_directory(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* Append `text`, expanding % sequences. */
static void put_expanded(struct bytes *out, const char *text, const char *pid, const char *when)
{
	for (; *text; text++) {
		if (*text != '%' || !text[1])
			bytes_put_u8(out, *text);
		else if (*++text == 'p' || *text == 't')
			bytes_printf(out, "%s", *text == 'p' ? pid : when);
		else
			bytes_put_u8(out, *text);
	}
}

int settings_output_path(const struct settings *s, pid_t pid, time_t now, char **out, struct diag *d)
{
	const char *text = s->output && *s->output ? s->output : DEFAULT_NAME;
	struct bytes path = {.size = 0};
	char number[16], when[64];
	struct tm tm;

	*out = NULL;
	snprintf(number, sizeof(number), "%d", (int)pid);
	if (!localtime_r(&now, &tm) || !strftime(when, sizeof(when), "%Y_%m_%d_%H_%M_%S", &tm))
		return diag_set(d, EINVAL, "cannot name the file: the clock is out of range");
	put_expanded(&path, text, number, when);
	if (path.size && path.data[path.size - 1] == '/')
		put_expanded(&path, REPOSITORY_NAME, number, when);
	else if (is_directory(bytes_text(&path)))
		put_expanded(&path, "/" DEFAULT_NAME, number, when);
	if (path.size < PATH_MAX) {
		*out = bytes_steal_text(&path);
		return *out ? 0 : diag_set(d, ENOMEM, "no memory for the name of the file");
	}
	bytes_release(&path);
	return diag_set(d, ENAMETOOLONG, "cannot name the file: '%.200s' is too long", text);
}
