// SPDX-License-Identifier: BSD-2-Clause
#include "user/verbs/export.h"
#include "user/verbs/cli.h"
#include "user/exit.h"
#include "user/view/jfr_file.h"
#include "user/text/term.h"
#include "user/view/export.h"
#include "user/verbs/verb_args.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const char help[] =
	"Usage: frtrace export --collapsed [--weight=calls|time] | --chrome | --csv FILE\n"
	"The recorded calls for other tools, on standard output.\n"
	"\n"
	"  --collapsed  lines \"main;caller;method N\", for flame graphs: N calls, or nanoseconds with\n"
	"               --weight=time (a call inside of another traced one counts for both)\n"
	"  --chrome     Trace Event JSON, for Perfetto and chrome://tracing: a track for each thread,\n"
	"               with what it waited for\n"
	"  --csv        a line for each call\n";

struct export_options {
	bool collapsed, chrome, csv;
	const char *weight;
};

static int export_check(const struct export_options *o, const struct verb_args *w, struct diag *d)
{
	if (o->collapsed + o->chrome + o->csv != 1)
		return diag_usage(d, "one form at a time: 'frtrace export --collapsed FILE', --chrome or --csv");
	if (o->weight && !o->collapsed)
		return diag_usage(d, "--weight is for --collapsed");
	if (o->weight && strcmp(o->weight, "calls") != 0 && strcmp(o->weight, "time") != 0)
		return diag_usage(d, "wrong --weight '%s': it has to be calls or time", o->weight);
	if (w->operands != 1)
		return diag_usage(d, w->operands ? "one file at a time: 'frtrace export --csv FILE'"
						 : "no file: 'frtrace export --csv FILE'");
	return 0;
}

static int export(struct jfr_file_map *m, const struct export_options *o, struct diag *d)
{
	FILE *to;
	int error, err = text_open_output(&to, d);

	if (err)
		return err;
	if (o->collapsed)
		err = export_collapsed(&m->file, o->weight && strcmp(o->weight, "time") == 0, to);
	else
		err = (o->chrome ? export_chrome : export_csv)(&m->file, to);
	error = text_close_output(to);
	if (err)
		return diag_set(d, -err, "no memory for the calls of '%s'", m->path);
	if (error && error != EPIPE)
		return diag_errno(d, error, "cannot write to standard output");
	return jfr_file_verdict(m, d);
}

int cmd_export(int argc, char **argv, struct diag *d)
{
	struct export_options o = {.weight = NULL};
	const struct verb_option options[] = {{"--collapsed", NULL, &o.collapsed},
					      {"--chrome", NULL, &o.chrome},
					      {"--csv", NULL, &o.csv},
					      {"--weight", &o.weight, NULL},
					      {NULL, NULL, NULL}};
	struct verb_args w = {.verb = "export", .help = help, .options = options};
	struct jfr_file_map m;
	int err = verb_args_read(&w, argc, argv, d);

	if (!err)
		err = export_check(&o, &w, d);
	if (!err)
		err = jfr_file_open(&m, w.operand[0], d);
	if (err)
		return err == CLI_DONE ? EXIT_DONE : err;
	err = export(&m, &o, d);
	jfr_file_close(&m);
	return err;
}
