/* SPDX-License-Identifier: BSD-2-Clause */
/* What the words behind a verb say that reads files or speaks with a recording in the background. */
#ifndef USER_VERBS_VERB_ARGS_H
#define USER_VERBS_VERB_ARGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VERB_OPERANDS 4

enum verb_weight {
	WEIGHT_DEFAULT = 0, /* none given: calls */
	WEIGHT_CALLS,
	WEIGHT_TIME,
};

enum verb_truncate {
	TRUNCATE_END = 0,
	TRUNCATE_BEGINNING,
};

/* The strings point into argv; NULL: not given. */
struct verb_args {
	const char *operand[VERB_OPERANDS];
	size_t operands;
	const char *output;
	uint64_t last_ns; /* of dump; 0: everything */
	const char *events, *categories;
	uint64_t stack_depth;	     /* frames that print shows at most */
	uint64_t width;		     /* of a table; 0: as wide as it needs */
	uint64_t cell_height;	     /* lines of a cell at most */
	enum verb_truncate truncate; /* which end of a long text is cut */
	enum verb_weight weight;
	bool json, exact, collapsed, chrome, csv;
};

#endif
