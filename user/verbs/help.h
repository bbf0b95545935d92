/* SPDX-License-Identifier: BSD-2-Clause */
/* --help, printed from the options table. */
#ifndef USER_VERBS_HELP_H
#define USER_VERBS_HELP_H

#include "user/verbs/options_table.h"

/* Print the help of a verb to standard output; that of `record` and `start` is the help of frtrace. */
void help_print(const struct verb *v);

#endif
