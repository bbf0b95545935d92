// SPDX-License-Identifier: BSD-2-Clause
#include "user/near_classes.h"
#include "filters/near.h"
#include "user/log.h"
#include "user/target/attach.h"

#include <stdlib.h>
#include <string.h>

#define TIMEOUT_MS 15000

/* One line of VM.class_hierarchy: "|  |--com.acme.Cart/0x00007f..." or ".../null". */
static void offer_line(struct near *n, char *line)
{
	char *name = line + strspn(line, "|- \t"), *end = strchr(name, '/');

	if (end)
		*end = 0;
	if (*name && !strchr(name, ' ') && !strstr(name, "$$Lambda"))
		near_offer(n, name, NULL);
}

static char *class_listing(const struct target *t)
{
	static const char *const arguments[] = { "VM.class_hierarchy", NULL };
	char *text = NULL;
	struct diag d;
	int code;

	if (attach_command(t, "jcmd", arguments, TIMEOUT_MS, &code, &text, &d)) {
		log_detail("%s", d.text);
		return NULL;
	}
	return text;
}

void near_classes_print(const struct target *t, const struct filter_list *filters)
{
	char *text = class_listing(t), *rest = text, *line;
	struct near *n = text ? near_new(filters) : NULL;
	const char *best;

	if (n) {
		while ((line = strsep(&rest, "\n")))
			offer_line(n, line);
		for (size_t i = 0; (best = near_best(n, i)); i++)
			log_line("  loaded and near: '%s'", best);
	}
	near_free(n);
	free(text);
}
