/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef USER_VERBS_VIEW_H
#define USER_VERBS_VIEW_H

#include "format/diag.h"

/* `frtrace view [OPTIONS] NAME FILE`: argv are the words behind the verb. An exit status, or -errno with the message.
 */
int cmd_view(int argc, char **argv, struct diag *d);

#endif
