// SPDX-License-Identifier: BSD-2-Clause
#include "user/active.h"
#include "user/log.h"
#include "user/target/dump.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST 32u

struct active_method {
	char name[400], class_name[256];
	unsigned int frames;
};

struct active {
	struct pattern pattern;
	struct active_method method[MOST];
	unsigned int methods;
};

static bool is_matched(const struct active *a, const struct active_frame *f)
{
	char internal[sizeof(f->class_name)];
	size_t length = strlen(f->class_name);

	for (size_t i = 0; i <= length; i++)
		internal[i] = f->class_name[i] == '.' ? '/' : f->class_name[i];
	return pattern_class(&a->pattern, internal, length) != PATTERN_NO &&
	       pattern_method(&a->pattern, internal, length, f->method, strlen(f->method), "", 0);
}

static int see(const struct active_frame *f, void *context)
{
	struct active *a = context;
	char name[400];

	if (!is_matched(a, f))
		return 0;
	snprintf(name, sizeof(name), "%s.%s", f->class_name, f->method);
	for (unsigned int i = 0; i < a->methods; i++) {
		if (!strcmp(a->method[i].name, name)) {
			a->method[i].frames++;
			return 0;
		}
	}
	if (a->methods == MOST)
		return 0;
	snprintf(a->method[a->methods].name, sizeof(name), "%s", name);
	snprintf(a->method[a->methods].class_name, sizeof(f->class_name), "%s", f->class_name);
	a->method[a->methods++].frames = 1;
	return 0;
}

static void print(const struct active *a, struct settings *settings)
{
	struct diag ignored;

	for (unsigned int i = 0; i < a->methods; i++) {
		const struct active_method *m = &a->method[i];

		if (settings->skip_active) {
			log_line("active, its class is left alone: %s", m->name);
			filter_list_add(settings->filters, m->class_name, true, &ignored);
		} else {
			log_line("active on %u %s: %s stays interpreted until it returns (--skip-active leaves its class alone)",
				 m->frames, m->frames == 1 ? "stack" : "stacks", m->name);
		}
	}
}

void active_report(const char *thread_dump, struct settings *settings)
{
	struct active *a = calloc(1, sizeof(*a));
	void *block = NULL;
	struct diag ignored;

	if (!a || filter_list_compile(settings->filters, &block, &a->pattern.size, &ignored))
		goto out;
	a->pattern.block = block;
	dump_each_frame(thread_dump, see, a);
	print(a, settings);
out:
	free(block);
	free(a);
}
