/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints --help from the options table. */
#ifndef USER_VERBS_HELP_H
#define USER_VERBS_HELP_H

#include "user/verbs/options_table.h"

/* Print the help of a verb on stdout; `record` and `start` print the help of frtrace as a whole. */
void help_print(const struct verb *v);

#endif
