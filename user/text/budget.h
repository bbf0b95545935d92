/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A budget of CPU time for work whose amount the target controls: forged data may make any step expensive. The
 * spender stops when the budget is used up and continues in the next round, so that signals are handled in between.
 * Only time between budget_begin() and budget_end() is counted. A NULL budget is unlimited.
 */
#ifndef USER_TEXT_BUDGET_H
#define USER_TEXT_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

struct budget {
	int64_t left_ns, since_ns;
};

void budget_set(struct budget *b, int64_t ns);
void budget_begin(struct budget *b);
void budget_end(struct budget *b);

/* Is the budget used up? Between budget_begin() and budget_end() the time since budget_begin() is included. */
bool budget_over(const struct budget *b);

#endif
