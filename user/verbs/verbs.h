/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The verbs, a module each. Each returns an enum exit_status, or -errno with the message. Those that look at a JVM
 * change nothing in it, and nothing on the machine.
 */
#ifndef USER_VERBS_VERBS_H
#define USER_VERBS_VERBS_H

#include "format/diag.h"
#include "filters/condition.h"
#include "user/options/settings.h"
#include "user/verbs/verb_args.h"

/*
 * record, start: trace a running JVM, or start a program and trace one of its JVMs, until something ends the recording.
 * Then judge the file by the conditions. The program's exit status comes first unless it is 0.
 */
int cmd_record(struct settings *settings, const struct condition_list *conditions, struct diag *d);

/*
 * record --follow: trace each JVM that is named so (settings->follow), when it starts, until a signal or the duration
 * ends it. Each has a process of its own, which is an ordinary recording. EXIT_INCOMPLETE if one is, EXIT_FAILED if none
 * was made.
 */
int cmd_follow(const struct settings *settings, struct diag *d);

/* status [TARGET] | dump [TARGET] -o FILE [--last TIME] | stop [TARGET] */
int cmd_status(const struct verb_args *a, struct diag *d);
int cmd_dump(const struct verb_args *a, struct diag *d);
int cmd_stop(const struct verb_args *a, struct diag *d);

/* list: the JVMs of this machine and whether they can be traced, ordered by pid, as lines or as a JSON array. */
int cmd_list(const struct settings *settings, struct diag *d);

/*
 * check: what this kernel, the caller's privileges and the JVM settings->target (may be NULL) allow, what is missing, and
 * which features that affects. EXIT_FAILED if tracing is impossible.
 */
int cmd_check(const struct settings *settings, struct diag *d);

/*
 * methods: those that the filters match in the target, sorted, one per line, or one JSON object. The total goes to
 * stderr. EXIT_INCOMPLETE if some classes could not be read.
 */
int cmd_methods(const struct settings *settings, struct diag *d);

/* presets [NAME]: all, a line for each, or the text of one. */
int cmd_presets(const struct verb_args *a, struct diag *d);

/* What reads recordings. `methods`: those of --method. */
int cmd_summary(const struct verb_args *a, struct diag *d);
int cmd_print(const struct verb_args *a, struct diag *d);
int cmd_view(const struct verb_args *a, struct filter_list *methods, const struct condition_list *conditions,
	     struct diag *d);
int cmd_diff(const struct verb_args *a, struct filter_list *methods, const struct condition_list *conditions,
	     struct diag *d);
int cmd_report(const struct verb_args *a, struct diag *d);
int cmd_export(const struct verb_args *a, struct diag *d);

/* merge: make one recording of several that were made at the same time. */
int cmd_merge(const struct verb_args *a, struct diag *d);

/*
 * recover [-o OUT] FILE: truncate the file after its last whole chunk, and finish a chunk that was only partly flushed.
 * On an error the file is unchanged.
 */
int cmd_recover(const struct verb_args *a, struct diag *d);

#endif
