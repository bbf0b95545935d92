/* SPDX-License-Identifier: BSD-2-Clause */
/* How many calls of each method came to be recorded, and from which threads, since somebody last looked. */
#ifndef USER_CAPTURE_CALL_RATES_H
#define USER_CAPTURE_CALL_RATES_H

#include "bpf/frtrace.h"

struct call_rate {
	uint64_t calls;
	uint64_t threads; /* CALL_RATE_THREAD() of each */
};

#define CALL_RATE_THREAD(serial) (1ULL << (serial) % 64)

struct call_rates {
	struct call_rate of[FRT_MAX_METHODS]; /* by method id */
};

static inline void call_rates_add(struct call_rates *r, uint32_t method, uint32_t thread)
{
	struct call_rate *to = &r->of[method % FRT_MAX_METHODS];

	to->calls++;
	to->threads |= CALL_RATE_THREAD(thread);
}

#endif
