/* SPDX-License-Identifier: BSD-2-Clause */
/* How often and how long: counters of each timed method in the control segment. */
#ifndef AGENT_TIMING_H
#define AGENT_TIMING_H

#include "uprobes/agent/control.h"

/* Before a recording, when no hook counts: everything is 0 again, and no method has a rule. The slots' cells are cleared one by one, see below. */
void timing_begin(const struct frt_config *config);

/* A slot is used for the first time in a recording. */
void timing_slot_begin(struct frt_slot *s);

/* A call of a timed method by the slot's thread has ended. */
void timing_add(struct frt_slot *s, uint32_t method, uint64_t duration, bool thrown);

#endif
