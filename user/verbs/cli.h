/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the command line into settings. */
#ifndef USER_VERBS_CLI_H
#define USER_VERBS_CLI_H

#include "user/options/settings.h"

/* What cli_parse() returns when all that was asked for has been printed: exit with status 0. */
#define CLI_DONE 1

/*
 * Read `frtrace [record] OPTIONS`, `frtrace list`, `frtrace check [TARGET]` or `frtrace methods TARGET FILTER`. 0: *s is filled and is to be released with
 * cli_release(). CLI_DONE: --help or --version has been written to
 * stdout. -errno: the message is in *d (d->usage is set where the words are
 * wrong). In the last two cases *s is released already. argv must outlive *s.
 */
int cli_parse(int argc, char **argv, struct settings *s, struct diag *d);
void cli_release(struct settings *s);

#endif
