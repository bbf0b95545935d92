// SPDX-License-Identifier: BSD-2-Clause
#include "user/jvm/active.h"
#include "user/hotspot/method.h"
#include "user/text/log.h"
#include "user/jvm/matches.h"
#include "user/jvm/jvm_model.h"
#include "user/process/dump.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct active {
	struct matcher pattern;
	struct jvm_model model;
	struct matches found;
	bool exact; /* `found` is complete */
	bool any;   /* some frame's class may match */
	struct active_list *out;
};

/* a.b.C to a/b/C, cut to the size of the frame's name. */
static const char *internal_name(const struct active_frame *f, char out[sizeof(f->class_name)])
{
	for (size_t i = 0; i < sizeof(f->class_name); i++)
		out[i] = f->class_name[i] == '.' ? '/' : f->class_name[i];
	return out;
}

static enum matcher_answer class_answer(const struct active *a, const struct active_frame *f)
{
	char name[sizeof(f->class_name)];

	internal_name(f, name);
	return matcher_class(&a->pattern, name, strlen(name));
}

static int active_may_match(const struct active_frame *f, void *context)
{
	struct active *a = context;

	a->any |= class_answer(a, f) != MATCHER_NO;
	return a->any;
}

/* The dump does not distinguish overloads, except by line. */
static bool is_at_line(struct active *a, const struct match *m, int line)
{
	struct method_table texts = {.texts = 0};
	struct bytes lines = {.size = 0};
	struct method method;
	bool is = true;

	if (line < 0)
		return true;
	if (!method_read(&method, &a->model.layout, &a->model.remote.mem, m->address, &texts, &lines))
		is = method_has_line(lines.data + method.lines, method.lines_size, a->model.layout.unsigned5_bias,
				     line);
	bytes_release(&lines);
	method_table_release(&texts);
	return is;
}

static bool is_found(struct active *a, const struct active_frame *f, const char *class_name)
{
	const struct matches *found = &a->found;

	for (uint32_t i = matches_first(found, class_name, f->method); i < found->count; i++) {
		const struct match *m = &found->match[i];

		if (strcmp(m->method->class_name, class_name) || strcmp(m->method->name, f->method))
			break;
		if (match_is_traced(m) && is_at_line(a, m, f->line))
			return true;
	}
	return false;
}

static bool is_decided(const struct active *a, const struct active_frame *f, const char *class_name)
{
	struct matcher_decision v =
		matcher_decide(&a->pattern, &(struct matcher_method){.class_name = {class_name, strlen(class_name)},
								     .name = {f->method, strlen(f->method)}});

	return v.trace || v.timing;
}

static bool is_matched(struct active *a, const struct active_frame *f)
{
	char name[sizeof(f->class_name)];

	internal_name(f, name);
	if (class_answer(a, f) == MATCHER_NO)
		return false;
	return a->exact ? is_found(a, f, name) : is_decided(a, f, name);
}

static void read_matches(struct active *a, const struct target *t)
{
	struct diag d;
	int r = jvm_model_open_classes(&a->model, t, &d);

	if (!r) {
		r = matches_find(&a->found, &(struct matches_setup){.layout = &a->model.layout,
								    .mem = &a->model.remote.mem,
								    .pattern = &a->pattern,
								    .jdk_version = t->jdk_version,
								    .pause_us = 20000});
		a->exact = !r && !a->found.incomplete && !a->found.unread;
	} else {
		log_detail("%s", d.text);
	}
}

static int active_count_method(const struct active_frame *f, void *context)
{
	struct active *a = context;
	struct active_list *out = a->out;
	struct active_method *m;
	char name[sizeof(m->name)];

	if (!is_matched(a, f))
		return 0;
	snprintf(name, sizeof(name), "%s.%s", f->class_name, f->method);
	for (m = out->method; m < out->method + out->count; m++) {
		if (strcmp(m->name, name))
			continue;
		m->stacks += m->tid != f->tid;
		m->tid = f->tid;
		return 0;
	}
	if (out->count == ACTIVE_METHODS)
		return 0;
	out->count++;
	*m = (struct active_method){.stacks = 1, .tid = f->tid};
	memcpy(m->name, name, sizeof(name));
	snprintf(m->class_name, sizeof(m->class_name), "%s", f->class_name);
	return 0;
}

void active_find(struct active_list *out, const char *thread_dump, const struct target *t,
		 const struct filter_list *filters)
{
	struct active *a = calloc(1, sizeof(*a));
	void *program = NULL;
	struct diag ignored;

	out->count = 0;
	if (!a || filter_list_compile(filters, &program, &a->pattern.size, &ignored))
		goto out;
	a->pattern.program = program;
	a->out = out;
	if (!dump_each_frame(thread_dump, active_may_match, a))
		goto out;
	read_matches(a, t);
	dump_each_frame(thread_dump, active_count_method, a);
	matches_release(&a->found);
	jvm_model_close(&a->model);
out:
	free(program);
	free(a);
}
