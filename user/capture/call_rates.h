/* SPDX-License-Identifier: BSD-2-Clause */
/* How many calls of each method came to be recorded, and from which threads, since somebody last looked. */
#ifndef USER_CAPTURE_CALL_RATES_H
#define USER_CAPTURE_CALL_RATES_H

#include "bpf/frtrace.h"

struct rate {
	uint64_t calls;
	uint64_t threads; /* RATE_THREAD() of each */
};

#define RATE_THREAD(serial) (1ULL << (serial) % 64)

struct rates {
	struct rate of[FRT_MAX_METHODS]; /* by method id */
};

static inline void rates_add(struct rates *r, uint32_t method, uint32_t thread)
{
	struct rate *to = &r->of[method % FRT_MAX_METHODS];

	to->calls++;
	to->threads |= RATE_THREAD(thread);
}

#endif
