/* SPDX-License-Identifier: BSD-2-Clause */
/* Implements `frtrace methods`. */
#ifndef USER_VERBS_METHODS_H
#define USER_VERBS_METHODS_H

#include "format/diag.h"
#include "user/options/settings.h"

/*
 * Print on stdout the methods that the filters match in the target: sorted, one per line, or one JSON object with
 * settings->json. The total goes to stderr. Does not touch the JVM. Returns an exit status, EXIT_INCOMPLETE if some
 * classes could not be read; or -errno with the message.
 */
int cmd_methods(const struct settings *settings, struct diag *d);

#endif
