/* SPDX-License-Identifier: BSD-2-Clause */
/* Converts the text of an option and stores the value in its field. */
#ifndef USER_VERBS_OPTION_VALUE_H
#define USER_VERBS_OPTION_VALUE_H

#include "user/verbs/options_table.h"

/*
 * Store the value of an option in *c. `text` is NULL if the option takes no argument or an optional one is missing; it
 * must outlive *c. 0; a usage error if the text is invalid or out of range; -ENOMEM, or the error from opening a file.
 * OPTION_HELP and OPTION_VERSION store nothing.
 */
int option_store(struct command_line *c, const struct option_row *o, const char *text, struct diag *d);

/* Store the target of -p or of an operand. A second one is a usage error. */
int option_store_target(struct command_line *c, const char *text, struct diag *d);

#endif
