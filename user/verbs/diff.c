// SPDX-License-Identifier: BSD-2-Clause
#include "user/verbs/verbs.h"
#include "user/compare/diff.h"
#include "user/compare/gate.h"
#include "user/exit.h"
#include "user/export/export.h"
#include "user/trace/call_fields.h"
#include "user/trace/progress.h"
#include "user/page/diff_page.h"
#include "user/text/term.h"
#include "user/verbs/report.h"
#include "user/print/table.h"
#include "user/view/views.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define SHOWN 20

static int diff_check(const struct verb_args *a, const struct condition_list *conditions, struct diag *d)
{
	if (a->operands != 2)
		return diag_usage(d, "two recordings: 'frtrace diff OLD NEW'; each may be a directory");
	if (a->json + a->collapsed + !!a->page > 1)
		return diag_usage(d, "one form at a time: --json, --collapsed or --report");
	if (a->weight && !a->collapsed)
		return diag_usage(d, "--weight is for --collapsed");
	if (a->collapsed && (a->methods || a->top || a->width || a->by))
		return diag_usage(d, "--collapsed has all stacks: --method, --top, --width and --by are for the table");
	if (a->page && a->width)
		return diag_usage(d, "--width is for the table, not for a page");
	return a->page ? report_check_name(a->page, d) : 0;
}

static int diff_read(struct run *r, struct jfr_files *f, const struct verb_args *a, struct filter_list *methods,
		     struct diag *d)
{
	const struct call_filter_options options = {.methods = a->methods ? methods : NULL};
	struct call_filter filter = {0};
	int err = call_filter_init(&filter, &options, d);

	if (!err) {
		progress_begin(f->name, f->size, false);
		run_read(r, f->file, &filter);
		run_read_splits(r, f->file, &filter);
		progress_end();
	}
	call_filter_release(&filter);
	return err;
}

static void diff_show(const struct diff *diff, const struct verb_args *a, FILE *to)
{
	unsigned int width = a->width ?: term_columns(STDOUT_FILENO) ?: TABLE_WIDTH;
	struct bytes out;

	if (a->json) {
		diff_put_json(to, diff);
		return;
	}
	bytes_init(&out);
	diff_put(&out, diff, a->top ?: SHOWN, width);
	fwrite(memory_text(&out), 1, out.size, to);
	bytes_release(&out);
}

static int diff_save_page(const struct diff *diff, const struct jfr_files f[2], const struct verb_args *a,
			  struct diag *d)
{
	struct bytes page;
	int err;

	bytes_init(&page);
	diff_page_put(&page, diff, report_base(f[0].name), report_base(f[1].name), a->top ?: SHOWN);
	err = report_save(&page, a->page, d);
	bytes_release(&page);
	return err;
}

/* One of the two has the field; the other may be older than the event. */
static int diff_check_by(struct jfr_files f[2], const char *by, struct diag *d)
{
	struct bytes near, other;
	int err = 0;

	if (!by || strcmp(by, BY_CLASS) == 0)
		return 0;
	bytes_init(&near);
	bytes_init(&other);
	if (!call_fields_have(f[1].file, NULL, by, &near) && !call_fields_have(f[0].file, NULL, by, &other))
		err = diag_set(d, EINVAL, "no call has a value '%s' by -e to tell calls apart%s", by,
			       memory_text(&near));
	bytes_release(&near);
	bytes_release(&other);
	return err;
}

static int diff_table(struct jfr_files f[2], const struct verb_args *a, struct filter_list *methods, FILE *to,
		      struct diag *d)
{
	struct run runs[2] = {0};
	struct diff diff = {0};
	int err = diff_check_by(f, a->by, d);

	for (int i = 0; i < 2 && a->by; i++) {
		runs[i].names.any_loader = strcmp(a->by, BY_CLASS) == 0;
		runs[i].by = runs[i].names.any_loader ? NULL : a->by;
	}
	err = err ?: diff_read(&runs[0], &f[0], a, methods, d) ?: diff_read(&runs[1], &f[1], a, methods, d);

	if (!err)
		diff_make(&diff, &runs[0], &runs[1]);
	if (!err && a->page)
		err = diff_save_page(&diff, f, a, d);
	else if (!err)
		diff_show(&diff, a, to);
	diff_release(&diff);
	run_release(&runs[0]);
	run_release(&runs[1]);
	return err;
}

static int diff_files(struct jfr_files f[2], const struct verb_args *a, struct filter_list *methods, struct diag *d)
{
	FILE *to;
	int error, err = text_open_output(&to, d);

	if (err)
		return err;
	if (!a->collapsed)
		err = diff_table(f, a, methods, to, d);
	else
		export_collapsed_pair(f[0].file, f[1].file, a->weight == WEIGHT_TIME, a->normalize, to);
	error = text_close_output(to);
	if (!err && error && error != EPIPE)
		err = diag_errno(d, error, "cannot write to standard output");
	return err;
}

/* The worse of the two. */
static int diff_verdict(struct jfr_files f[2], struct diag *d)
{
	int old = jfr_files_verdict(&f[0], d), new = old < 0 ? old : jfr_files_verdict(&f[1], d);

	return new < 0 || new > old ? new : old;
}

int cmd_diff(const struct verb_args *a, struct filter_list *methods, const struct condition_list *conditions,
	     struct diag *d)
{
	struct jfr_files f[2] = {0};
	int err = diff_check(a, conditions, d);

	for (int i = 0; i < 2 && !err; i++)
		err = jfr_files_open(&f[i], a->operand + i, 1, "cannot compare", d);
	if (!err)
		err = diff_files(f, a, methods, d);
	if (!err)
		err = diff_verdict(f, d);
	if (err >= 0)
		err = gate_run(conditions, f[0].file, f[1].file, err, d);
	jfr_files_close(&f[0]);
	jfr_files_close(&f[1]);
	return err;
}
