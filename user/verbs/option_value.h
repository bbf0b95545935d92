/* SPDX-License-Identifier: BSD-2-Clause */
/* The text of an option becomes the value in its field. */
#ifndef USER_VERBS_OPTION_VALUE_H
#define USER_VERBS_OPTION_VALUE_H

#include "user/verbs/options_table.h"

/*
 * Store what the option says in *c. `text` is NULL where the option takes none or where an optional one is missing; it
 * must outlive *c. 0; a usage error for a text that is none or is beyond the limits; -ENOMEM, or what opening a file
 * returned. OPTION_HELP and OPTION_VERSION store nothing.
 */
int option_store(struct command_line *c, const struct option_row *o, const char *text, struct diag *d);

/* One target, however often it is given. */
int option_store_target(struct command_line *c, const char *text, struct diag *d);

#endif
