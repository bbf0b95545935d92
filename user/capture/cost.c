// SPDX-License-Identifier: BSD-2-Clause
#include "user/capture/cost.h"

#define TO_STAMPS_NS 5.0  /* JNI overhead of both hooks outside the two stamps */
#define COLLECTOR_NS 30.0 /* frtrace's cost per event: 26 ns of its own, the rest in the kernel for queue and file */

double cost_of_hooks(const struct segment *s, const struct clock *c)
{
	return clock_ns_of_ticks(c, segment_header(s)->hook_ticks) + TO_STAMPS_NS;
}

double cost_of_recording(const struct frt_slot *slot, const struct clock *c)
{
	return clock_ns_of_ticks(c, __atomic_load_n(&slot->record_ticks, __ATOMIC_RELAXED)) + COLLECTOR_NS;
}
