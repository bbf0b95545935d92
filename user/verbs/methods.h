/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef USER_VERBS_METHODS_H
#define USER_VERBS_METHODS_H

#include "format/diag.h"
#include "user/options/settings.h"

/*
 * Print on stdout what the filters would hit in the target, a method a line, sorted, or (settings->json) as one object;
 * the sum goes to stderr. Nothing is done to the JVM. An exit status: EXIT_INCOMPLETE when not all classes could be read;
 * or -errno with the message.
 */
int cmd_methods(const struct settings *settings, struct diag *d);

#endif
