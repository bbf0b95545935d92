/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Combines the --settings files of a recording. Setting by setting, a later file overrides an earlier one, and an
 * option overrides all files, as with several settings= and options of JFR.start. -m replaces the filter in the files
 * and sets their control method-trace.
 */
#ifndef USER_OPTIONS_SETTINGS_FILES_H
#define USER_OPTIONS_SETTINGS_FILES_H

#include "user/options/settings.h"

struct settings_files;

/*
 * Read one more file. "default" and "profile", also with .jfc, are frtrace's own (user/options/); any other name is a
 * path. *f is NULL at first and is then allocated. 0; -errno if the file cannot be read, a usage error if it is no
 * settings file.
 */
int settings_files_add(struct settings_files **f, const char *name, struct diag *d);
void settings_files_free(struct settings_files *f);

/*
 * Fill in settings that no option has set: threshold, stacks, filters, timing. An invalid filter is left out and noted
 * for settings_files_report(). A usage error for an invalid value, and if jdk.MethodTrace is off and nothing else is to
 * be recorded.
 */
int settings_files_apply(struct settings_files *f, struct settings *s, struct diag *d);

/* Print the filters that were left out, and with -v how many settings were ignored. NULL is fine. */
void settings_files_report(struct settings_files *f);

#endif
