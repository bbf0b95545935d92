// SPDX-License-Identifier: BSD-2-Clause
#include "user/options/presets.h"
#include "format/vec.h"
#include "user/options/option_file.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_SIZE (1u << 20)
#define NO_CLASS "none"
#define NAME	 "== " /* begins the line before a preset of frtrace's own */

extern const char presets_image[], presets_image_end[];

static int presets_no_memory(struct diag *d)
{
	return diag_set(d, ENOMEM, "no memory for presets");
}

static void preset_release(struct preset *p)
{
	free(p->name);
	free(p->title);
	free(p->text);
	free(p->path);
}

void presets_release(struct presets *p)
{
	for (size_t i = 0; i < p->count; i++)
		preset_release(&p->preset[i]);
	free(p->preset);
	*p = (struct presets){.count = 0};
}

const struct preset *presets_find(const struct presets *p, const char *name)
{
	for (size_t i = 0; i < p->count; i++)
		if (strcmp(p->preset[i].name, name) == 0)
			return &p->preset[i];
	return NULL;
}

/* The first comment, or the name. */
static char *title_of(const char *text, const char *name)
{
	const char *at = text + strspn(text, "# \t");
	size_t n = strcspn(at, "\n");

	return *text == '#' && n ? strndup(at, n) : strdup(name);
}

/* Add a preset, or put it in the place of one of that name. */
static int presets_put(struct presets *p, const char *name, size_t name_length, const char *text, size_t length,
		       const char *path, struct diag *d)
{
	struct preset new = {.name = strndup(name, name_length), .text = strndup(text, length)}, *old;
	bool failed = !new.name || !new.text || vec_reserve(&p->preset, &p->capacity, p->count + 1);

	if (!failed)
		new.title = title_of(new.text, new.name);
	if (path)
		new.path = strdup(path);
	if (failed || !new.title || (path && !new.path)) {
		preset_release(&new);
		return presets_no_memory(d);
	}
	old = (struct preset *)presets_find(p, new.name);
	if (old)
		preset_release(old);
	*(old ?: &p->preset[p->count++]) = new;
	return 0;
}

/* The image is all files, each behind a line with its name. */
static int read_own(struct presets *p, struct diag *d)
{
	const char *at = presets_image, *end = presets_image_end;
	int err = 0;

	while (!err && at < end) {
		const char *name = at + strlen(NAME), *text = memchr(name, '\n', end - name), *next;

		text = text ? text + 1 : end;
		next = memmem(text, end - text, "\n" NAME, strlen("\n" NAME));
		next = next ? next + 1 : end;
		err = presets_put(p, name, text - name - 1, text, next - text, NULL, d);
		at = next;
	}
	return err;
}

static int read_file(struct presets *p, const char *directory, const char *name, struct diag *d)
{
	struct bytes content = {.size = 0};
	char *path;
	int err;

	if (asprintf(&path, "%s/%s", directory, name) < 0)
		return presets_no_memory(d);
	err = option_file_read(&content, path, "preset", MAX_SIZE + 1, d);
	if (!err && content.size > MAX_SIZE)
		err = diag_usage(d, "wrong preset: '%.200s' is larger than 1 MB", path);
	if (!err && content.size && memchr(content.data, 0, content.size))
		err = diag_usage(d, "wrong preset: '%.200s' is no text file", path);
	if (!err)
		err = presets_put(p, name, strlen(name), bytes_text(&content), content.size, path, d);
	bytes_release(&content);
	free(path);
	return err;
}

/* A name that begins with '.' or ends with '~' is no preset's, nor is that of a directory or a pipe. */
static int is_preset(const struct dirent *e)
{
	size_t n = strlen(e->d_name);

	if (e->d_type != DT_REG && e->d_type != DT_LNK && e->d_type != DT_UNKNOWN)
		return 0;
	return e->d_name[0] != '.' && e->d_name[n - 1] != '~' && !strchr(e->d_name, ',');
}

static int read_directory(struct presets *p, const char *path, struct diag *d)
{
	struct dirent **found;
	int n = scandir(path, &found, is_preset, alphasort), err = 0;

	if (n < 0)
		return errno == ENOENT ? 0 : diag_errno(d, errno, "cannot read presets in '%.200s'", path);
	for (int i = 0; i < n; i++) {
		err = err ?: read_file(p, path, found[i]->d_name, d);
		free(found[i]);
	}
	free(found);
	return err;
}

static int order_presets(const void *a, const void *b)
{
	return strcmp(((const struct preset *)a)->name, ((const struct preset *)b)->name);
}

int presets_read(struct presets *out, struct diag *d)
{
	const char *directory = getenv("FRTRACE_PRESETS");
	int err;

	*out = (struct presets){.count = 0};
	err = read_own(out, d) ?: read_directory(out, directory && *directory ? directory : PRESETS_DIRECTORY, d);
	if (err)
		presets_release(out);
	else
		qsort(out->preset, out->count, sizeof(*out->preset), order_presets);
	return err;
}

/* ---- what they say */

struct preset_reading {
	const struct preset *p;
	struct settings *s;
	bool entries;	   /* entry points are roots, */
	uint64_t root_ns;  /* with this threshold */
	bool has_entry;	   /* of this preset */
	char *loaded;	   /* what --loaded of this preset has; NULL: nothing */
	unsigned int line; /* where the option is */
};

static int wrong_line(const struct preset_reading *r, struct diag *d)
{
	struct diag of_line = *d;

	return diag_usage(d, "%s%s%s, line %u: %.800s", r->p->path ? "" : "preset '", r->p->path ?: r->p->name,
			  r->p->path ? "" : "'", r->line, of_line.text);
}

