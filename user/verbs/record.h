/* SPDX-License-Identifier: BSD-2-Clause */
/* Implements `frtrace record` and `frtrace start`. */
#ifndef USER_VERBS_RECORD_H
#define USER_VERBS_RECORD_H

#include "format/diag.h"
#include "user/options/settings.h"

/*
 * Trace a running JVM, or start a program and trace one of its JVMs, until something ends the recording. Returns an
 * enum exit_status, the program's exit status, or -errno with the message.
 */
int cmd_record(struct settings *settings, struct diag *d);

#endif
