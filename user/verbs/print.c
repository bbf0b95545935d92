// SPDX-License-Identifier: BSD-2-Clause
#include "user/verbs/verbs.h"
#include "user/exit.h"
#include "user/trace/jfr_files.h"
#include "user/print/print.h"
#include "user/trace/progress.h"

#include <errno.h>
#include <limits.h>
#include <unistd.h>

static int print_check(const struct verb_args *a, struct diag *d)
{
	if (a->json && a->exact)
		return diag_usage(d, "--json and --exact do not go together");
	return a->operands ? 0 : diag_usage(d, "no file: 'frtrace print FILE'");
}

static int check_output(const struct printer *p, struct diag *d)
{
	if (p->error && p->error != EPIPE)
		return diag_errno(d, p->error, "cannot write to standard output");
	return 0;
}

static int check_selection(const struct select *s, struct diag *d)
{
	if (s->found)
		return 0;
	return diag_usage(d, "the recording has no event type %s%s%s%s", s->events ? "named " : "",
			  s->events ? s->events : "", s->categories ? " of category " : "",
			  s->categories ? s->categories : "");
}

static int print_files(struct jfr_files *f, bool json, struct select *s, struct printer *p, struct diag *d)
{
	int err;

	(json ? print_json : print_text)(f->file, s, p);
	err = check_output(p, d);
	if (err || p->error)
		return err ? err : EXIT_DONE;
	err = jfr_files_verdict(f, d);
	if (!err && f->file->chunks)
		err = check_selection(s, d);
	if (!err && p->too_large)
		err = diag_set(d, EIO, "'%s' is damaged: an event whose values have no end", f->name);
	return err;
}

int cmd_print(const struct verb_args *a, struct diag *d)
{
	struct select select = {.events = a->events, .categories = a->categories};
	struct printer p;
	struct jfr_files f;
	int err = print_check(a, d);

	if (!err)
		err = jfr_files_open(&f, a->operand, a->operands, "cannot print", d);
	if (err)
		return err;
	progress_begin(f.name, f.size, true);
	printer_init(&p, STDOUT_FILENO);
	p.stack_depth = a->stack_depth < UINT_MAX ? a->stack_depth : UINT_MAX;
	p.exact = a->exact;
	err = print_files(&f, a->json, &select, &p, d);
	select_release(&select);
	printer_release(&p);
	jfr_files_close(&f);
	return err;
}
