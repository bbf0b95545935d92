/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the command line of all verbs, by the options table. */
#ifndef USER_VERBS_CLI_H
#define USER_VERBS_CLI_H

#include "user/verbs/options_table.h"

/* What cli_parse() returns when all that was asked for has been printed: exit with status 0. */
#define CLI_DONE 1

/*
 * Read `frtrace [VERB] WORDS`; without a verb it is `record`. Long options may be abbreviated, letters joined. 0: *c is
 * filled and is to be released with cli_release(). CLI_DONE: --help or --version has been written to stdout. -errno: the
 * message is in *d (d->usage is set where the words are wrong). In the last two cases *c is released already. argv must
 * outlive *c.
 */
int cli_parse(int argc, char **argv, struct command_line *c, struct diag *d);
void cli_release(struct command_line *c);

#endif
