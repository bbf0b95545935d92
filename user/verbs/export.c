// SPDX-License-Identifier: BSD-2-Clause
#include "user/verbs/export.h"
#include "user/exit.h"
#include "user/view/jfr_file.h"
#include "user/text/term.h"
#include "user/view/export.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

static int export_check(const struct verb_args *a, struct diag *d)
{
	if (a->collapsed + a->chrome + a->csv + a->jdk != 1)
		return diag_usage(d, "one form at a time: 'frtrace export --collapsed FILE', --chrome, --csv or --jdk");
	if (a->weight && !a->collapsed)
		return diag_usage(d, "--weight is for --collapsed");
	if (a->operands != 1)
		return diag_usage(d, a->operands ? "one file at a time: 'frtrace export --csv FILE'"
						 : "no file: 'frtrace export --csv FILE'");
	if (a->jdk && isatty(STDOUT_FILENO))
		return diag_usage(d, "a recording is no text: 'frtrace export --jdk FILE >OUT.jfr'");
	return 0;
}

static int export(struct jfr_file_map *m, const struct verb_args *a, struct diag *d)
{
	FILE *to;
	int error, err = text_open_output(&to, d);

	if (err)
		return err;
	if (a->collapsed)
		err = export_collapsed(&m->file, a->weight == WEIGHT_TIME, to);
	else
		err = (a->chrome ? export_chrome : a->csv ? export_csv : export_jdk)(&m->file, to);
	error = text_close_output(to);
	if (err && err != -ENOMEM)
		return diag_set(d, -err, "cannot export '%s': it is too large in one of its parts", m->path);
	if (err)
		return diag_set(d, -err, "no memory for the calls of '%s'", m->path);
	if (error && error != EPIPE)
		return diag_errno(d, error, "cannot write to standard output");
	return jfr_file_verdict(m, d);
}

int cmd_export(const struct verb_args *a, struct diag *d)
{
	struct jfr_file_map m;
	int err = export_check(a, d);

	if (!err)
		err = jfr_file_open(&m, a->operand[0], d);
	if (err)
		return err;
	err = export(&m, a, d);
	jfr_file_close(&m);
	return err;
}
