/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The JVM's own Flight Recorder, started and stopped by the attach socket as jcmd does it (JDK 11 on). The JVM writes
 * into a directory of its user's own in its own /tmp, of which we take the file. A child watches over it: if we are
 * killed, it stops the JVM's recording and removes the directory.
 */
#ifndef USER_PROCESS_JVM_RECORDING_H
#define USER_PROCESS_JVM_RECORDING_H

#include "user/process/target.h"

struct jvm_recording;

/*
 * Start it. `settings` is the name of a configuration that the JVM has ("default", "profile"), or a .jfc file that it
 * can read. -errno with the message where this JVM cannot.
 */
int jvm_recording_start(struct jvm_recording **out, const struct target *t, const char *settings, struct diag *d);

/*
 * Stop it and copy what it recorded into `to`, an empty file. The JVM may have ended meanwhile: what it wrote at its
 * end is taken then. -errno with the message: there is none.
 */
int jvm_recording_stop(struct jvm_recording *r, int to, struct diag *d);

/* Stop it if it still runs, and leave nothing behind. Before target_close(). NULL is fine. */
void jvm_recording_free(struct jvm_recording *r);

#endif
