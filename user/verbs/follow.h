/* SPDX-License-Identifier: BSD-2-Clause */
/* Implements `frtrace --follow`. */
#ifndef USER_VERBS_FOLLOW_H
#define USER_VERBS_FOLLOW_H

#include "format/diag.h"
#include "user/options/settings.h"

/*
 * Trace each JVM that is named so (settings->follow), when it starts, until a signal or the duration ends it. Each has a
 * process of its own, which is an ordinary recording. Returns EXIT_DONE, EXIT_INCOMPLETE if a recording is, EXIT_FAILED
 * if none was made, or -errno with the message.
 */
int cmd_follow(const struct settings *settings, struct diag *d);

#endif
