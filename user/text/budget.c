// SPDX-License-Identifier: BSD-2-Clause
#include "user/text/budget.h"

#include <stddef.h>
#include <time.h>

/* CPU time, so that preemption by other processes does not count. */
static int64_t cpu_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

void budget_set(struct budget *b, int64_t ns)
{
	*b = (struct budget){.left_ns = ns};
}

void budget_begin(struct budget *b)
{
	if (b)
		b->since_ns = cpu_now();
}

void budget_end(struct budget *b)
{
	if (!b)
		return;
	b->left_ns -= cpu_now() - b->since_ns;
	b->since_ns = 0;
}

bool budget_over(const struct budget *b)
{
	if (!b)
		return false;
	return b->left_ns <= (b->since_ns ? cpu_now() - b->since_ns : 0);
}
