/* SPDX-License-Identifier: BSD-2-Clause */
/* Counters of recorded calls per method, and the threads that made them, since the counters were last cleared. */
#ifndef USER_CAPTURE_CALL_RATES_H
#define USER_CAPTURE_CALL_RATES_H

#include "bpf/frtrace.h"

struct call_rate {
	uint64_t calls;
	uint64_t threads; /* OR of the callers' CALL_RATE_THREAD() */
};

#define CALL_RATE_THREAD(serial) (1ULL << (serial) % 64)

struct call_rates {
	struct call_rate of[FRT_MAX_METHODS]; /* indexed by method id */
};

static inline void call_rates_add(struct call_rates *r, uint32_t method, uint32_t thread)
{
	struct call_rate *to = &r->of[method % FRT_MAX_METHODS];

	to->calls++;
	to->threads |= CALL_RATE_THREAD(thread);
}

#endif
