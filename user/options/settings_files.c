// SPDX-License-Identifier: BSD-2-Clause
#include "user/options/settings_files.h"
#include "format/bytes.h"
#include "format/vec.h"
#include "user/options/option_file.h"
#include "user/text/log.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* defined in user/options/jfc_image.S */
extern const char jfc_default[], jfc_default_end[], jfc_profile[], jfc_profile_end[];

static const struct own {
	const char *name, *file_name, *bytes, *end;
} own[] = {
	{"default", "default.jfc", jfc_default, jfc_default_end},
	{"profile", "profile.jfc", jfc_profile, jfc_profile_end},
};

struct settings_files {
	struct jfc **file;
	size_t count, capacity;
	struct bytes notes; /* lines, each with its newline */
};

/* Reads one byte more than allowed, so that jfc_read() detects a file that is too large. */
static int read_path(struct jfc **out, const char *path, struct diag *d)
{
	struct bytes content = {.size = 0};
	int err = option_file_read(&content, path, "settings", JFC_MAX_SIZE + 1, d);

	if (!err)
		err = jfc_read(out, path, bytes_text(&content), content.size, d);
	bytes_release(&content);
	return err;
}

static int settings_files_read_file(struct jfc **out, const char *name, struct diag *d)
{
	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		if (strcmp(name, own[i].name) == 0 || strcmp(name, own[i].file_name) == 0)
			return jfc_read(out, own[i].file_name, own[i].bytes, (size_t)(own[i].end - own[i].bytes), d);
	return read_path(out, name, d);
}

int settings_files_add(struct settings_files **f, const char *name, struct diag *d)
{
	int err;

	if (!*f)
		*f = calloc(1, sizeof(**f));
	if (!*f || vec_reserve(&(*f)->file, &(*f)->capacity, (*f)->count + 1))
		return diag_errno(d, ENOMEM, "cannot read '%.200s'", name);
	err = settings_files_read_file(&(*f)->file[(*f)->count], name, d);
	if (!err)
		(*f)->count++;
	return err;
}

void settings_files_free(struct settings_files *f)
{
	if (!f)
		return;
	for (size_t i = 0; i < f->count; i++)
		jfc_free(f->file[i]);
	free(f->file);
	bytes_release(&f->notes);
	free(f);
}

static int no_memory(struct diag *d)
{
	return diag_errno(d, ENOMEM, "cannot combine settings");
}

/*
 * Set a control to the filters of -m, or of -M, as method-trace= of JFR.start does. Files without that control are
 * unaffected.
 */
static int set_control(struct settings_files *f, const char *control, const struct filter_list *l,
		       enum filter_kind kind, struct diag *d)
{
	struct bytes text = {.size = 0};
	int err = 0;

	for (size_t i = 0; i < filter_list_size(l); i++)
		if (filter_list_kind(l, i) == kind)
			bytes_printf(&text, "%s%s", text.size ? ";" : "", filter_list_text(l, i));
	if (text.failed)
		err = no_memory(d);
	for (size_t i = 0; !err && i < f->count; i++)
		if (jfc_has_control(f->file[i], control))
			err = jfc_set_control(f->file[i], control, bytes_text(&text), d);
	bytes_release(&text);
	return err;
}

static int apply_all(const struct settings_files *f, const char *event, struct jfc_event *e,
		     const struct jfc **of_filter, struct diag *d)
{
	jfc_event_init(e);
	for (size_t i = 0; i < f->count; i++) {
		const struct jfc_setting *before = e->filter_setting;
		int err = jfc_apply(f->file[i], event, e, d);

		if (err)
			return err;
		if (e->filter_setting != before)
			*of_filter = f->file[i];
	}
	return 0;
}

static int note(struct settings_files *f, const struct jfc *j, const struct jfc_setting *s, const char *filter,
		const char *why, struct diag *d)
{
	bytes_printf(&f->notes, "note: '%.200s', line %u: the filter '%.200s' is left out: %.*s\n", jfc_name(j),
		     s->line, filter, (int)strcspn(why, "\n"), why);
	return f->notes.failed ? no_memory(d) : 0;
}

