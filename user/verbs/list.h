/* SPDX-License-Identifier: BSD-2-Clause */
/* Implements `frtrace list`. */
#ifndef USER_VERBS_LIST_H
#define USER_VERBS_LIST_H

#include "format/diag.h"
#include "user/options/settings.h"

/*
 * Print the JVMs of this machine on stdout with their properties and whether they can be traced, ordered by pid: one
 * per line, or one JSON array with settings->json. Does not touch the JVMs. Returns an exit status, or -errno with the
 * message.
 */
int cmd_list(const struct settings *settings, struct diag *d);

#endif
