/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef USER_VERBS_LIST_H
#define USER_VERBS_LIST_H

#include "format/diag.h"
#include "user/options/settings.h"

/*
 * Print the JVMs of this machine on stdout, one a line or (settings->json) as one array, in the order of their pids: who
 * they are and whether they can be traced. Touches none. An exit status, or -errno with the message.
 */
int cmd_list(const struct settings *settings, struct diag *d);

#endif
