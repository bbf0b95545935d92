// SPDX-License-Identifier: BSD-2-Clause
#include "user/verbs/verbs.h"
#include "user/exit.h"
#include "user/options/mapping_file.h"
#include "user/trace/jfr_files.h"
#include "user/text/term.h"
#include "user/export/export.h"
#include "user/trace/call_scope.h"
#include "user/trace/progress.h"
#include "user/print/event_types.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int export_check(const struct verb_args *a, struct diag *d)
{
	if (a->collapsed + a->perfetto + a->pprof + a->otlp + a->csv + a->jdk != 1)
		return diag_usage(
			d,
			"one form at a time: 'frtrace export --collapsed FILE', --perfetto, --pprof, --otlp, --csv or --jdk");
	if (a->events && !a->csv)
		return diag_usage(d, "--events is for --csv");
	if (a->events && a->normalize)
		return diag_usage(d, "--norm is for calls, not for --events");
	if (a->weight && !a->collapsed)
		return diag_usage(d, "--weight is for --collapsed");
	if (a->samples && (!(a->collapsed || a->pprof) || a->weight))
		return diag_usage(d, "--samples is for --collapsed and --pprof, without --weight");
	if (!a->operands)
		return diag_usage(d, "no file: 'frtrace export --csv FILE'");
	if (a->jdk && (a->normalize || a->where || a->mapping))
		return diag_usage(d, "--%s is for the other forms",
				  a->normalize ? "norm"
				  : a->where   ? "where"
					       : "mapping");
	if (a->jdk && isatty(STDOUT_FILENO))
		return diag_usage(d, "a recording is no text: 'frtrace export --jdk FILE >OUT.jfr'");
	if (a->perfetto && isatty(STDOUT_FILENO))
		return diag_usage(d, "a trace is no text: 'frtrace export --perfetto FILE >OUT.pftrace'");
	if (a->pprof && isatty(STDOUT_FILENO))
		return diag_usage(d, "a profile is no text: 'frtrace export --pprof FILE >OUT.pb.gz'");
	return 0;
}

static int export_in_form(struct jfr_files *f, const struct verb_args *a, const char *type, struct call_filter *filter,
			  FILE *to)
{
	if (a->jdk)
		return export_jdk(f, to);
	if (type)
		export_events(f->file, type, filter, to);
	else if (a->samples)
		(a->pprof ? export_pprof_samples : export_samples)(f->file, filter, a->normalize, to);
	else if (a->collapsed)
		export_collapsed(f->file, filter, a->weight == WEIGHT_TIME, a->normalize, to);
	else
		(a->perfetto ? export_perfetto
		 : a->pprof  ? export_pprof
		 : a->otlp   ? export_otlp
			     : export_csv)(f->file, filter, a->normalize, to);
	return 0;
}

static int export(struct jfr_files *f, const struct verb_args *a, struct call_filter *filter, struct diag *d)
{
	/* the forms that show what is inside of calls have whole requests */
	enum call_scope scope = a->perfetto || a->otlp ? SCOPE_REQUESTS : SCOPE_CALL;
	char *type = NULL;
	FILE *to;
	int error, err = a->events ? type_named(f->file, a->events, &type, d) : 0;

	if (!err)
		err = call_scope_prepare(filter, scope, type, f->file, d);
	if (!err)
		err = text_open_output(&to, d);
	if (err) {
		free(type);
		return err;
	}
	err = export_in_form(f, a, type, filter, to);
	error = text_close_output(to);
	free(type);
	if (err && err != -ENOMEM)
		return diag_set(d, -err, "cannot export '%s': it is too large in one of its parts", f->name);
	if (err)
		return diag_set(d, -err, "no memory to export '%s'", f->name);
	if (error && error != EPIPE)
		return diag_errno(d, error, "cannot write to standard output");
	return jfr_files_verdict(f, d);
}

int cmd_export(const struct verb_args *a, struct diag *d)
{
	const struct call_filter_options options = {.where = a->where};
	struct call_filter filter = {0};
	struct mapping *mapping = NULL;
	struct jfr_files f;
	int err = export_check(a, d) ?: mapping_file_read(&mapping, a->mapping, d);

	if (!err)
		err = call_filter_init(&filter, &options, d);
	if (!err)
		err = jfr_files_open(&f, a->operand, a->operands, "cannot export", d);
	if (!err) {
		f.file->mapping = mapping;
		progress_begin(f.name, f.size, true);
		err = export(&f, a, &filter, d);
		jfr_files_close(&f);
	}
	call_filter_release(&filter);
	mapping_free(mapping);
	return err;
}
