/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The JVM's own Flight Recorder, started and stopped through the attach socket as jcmd does (since JDK 11). The
 * JVM writes into a directory that its user owns in its own /tmp; frtrace copies the file from there. A child
 * watches over this: if frtrace is killed, or the JVM has not answered whether its recording runs, the child stops it and
 * removes the directory. It tries for ten minutes: a JVM that is stopped answers when it continues.
 */
#ifndef USER_PROCESS_JVM_RECORDING_H
#define USER_PROCESS_JVM_RECORDING_H

#include "user/process/target.h"

struct jvm_recording;

/*
 * Start a recording. `settings` is the name of a configuration of the JVM ("default", "profile"), or a .jfc file
 * that it can read. Returns 0, or -errno with a message if this JVM cannot do it.
 */
int jvm_recording_start(struct jvm_recording **out, const struct target *t, const char *settings, struct diag *d);

/*
 * Stop it and copy the recording into `to`, an empty file. If the JVM has ended, the file that it wrote at its end
 * is used. Returns 0, or -errno with a message if there is none.
 */
int jvm_recording_stop(struct jvm_recording *r, int to, struct diag *d);

/* Stop it if it is still running, and leave nothing behind. Call it before target_close(). NULL is allowed. */
void jvm_recording_free(struct jvm_recording *r);

#endif
