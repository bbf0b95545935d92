/* SPDX-License-Identifier: BSD-2-Clause */
/* Parses the command line of all verbs from the options table. */
#ifndef USER_VERBS_CLI_H
#define USER_VERBS_CLI_H

#include "user/verbs/options_table.h"

/* Result of cli_parse() if the requested output has been printed: exit with status 0. */
#define CLI_DONE 1

/*
 * Parse `frtrace [VERB] WORDS`; the default verb is `record`. Long options may be abbreviated, short ones joined. 0: *c
 * is filled; release it with cli_release(). CLI_DONE: --help or --version was written to stdout. -errno with the
 * message; d->usage is set if the command line is wrong. After CLI_DONE and -errno *c is already released. argv must
 * outlive *c.
 */
int cli_parse(int argc, char **argv, struct command_line *c, struct diag *d);
void cli_release(struct command_line *c);

/*
 * Check the options against each other, after all of them and the settings files have been read: conflicts, and options
 * that are missing. 0, or a usage error that says what to do.
 */
int cli_check(const struct command_line *c, struct diag *d);

#endif
