/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The life of a recording: first everything that can fail without touching the target; then attach the agent, run the
 * loop, and undo everything.
 */
#ifndef USER_RUN_RECORDING_H
#define USER_RUN_RECORDING_H

#include "format/diag.h"
#include "user/options/settings.h"

struct background;
struct record_run;

/*
 * Trace a running JVM, or start a program and trace one of its JVMs, until something ends the recording. The arguments
 * are borrowed; `background` may be NULL. Returns an enum exit_status, the program's, or -errno with the message.
 * *out is set in each case: run_free() ends what the program has left; NULL is fine.
 */
int run_recording(struct record_run **out, struct settings *settings, struct background *background, struct diag *d);
void run_free(struct record_run *r);

/* Where it was recorded to; NULL: nowhere. */
const char *run_path(const struct record_run *r);

#endif
