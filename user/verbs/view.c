// SPDX-License-Identifier: BSD-2-Clause
#include "user/verbs/verbs.h"
#include "user/compare/gate.h"
#include "user/options/mapping_file.h"
#include "user/text/term.h"
#include "user/trace/jfr_files.h"
#include "user/print/printer.h"
#include "user/trace/progress.h"
#include "user/view/views.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define MAX_CELL_HEIGHT 1000 /* no useful cell is higher */

/* Check that the view follows the options that were given. */
static int check_narrowing(const struct verb_args *a, const struct view *v, struct diag *d)
{
	const struct {
		const char *option;
		bool given;
		unsigned int needs;
	} options[] = {
		{"method", a->methods, VIEW_METHODS},
		{"thread", a->thread, VIEW_CALLS},
		{"slower", a->slower_ns, VIEW_CALLS},
		{"from", a->from, VIEW_CALLS},
		{"to", a->to, VIEW_CALLS},
		{"where", a->where, VIEW_CALLS},
		{"depth", a->depth, VIEW_TREE},
		{"min", a->min_given, VIEW_TREE},
		{"merged", a->merged, VIEW_MERGES},
		{"by", a->by, VIEW_BY},
		{"verbose", a->verbose, VIEW_STACKS},
		{"sort", a->sort, VIEW_SORTS},
	};

	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		if (options[i].given && !(v->takes & options[i].needs))
			return diag_usage(d, "view '%s' takes no --%s", v->name, options[i].option);
	return 0;
}

/* Check the operands and set *v to the view. */
static int view_check(const struct verb_args *a, const struct view **v, struct diag *d)
{
	if (a->operands < 2)
		return diag_usage(d, "a view and a file: 'frtrace view NAME FILE', see 'frtrace view --help'");
	*v = view_find(a->operand[0]);
	if (!*v)
		return diag_usage(d, "there is no view '%s', see 'frtrace view --help'", a->operand[0]);
	if (a->json && (*v)->no_json)
		return diag_usage(d, "view '%s' is no table for --json: %s", (*v)->name, (*v)->no_json);
	return check_narrowing(a, *v, d);
}

/* The type behind `events`, or NULL: files may follow at once. */
static const char *view_event(const struct verb_args *a, const struct view *v)
{
	const char *word = a->operand[1], *dot = strrchr(word, '.');

	if (!(v->takes & VIEW_EVENTS) || a->operands < 3 || strchr(word, '/') || strcmp(word, "-") == 0 ||
	    (dot && (strcmp(dot, ".jfr") == 0 || strcmp(dot, ".gz") == 0)))
		return NULL;
	return access(word, F_OK) == 0 ? NULL : word;
}

static int cmd_view_show(struct jfr_files *f, const struct view *v, const struct verb_args *a, const char *event,
			 struct call_filter *filter, struct diag *d)
{
	const struct view_request request = {
		.layout = {a->width ?: term_columns(STDOUT_FILENO) ?: TABLE_WIDTH,
			   a->cell_height < MAX_CELL_HEIGHT ? a->cell_height : MAX_CELL_HEIGHT,
			   a->truncate == TRUNCATE_BEGINNING, a->json},
		.filter = filter,
		.top = a->top,
		.depth = a->depth,
		.min_share = a->min_share,
		.merged = a->merged,
		.whole = a->verbose,
		.event = event,
		.by = a->by,
		.by_self = a->sort == SORT_SELF,
		.diag = d,
	};
	struct printer p;
	int err;

	printer_init(&p, STDOUT_FILENO);
	err = view_show(v, f->file, &request, &p.out);
	progress_end();
	if (!err)
		printer_flush(&p, true);
	if (!err && p.error && p.error != EPIPE)
		err = diag_errno(d, p.error, "cannot write to standard output");
	if (!err)
		err = jfr_files_verdict(f, d);
	printer_release(&p);
	return err;
}

int cmd_view(const struct verb_args *a, struct filter_list *methods, const struct condition_list *conditions,
	     struct diag *d)
{
	const struct call_filter_options options = {
		a->methods ? methods : NULL, a->thread, a->from, a->to, a->slower_ns, a->where};
	struct call_filter filter = {0};
	const struct view *v = NULL;
	struct mapping *mapping = NULL;
	const char *event = NULL;
	struct jfr_files f;
	int err = view_check(a, &v, d) ?: mapping_file_read(&mapping, a->mapping, d);

	if (!err)
		err = call_filter_init(&filter, &options, d);
	if (!err)
		event = view_event(a, v);
	if (!err && (a->by || a->where) && (v->takes & VIEW_EVENTS) && !event)
		err = diag_usage(d, "--%s is for the events of one type: 'frtrace view events NAME --%s FILE'",
				 a->by ? "by" : "where", a->by ? "by=FIELD" : "where='FIELD=VALUE'");
	if (!err)
		err = jfr_files_open(&f, a->operand + 1 + !!event, a->operands - 1 - !!event, "cannot view together",
				     d);
	if (!err) {
		f.file->mapping = mapping;
		progress_begin(f.name, f.size, false);
		err = cmd_view_show(&f, v, a, event, &filter, d);
		if (err >= 0)
			err = gate_run(conditions, NULL, f.file, err, d);
		jfr_files_close(&f);
	}
	call_filter_release(&filter);
	mapping_free(mapping);
	return err;
}
