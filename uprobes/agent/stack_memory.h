/* SPDX-License-Identifier: BSD-2-Clause */
/* What the walk loads from without asking each time: where stacks and code lie in this process. */
#ifndef AGENT_STACK_MEMORY_H
#define AGENT_STACK_MEMORY_H

#include "bpf/frtrace.h"

#include <stdbool.h>
#include <stdint.h>

/* The end of the running thread's stack, of which `sp` is a part. 0: unknown. */
uint64_t stack_memory_end(uint64_t sp);

/* True if the layout may be one of this process: its offsets are small, and its code heaps are code. */
bool stack_memory_fits(const struct frt_layout *l);

#endif
