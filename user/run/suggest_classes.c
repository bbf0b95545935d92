// SPDX-License-Identifier: BSD-2-Clause
#include "user/run/suggest_classes.h"
#include "filters/quote.h"
#include "user/text/log.h"
#include "user/process/attach.h"

#include <stdlib.h>
#include <string.h>

#define TIMEOUT_MS 15000

/* Parse one line of VM.class_hierarchy: "|  |--com.acme.Cart/0x00007f..." or ".../null". */
static void offer_line(struct suggest *n, char *line)
{
	char *name = line + strspn(line, "|- \t"), *end = strchr(name, '/');

	if (end)
		*end = 0;
	if (*name && !strchr(name, ' ') && !strstr(name, "$$Lambda"))
		suggest_offer(n, name, NULL);
}

static char *class_listing(const struct target *t)
{
	static const char *const arguments[] = {"VM.class_hierarchy", NULL};
	char *text = NULL;
	struct diag d;
	int code;

	if (attach_command(t, "jcmd", arguments, TIMEOUT_MS, &code, &text, &d)) {
		log_detail("%s", d.text);
		return NULL;
	}
	return text;
}

static void offer_classes(struct suggest *n, const struct target *t)
{
	char *text = class_listing(t), *rest = text, *line;

	while ((line = strsep(&rest, "\n")))
		offer_line(n, line);
	free(text);
}

static void suggest_classes_offer_methods(struct suggest *n, const struct segment *seg)
{
	const struct frt_skip *s;
	char class_name[1024], method[512];

	for (uint32_t i = 0; (s = segment_skip(seg, i)); i++) {
		if (s->reason != FRT_SKIP_OTHER)
			continue;
		segment_string(seg, s->class_name, class_name, sizeof(class_name));
		segment_string(seg, s->method, method, sizeof(method));
		suggest_offer(n, class_name, method);
	}
}

void suggest_classes_print_best(const struct suggest *n)
{
	const char *best;
	char *word;

	for (size_t i = 0; (best = suggest_best(n, i)); i++) {
		word = quote_shell(best);
		log_line("  loaded and near: %s", word ? word : best);
		free(word);
	}
}

void suggest_classes_print(const struct target *t, const struct segment *seg, const struct filter_list *filters)
{
	struct suggest *n = suggest_new(filters);

	if (!n)
		return;
	suggest_classes_offer_methods(n, seg);
	offer_classes(n, t);
	suggest_classes_print_best(n);
	suggest_free(n);
}
