/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Objects that may be handed over again before they have begun, and that are in a queue without a row of task_rows.c, because
 * code outside of traced calls has handed them over. Kept by their hash. When a call hands over the same object, its run
 * could not be told from theirs. No locks, no references.
 */
#ifndef AGENT_TASK_OTHERS_H
#define AGENT_TASK_OTHERS_H

#include <stdbool.h>
#include <stdint.h>

/* Forget all. */
void task_others_begin(void);

/* One with that hash is about to go into a queue. False: there is no room to know it. */
bool task_other_add(uint32_t hash);

/* One has left its queue. If none is known, nothing happens. */
void task_other_remove(uint32_t hash);

/* True if one is in a queue. */
bool task_other_waits(uint32_t hash);

/* On the agent's thread: forget those that have been there since the last but one time, and to which none has come. */
void task_others_age(void);

#endif
