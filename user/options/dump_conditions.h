/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Conditions of --dump-when: 'FILTER >TIME', 'FILTER thrown' or 'FILTER open>TIME', as in 'Cart::pay >1s'. A recorded
 * call that fulfils one makes the recording write a dump.
 */
#ifndef USER_OPTIONS_DUMP_CONDITIONS_H
#define USER_OPTIONS_DUMP_CONDITIONS_H

#include "filters/matcher.h"
#include "format/diag.h"

#define DUMP_CONDITIONS_MAX 16u

enum dump_cause {
	DUMP_SLOW,   /* the call took longer than the limit */
	DUMP_THROWN, /* it ended with an exception */
	DUMP_OPEN,   /* it has not ended, and began longer ago than the limit */
};

struct dump_condition {
	const char *text; /* as typed, borrowed */
	enum dump_cause cause;
	uint64_t limit_ns;
	void *program; /* of `methods` */
	struct matcher methods;
};

/* Zeroed: none. */
struct dump_conditions {
	struct dump_condition condition[DUMP_CONDITIONS_MAX];
	size_t count;
};

/* Parse and append. 0, or a usage error that says what is wrong. `text` must stay valid. */
int dump_conditions_add(struct dump_conditions *l, const char *text, struct diag *d);
void dump_conditions_release(struct dump_conditions *l);

#endif
