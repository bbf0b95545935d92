/* SPDX-License-Identifier: BSD-2-Clause */
/* The command line of the verbs that read files: few options, and operands. */
#ifndef USER_VERBS_VERB_ARGS_H
#define USER_VERBS_VERB_ARGS_H

#include "format/diag.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One of the two is set. */
struct verb_option {
	const char *name;   /* "--events"; NULL: the end */
	const char **value; /* --events=A and --events A; points into argv */
	bool *flag;
};

struct verb_args {
	const char *verb;
	const char *help; /* the whole text of --help */
	const struct verb_option *options;
	const char *operand[4];
	size_t operands;
};

/*
 * Read the words behind the verb: w->verb, help and options are set by the caller, options and operands may be mixed,
 * `--` ends the options. 0; CLI_DONE (user/verbs/cli.h): the help was printed; -EINVAL with the message.
 */
int verb_args_read(struct verb_args *w, int argc, char **argv, struct diag *d);

/* A whole number of at least `least`. `option` names it in the message. */
int verb_args_number(const char *option, const char *text, uint64_t least, uint64_t *n, struct diag *d);

#endif
