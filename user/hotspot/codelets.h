/* SPDX-License-Identifier: BSD-2-Clause */
/* The pieces of HotSpot's interpreter: a StubQueue of codelets, each with a description, one behind the other. */
#ifndef USER_HOTSPOT_CODELETS_H
#define USER_HOTSPOT_CODELETS_H

#include "user/hotspot/mem.h"
#include "user/hotspot/vmstructs.h"

#include <stdbool.h>

/* Through this code the interpreter leaves a method that an exception ends. */
#define CODELET_EXCEPTIONS "exception handling"

/*
 * Find the codelet with that description in the queue at this address (AbstractInterpreter::_code): [*begin, *end). Returns
 * false, and sets both to 0, if there is none, the tables do not describe codelets, or the memory cannot be read.
 */
bool codelets_find(const struct vmstructs *v, const struct mem *m, uint64_t queue, const char *description,
		   uint64_t *begin, uint64_t *end);

#endif
