// SPDX-License-Identifier: BSD-2-Clause
#include "user/text/monotonic.h"

#include <limits.h>
#include <time.h>

int64_t monotonic_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

int64_t monotonic_ms(void)
{
	return monotonic_ns() / 1000000;
}

int deadline_left(int64_t deadline)
{
	int64_t left = deadline - monotonic_ms();

	if (left <= 0)
		return 0;
	return left < INT_MAX ? left : INT_MAX;
}
