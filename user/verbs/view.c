// SPDX-License-Identifier: BSD-2-Clause
#include "user/verbs/view.h"
#include "user/verbs/cli.h"
#include "user/exit.h"
#include "user/view/jfr_file.h"
#include "user/view/printer.h"
#include "user/view/views.h"
#include "user/verbs/verb_args.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static const char help[] = "Usage: frtrace view [OPTIONS] NAME FILE\n"
			   "What a recording says about the methods that were traced, by frtrace or by JDK 25's JFR.\n"
			   "\n"
			   "  method-timing   the last jdk.MethodTiming of each method\n"
			   "  method-trace    traced methods: calls, times, how many ended by an exception\n"
			   "  method-calls    traced methods and who called them\n"
			   "  slowest         the 20 calls that took longest, and where their time went\n"
			   "  waits           what calls waited for, who woke them, which code waited for locks\n"
			   "  latency         how long calls took, as a histogram\n"
			   "  callers         the tree of callers of each traced method\n"
			   "  open            calls that had not returned at the end of the recording\n"
			   "\n"
			   "      --width=N                 columns of a table; as many as it needs, 80 to 120\n"
			   "      --truncate=beginning|end  what a text that is too long loses; end\n"
			   "      --cell-height=N           lines of a cell at most; 1\n"
			   "      --json                    {\"view\":...,\"rows\":[...]}, a line for each table\n";

struct view_options {
	const char *width, *truncate, *height;
	bool json;
	const struct view *view;
	struct table_layout layout;
};

static const struct view *find_view(const char *name)
{
	const struct view *v = views;

	while (v->name && strcmp(v->name, name) != 0)
		v++;
	return v->name ? v : NULL;
}

static int view_read_layout(struct view_options *o, struct diag *d)
{
	uint64_t width = 0, height = 1;
	int err = o->width ? verb_args_number("--width", o->width, 20, &width, d) : 0;

	if (!err && o->height)
		err = verb_args_number("--cell-height", o->height, 1, &height, d);
	if (!err && width > 10000)
		err = diag_usage(d, "wrong --width '%s': it has to be at most 10000", o->width);
	if (!err && strcmp(o->truncate, "beginning") != 0 && strcmp(o->truncate, "end") != 0)
		err = diag_usage(d, "wrong --truncate '%s': it has to be beginning or end", o->truncate);
	o->layout = (struct table_layout){width, height > 1000 ? 1000 : height, strcmp(o->truncate, "beginning") == 0,
					  o->json};
	return err;
}

static int view_read_options(struct verb_args *w, int argc, char **argv, struct view_options *o, struct diag *d)
{
	const struct verb_option options[] = {
		{"--width", &o->width, NULL},
		{"--truncate", &o->truncate, NULL},
		{"--cell-height", &o->height, NULL},
		{"--json", NULL, &o->json},
		{NULL, NULL, NULL},
	};
	int err;

	*w = (struct verb_args){.verb = "view", .help = help, .options = options};
	err = verb_args_read(w, argc, argv, d);
	w->options = NULL;
	if (!err)
		err = view_read_layout(o, d);
	if (err)
		return err;
	if (w->operands != 2)
		return diag_usage(d, "a view and a file: 'frtrace view NAME FILE', see 'frtrace view --help'");
	o->view = find_view(w->operand[0]);
	if (!o->view)
		return diag_usage(d, "there is no view '%s', see 'frtrace view --help'", w->operand[0]);
	if (o->json && o->view->no_json)
		return diag_usage(d, "view '%s' is no table for --json: %s", o->view->name, o->view->no_json);
	return 0;
}

static int view_show(struct jfr_file_map *m, const struct view_options *o, struct diag *d)
{
	struct printer p;
	int err;

	printer_init(&p, STDOUT_FILENO);
	err = o->view->show(&m->file, &o->layout, &p.out);
	if (err)
		err = diag_set(d, -err, "no memory for this view of '%s'", m->path);
	else
		printer_flush(&p, true);
	if (!err && p.error && p.error != EPIPE)
		err = diag_errno(d, p.error, "cannot write to standard output");
	if (!err)
		err = jfr_file_verdict(m, d);
	printer_release(&p);
	return err;
}

int cmd_view(int argc, char **argv, struct diag *d)
{
	struct view_options o = {.truncate = "end"};
	struct jfr_file_map m;
	struct verb_args w;
	int err = view_read_options(&w, argc, argv, &o, d);

	if (!err)
		err = jfr_file_open(&m, w.operand[1], d);
	if (err)
		return err == CLI_DONE ? EXIT_DONE : err;
	err = view_show(&m, &o, d);
	jfr_file_close(&m);
	return err;
}