static int add_root(const struct preset_reading *r, const char *filter, struct diag *d)
{
	char *root;
	int err;

	if (!r->entries)
		return 0;
	if (asprintf(&root, "%s:%lluns", filter, (unsigned long long)r->root_ns) < 0)
		return presets_no_memory(d);
	err = filter_list_add(r->s->filters, root, FILTER_ROOT, d);
	free(root);
	return err;
}

static int preset_add_event(const struct preset_reading *r, const char *text, struct diag *d)
{
	struct event_list *l = &r->s->events;
	struct event_spec *e;
	int err = event_list_add(l, text, d);

	if (err)
		return err;
	e = &l->event[l->count - 1];
	e->entry = r->has_entry;
	e->preset = strdup(r->p->title);
	e->unsaid = r->loaded && !strcmp(r->loaded, NO_CLASS);
	if (r->loaded && !e->unsaid)
		e->loaded = strdup(r->loaded);
	if (e->from && !(e->from->preset = strdup(r->p->title)))
		return presets_no_memory(d);
	return e->preset && (!r->loaded || e->unsaid || e->loaded) ? 0 : presets_no_memory(d);
}

static int take_loaded(struct preset_reading *r, const char *name, struct diag *d)
{
	if (!*name || strpbrk(name, "*: \t"))
		return diag_usage(d, "wrong --loaded '%.200s': it has to be the name of a class, or none", name);
	free(r->loaded);
	r->loaded = strdup(name);
	return r->loaded ? 0 : presets_no_memory(d);
}

/* An option with its value, in one line. */
static int add_option(struct preset_reading *r, const char *text, struct diag *d)
{
	struct slice option = {text, strcspn(text, " \t")};
	const char *value = text + option.length + strspn(text + option.length, " \t");

	if (slice_is(option, "-e"))
		return preset_add_event(r, value, d);
	if (slice_is(option, "-m"))
		return filter_list_add(r->s->filters, value, FILTER_TRACE, d);
	if (slice_is(option, "--loaded"))
		return take_loaded(r, value, d);
	if (!slice_is(option, "--inside"))
		return diag_usage(d, "'%.*s' begins no line of a preset: it has to be -e, -m, --inside, --loaded or #",
				  (int)option.length, text);
	r->has_entry = true;
	return add_root(r, value, d);
}

/* Add the option that the lines before this one make, if they do. */
static int end_option(struct preset_reading *r, struct bytes *option, struct diag *d)
{
	int err = option->size ? add_option(r, bytes_text(option), d) : 0;

	err = err ?: option->failed ? presets_no_memory(d) : 0;
	bytes_clear(option);
	return err && d->usage ? wrong_line(r, d) : err;
}

/* Join the lines of each option: with a blank, but behind the ';' of a list. */
static int add_preset(struct preset_reading *r, struct diag *d)
{
	struct bytes option = {.size = 0};
	unsigned int line = 0;
	int err = 0;

	for (const char *at = r->p->text, *end; !err && *at; at = end + (*end != 0)) {
		size_t blanks = strspn(at, " \t"), n;

		end = strchrnul(at, '\n');
		line++;
		for (n = end - at; n && strchr(" \t\r", at[n - 1]);)
			n--;
		if (*at == '#' || n <= blanks)
			continue;
		if (!blanks || !option.size) {
			err = end_option(r, &option, d);
			r->line = line;
		} else if (option.data[option.size - 1] != ';') {
			bytes_put(&option, " ", 1);
		}
		bytes_put(&option, at + blanks, n - blanks);
	}
	err = err ?: end_option(r, &option, d);
	bytes_release(&option);
	return err;
}

static int add_named(struct preset_reading *r, const struct presets *all, const char *name, struct diag *d)
{
	bool any = !strcmp(name, "all");
	int err = 0;

	if (!any && !presets_find(all, name))
		return diag_usage(d, "there is no preset '%.200s', see 'frtrace presets'", name);
	for (size_t i = 0; !err && i < all->count; i++) {
		if (!any && strcmp(all->preset[i].name, name))
			continue;
		r->p = &all->preset[i];
		r->has_entry = false;
		err = add_preset(r, d);
		free(r->loaded);
		r->loaded = NULL;
	}
	return err;
}

static int add_all(struct preset_reading *r, const char *names, struct diag *d)
{
	char *words = strdup(names), *state;
	struct presets all = {.count = 0};
	int err = words ? presets_read(&all, d) : presets_no_memory(d);

	if (!err && !names[strspn(names, ",")])
		err = diag_usage(d, "wrong --preset '%s': it names none, see 'frtrace presets'", names);
	for (char *name = words; !err && (name = strtok_r(name, ",", &state)); name = NULL)
		err = add_named(r, &all, name, d);
	presets_release(&all);
	free(words);
	if (!r->s->string_length_given)
		r->s->string_length = SETTINGS_STATEMENT;
	return err;
}

int presets_add(struct settings *s, const char *names, struct diag *d)
{
	return add_all(&(struct preset_reading){.s = s}, names, d);
}

int presets_add_entries(struct settings *s, struct diag *d)
{
	uint64_t slow_ns = s->threshold_given ? s->threshold_ns : SETTINGS_SLOW;

	s->threshold_ns = 0;
	s->by_entries = true;
	return add_all(&(struct preset_reading){.s = s, .entries = true, .root_ns = slow_ns}, "all", d);
}
