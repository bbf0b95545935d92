/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks the options against each other: conflicts, and options that are missing. */
#ifndef USER_VERBS_CHECK_OPTIONS_H
#define USER_VERBS_CHECK_OPTIONS_H

#include "user/verbs/options_table.h"

/* Call after all options and settings files have been read. 0, or a usage error that says what to do. */
int cli_check(const struct command_line *c, struct diag *d);

#endif
