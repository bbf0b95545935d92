// SPDX-License-Identifier: BSD-2-Clause
#include "user/verbs/print.h"
#include "user/verbs/cli.h"
#include "user/exit.h"
#include "user/view/jfr_file.h"
#include "user/view/print.h"
#include "user/verbs/verb_args.h"

#include <errno.h>
#include <unistd.h>

static const char help[] =
	"Usage: frtrace print [OPTIONS] FILE\n"
	"The events of a Flight Recorder file, of whatever origin, in the form of the JDK's 'jfr print'.\n"
	"\n"
	"      --events=A,B           only these: MethodTrace, jdk.MethodTrace, 'jdk.Method*'\n"
	"      --categories=A,B       only those of these categories: 'Java Virtual Machine', JVM\n"
	"      --stack-depth=N        frames of a stack at most; 5\n"
	"      --json                 as JSON\n"
	"      --exact                numbers and times with all their digits\n";

struct print_options {
	struct select select;
	const char *depth;
	bool json, exact;
};

static int print_read_options(struct verb_args *w, int argc, char **argv, struct print_options *o, struct diag *d)
{
	const struct verb_option options[] = {
		{"--events", &o->select.events, NULL}, {"--categories", &o->select.categories, NULL},
		{"--stack-depth", &o->depth, NULL},    {"--json", NULL, &o->json},
		{"--exact", NULL, &o->exact},	       {NULL, NULL, NULL},
	};
	int err;

	*w = (struct verb_args){.verb = "print", .help = help, .options = options};
	err = verb_args_read(w, argc, argv, d);
	w->options = NULL;
	if (err)
		return err;
	if (o->json && o->exact)
		return diag_usage(d, "--json and --exact do not go together");
	if (w->operands != 1)
		return diag_usage(d, w->operands ? "one file at a time: 'frtrace print FILE'"
						 : "no file: 'frtrace print FILE'");
	return 0;
}

static int check_output(const struct printer *p, struct diag *d)
{
	if (p->error == ENOMEM)
		return diag_set(d, ENOMEM, "no memory for what is to be printed");
	if (p->error && p->error != EPIPE)
		return diag_errno(d, p->error, "cannot write to standard output");
	return 0;
}

static int check_selection(const struct print_options *o, struct diag *d)
{
	if (o->select.found)
		return 0;
	return diag_usage(d, "the recording has no event type %s%s%s%s", o->select.events ? "named " : "",
			  o->select.events ? o->select.events : "", o->select.categories ? " of category " : "",
			  o->select.categories ? o->select.categories : "");
}

static int print_map(struct jfr_file_map *m, struct print_options *o, struct printer *p, struct diag *d)
{
	int err = (o->json ? print_json : print_text)(&m->file, &o->select, p);

	if (err)
		return diag_set(d, -err, "no memory for the events of '%s'", m->path);
	err = check_output(p, d);
	if (err || p->error)
		return err ? err : EXIT_DONE;
	err = jfr_file_verdict(m, d);
	if (!err && m->file.chunks)
		err = check_selection(o, d);
	if (!err && p->too_large)
		err = diag_set(d, EIO, "'%s' is damaged: an event whose values have no end", m->path);
	return err;
}

int cmd_print(int argc, char **argv, struct diag *d)
{
	struct print_options o = {.depth = "5"};
	struct printer p;
	struct jfr_file_map m;
	struct verb_args w;
	uint64_t depth;
	int err = print_read_options(&w, argc, argv, &o, d);

	if (!err)
		err = verb_args_number("--stack-depth", o.depth, 0, &depth, d);
	if (!err)
		err = jfr_file_open(&m, w.operand[0], d);
	if (err)
		return err == CLI_DONE ? EXIT_DONE : err;
	printer_init(&p, STDOUT_FILENO);
	p.stack_depth = depth;
	p.exact = o.exact;
	err = print_map(&m, &o, &p, d);
	select_release(&o.select);
	printer_release(&p);
	jfr_file_close(&m);
	return err;
}
