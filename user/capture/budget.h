/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * CPU time for work whose amount the target decides: what it forges may make any
 * step dear. Whoever spends it stops when it is used up and goes on in the next
 * round, so that signals are served between. Only what lies between
 * budget_begin() and budget_end() is counted. A NULL budget never ends.
 */
#ifndef USER_CAPTURE_BUDGET_H
#define USER_CAPTURE_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

struct budget {
	int64_t left_ns, since_ns;
};

void budget_set(struct budget *b, int64_t ns);
void budget_begin(struct budget *b);
void budget_end(struct budget *b);

/* Is it used up? Asked between the two, the time since budget_begin() counts. */
bool budget_over(const struct budget *b);

#endif
