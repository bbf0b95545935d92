// SPDX-License-Identifier: BSD-2-Clause
#include "user/verbs/view.h"
#include "user/view/jfr_files.h"
#include "user/view/printer.h"
#include "user/view/progress.h"
#include "user/view/views.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define MAX_CELL_HEIGHT 1000 /* no useful cell is higher */

static const struct view *find_view(const char *name)
{
	const struct view *v = views;

	while (v->name && strcmp(v->name, name) != 0)
		v++;
	return v->name ? v : NULL;
}

/* Check the operands and set *v to the view. */
static int view_check(const struct verb_args *a, const struct view **v, struct diag *d)
{
	if (a->operands < 2)
		return diag_usage(d, "a view and a file: 'frtrace view NAME FILE', see 'frtrace view --help'");
	*v = find_view(a->operand[0]);
	if (!*v)
		return diag_usage(d, "there is no view '%s', see 'frtrace view --help'", a->operand[0]);
	if (a->json && (*v)->no_json)
		return diag_usage(d, "view '%s' is no table for --json: %s", (*v)->name, (*v)->no_json);
	return 0;
}

static int view_show(struct jfr_files *f, const struct view *v, const struct verb_args *a, struct diag *d)
{
	const struct table_layout layout = {a->width,
					    a->cell_height < MAX_CELL_HEIGHT ? a->cell_height : MAX_CELL_HEIGHT,
					    a->truncate == TRUNCATE_BEGINNING, a->json};
	struct printer p;
	int err;

	printer_init(&p, STDOUT_FILENO);
	err = v->show(f->file, &layout, &p.out);
	progress_end();
	if (err)
		err = diag_set(d, -err, "no memory for this view of '%s'", f->name);
	else
		printer_flush(&p, true);
	if (!err && p.error && p.error != EPIPE)
		err = diag_errno(d, p.error, "cannot write to standard output");
	if (!err)
		err = jfr_files_verdict(f, d);
	printer_release(&p);
	return err;
}

int cmd_view(const struct verb_args *a, struct diag *d)
{
	const struct view *v = NULL;
	struct jfr_files f;
	int err = view_check(a, &v, d);

	if (!err)
		err = jfr_files_open(&f, a->operand + 1, a->operands - 1, "cannot view together", d);
	if (err)
		return err;
	progress_begin(f.name, f.size, false);
	err = view_show(&f, v, a, d);
	jfr_files_close(&f);
	return err;
}
