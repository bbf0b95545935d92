/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The --settings files of a recording. A later file wins over an earlier one,
 * setting by setting, and an option over all of them, as with several
 * settings= and options of JFR.start. -m replaces the filter of the files, and
 * sets their control method-trace.
 */
#ifndef USER_OPTIONS_SETTINGS_FILES_H
#define USER_OPTIONS_SETTINGS_FILES_H

#include "user/options/settings.h"

struct settings_files;

/*
 * Read one more. "default" and "profile", also with .jfc, are frtrace's own
 * (user/options/); everything else is a path. *f is NULL at first, and made. What
 * cannot be read is an error, what is no settings file a usage error.
 */
int settings_files_add(struct settings_files **f, const char *name, struct diag *d);
void settings_files_free(struct settings_files *f);

/*
 * Fill in what no option has set: threshold, stacks, filters, timing. A filter
 * that is none is left out and remembered. A usage error for a wrong value,
 * and where jdk.MethodTrace is off and nothing else is to be recorded.
 */
int settings_files_apply(struct settings_files *f, struct settings *s, struct diag *d);

/* Say what was left out, and with -v what was not looked at. NULL is fine. */
void settings_files_report(const struct settings_files *f);

#endif
