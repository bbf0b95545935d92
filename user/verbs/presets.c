// SPDX-License-Identifier: BSD-2-Clause
#include "user/verbs/verbs.h"
#include "user/exit.h"
#include "user/options/presets.h"

#include <stdio.h>
#include <string.h>

/* "postgresql  JDBC of PostgreSQL" */
static void print_list(const struct presets *all)
{
	size_t width = 0;

	for (size_t i = 0; i < all->count; i++)
		if (strlen(all->preset[i].name) > width)
			width = strlen(all->preset[i].name);
	for (size_t i = 0; i < all->count; i++) {
		const struct preset *p = &all->preset[i];

		printf("%-*s  %s%s%s\n", (int)width, p->name, p->title, p->path ? "   " : "", p->path ?: "");
	}
}

int cmd_presets(const struct verb_args *a, struct diag *d)
{
	const struct preset *p = NULL;
	struct presets all;
	int err = a->operands > 1 ? diag_usage(d, "'frtrace presets' takes one name") : presets_read(&all, d);

	if (err)
		return err;
	if (a->operands)
		p = presets_find(&all, a->operand[0]);
	if (a->operands && !p)
		err = diag_usage(d, "there is no preset '%.200s', see 'frtrace presets'", a->operand[0]);
	else if (p)
		fputs(p->text, stdout);
	else
		print_list(&all);
	presets_release(&all);
	return err ?: EXIT_DONE;
}
