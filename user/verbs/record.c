// SPDX-License-Identifier: BSD-2-Clause
#include "user/verbs/verbs.h"
#include "user/compare/gate.h"
#include "user/exit.h"
#include "user/options/settings_files.h"
#include "user/run/background.h"
#include "user/run/recording.h"
#include "user/text/log.h"
#include "user/verbs/report.h"

/* Write the page that --report asks for. The recording stays as it is, and so does its exit status unless it was 0. */
static int record_report(const struct settings *s, const char *path, int status)
{
	struct diag d = {0};
	int err;

	if (!s->report_wanted || !path || status < 0 || status == EXIT_FAILED)
		return status;
	err = report_recording(path, s->mapping, s->report, &d);
	if (err >= 0)
		return status;
	log_error("frtrace: %s", d.text);
	return status ?: EXIT_INCOMPLETE;
}

/* Judge the file that was written. The program's own failure comes first. */
static int record_judge(const struct settings *s, const char *path, const struct condition_list *conditions, int status,
			struct diag *d)
{
	int judged;

	if (!conditions->count || status < 0 || (!s->program && status == EXIT_FAILED))
		return status;
	judged = gate_run_path(conditions, path, s->program ? EXIT_DONE : status, d);
	return s->program && status ? status : judged;
}

int cmd_record(struct settings *settings, const struct condition_list *conditions, struct diag *d)
{
	struct background *background = NULL;
	struct record_run *run;
	int status;

	log_set(settings->quiet, settings->verbose);
	if (settings->background && !background_begin(&background, &status, d))
		return status;
	settings_files_report(settings->files);
	status = run_recording(&run, settings, background, d);
	status = record_report(settings, run_path(run), status);
	status = record_judge(settings, run_path(run), conditions, status, d);
	run_free(run);
	background_end(background, status);
	return status;
}
