/* SPDX-License-Identifier: BSD-2-Clause */
/* --with-jfr: the JVM's own recording beside ours, and in the end both in one file. */
#ifndef USER_LIVE_WITH_JFR_H
#define USER_LIVE_WITH_JFR_H

#include "user/process/find.h"

struct with_jfr;

/* Start the JVM's own recording (settings: user/process/jvm_recording.h), to be merged into `path`, our file. */
int with_jfr_start(struct with_jfr **out, const struct target *t, const char *settings, const char *path,
		   struct diag *d);

/* Our recording has stopped: so does the JVM's, once. With `keep` what it wrote stands beside `path`, as NAME-jvm.jfr.
 * Before target_close(). NULL is fine. */
void with_jfr_stop(struct with_jfr *w, bool keep);

/*
 * Put both into `path`, once that is complete (`complete` false: it is not, and both stay as they are). False: it could not
 * be done, and why was said.
 */
bool with_jfr_merge(struct with_jfr *w, bool complete);
void with_jfr_free(struct with_jfr *w);

#endif
