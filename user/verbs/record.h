/* SPDX-License-Identifier: BSD-2-Clause */
/* Implements `frtrace record` and `frtrace start`. */
#ifndef USER_VERBS_RECORD_H
#define USER_VERBS_RECORD_H

#include "format/diag.h"
#include "user/compare/condition.h"
#include "user/options/settings.h"

/*
 * Trace a running JVM, or start a program and trace one of its JVMs, until something ends the recording. Then judge the
 * file by the conditions. Returns an enum exit_status, the program's exit status unless that is 0, or -errno with the
 * message.
 */
int cmd_record(struct settings *settings, const struct condition_list *conditions, struct diag *d);

#endif
