/* SPDX-License-Identifier: BSD-2-Clause */
/* Implements --with-jfr: runs the JVM's own recording beside ours and merges both into one file at the end. */
#ifndef USER_RUN_WITH_JFR_H
#define USER_RUN_WITH_JFR_H

#include "user/process/find.h"

struct with_jfr;

/*
 * Start the JVM's own recording, later to be merged into our file `path`. user/process/jvm_recording.h describes
 * `settings`. Its events that match `context`, names and globs with commas between them (NULL: none), and those that the
 * settings file marks with withContext="true", get the context around them as fields. 0 or -errno with the message.
 */
int with_jfr_start(struct with_jfr **out, const struct target *t, const char *settings, const char *path,
		   const char *context, struct diag *d);

/*
 * Our recording has stopped: stop the JVM's. With `keep` its data is written beside `path`, as NAME-jvm.jfr. Call
 * before target_close(). Further calls do nothing. NULL is fine.
 */
void with_jfr_stop(struct with_jfr *w, bool keep);

/*
 * Merge both into `path` if that file is `complete`; else both stay as they are. False: not merged, and the reason was
 * printed.
 */
bool with_jfr_merge(struct with_jfr *w, bool complete);
void with_jfr_free(struct with_jfr *w);

#endif