static bool is_blank(const char *text)
{
	return text[strspn(text, " \t\r\n")] == 0;
}

/* Replace control characters by spaces: a filter may span lines, and messages print it on one. */
static void join_lines(char *text)
{
	for (; *text; text++)
		if (iscntrl((unsigned char)*text))
			*text = ' ';
}

static char *strip(char *text)
{
	size_t n;

	text += strspn(text, " ");
	for (n = strlen(text); n && text[n - 1] == ' '; n--)
		text[n - 1] = 0;
	return text;
}

/* Like JFR, leave out invalid filters and keep the rest. */
static int settings_add_filters(struct settings_files *f, const struct jfc *j, const struct jfc_event *e,
				struct filter_list *l, enum filter_kind kind, struct diag *d)
{
	char *copy = strdup(e->filter), *rest = copy, *item;
	int err = copy ? 0 : no_memory(d);

	if (copy)
		join_lines(copy);
	while (!err && (item = strsep(&rest, ";"))) {
		struct diag why = {0};

		item = strip(item);
		if (!*item)
			continue;
		err = filter_list_add(l, item, kind, &why);
		if (err && why.usage)
			err = note(f, j, e->filter_setting, item, why.text, d);
		else if (err)
			*d = why;
	}
	free(copy);
	return err;
}

static int apply_trace(struct settings_files *f, struct settings *s, struct diag *d)
{
	bool chosen = filter_list_count(s->filters, FILTER_TRACE) > 0;
	const struct jfc *of_filter = NULL;
	struct jfc_event e;
	int err = chosen ? set_control(f, "method-trace", s->filters, FILTER_TRACE, d) : 0;

	err = err ?: apply_all(f, "jdk.MethodTrace", &e, &of_filter, d);
	if (err)
		return err;
	if (!s->threshold_given)
		s->threshold_ns = e.threshold_ns;
	s->no_stack |= !e.stack_trace;
	if (chosen || is_blank(e.filter))
		return 0;
	if (!e.enabled)
		return jfc_wrong(of_filter, e.filter_setting, d,
				 "the filter '%.200s' has no effect, as jdk.MethodTrace is not enabled", e.filter);
	return settings_add_filters(f, of_filter, &e, s->filters, FILTER_TRACE, d);
}

static int apply_timing(struct settings_files *f, struct settings *s, struct diag *d)
{
	bool chosen = filter_list_count(s->filters, FILTER_TIMING) > 0;
	const struct jfc *of_filter = NULL;
	struct jfc_event e;
	int err = chosen ? set_control(f, "method-timing", s->filters, FILTER_TIMING, d) : 0;

	err = err ?: apply_all(f, "jdk.MethodTiming", &e, &of_filter, d);
	if (err || !e.enabled)
		return err;
	s->timing_period = e.period;
	if (chosen || is_blank(e.filter))
		return 0;
	return settings_add_filters(f, of_filter, &e, s->filters, FILTER_TIMING, d);
}

int settings_files_apply(struct settings_files *f, struct settings *s, struct diag *d)
{
	return apply_trace(f, s, d) ?: apply_timing(f, s, d);
}

static bool settings_files_is_ours(const char *event)
{
	return strcmp(event, "jdk.MethodTrace") == 0 || strcmp(event, "jdk.MethodTiming") == 0;
}

static void report_others(const struct jfc *j)
{
	size_t n, others = 0;
	const struct jfc_setting *s = jfc_settings(j, &n);

	for (size_t i = 0; i < n; i++)
		others += !settings_files_is_ours(s[i].event);
	log_detail("settings '%s': %zu settings, %zu of them of events that are the JVM's own", jfc_name(j), n, others);
}

void settings_files_report(struct settings_files *f)
{
	if (!f)
		return;
	for (const char *s = bytes_text(&f->notes); *s; s += strcspn(s, "\n") + 1)
		log_line("%.*s", (int)strcspn(s, "\n"), s);
	for (size_t i = 0; i < f->count; i++)
		report_others(f->file[i]);
}
