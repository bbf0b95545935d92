/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Handling of Ctrl-C while frtrace waits for a target. loop_init() blocks SIGINT, SIGTERM and SIGHUP. A waiting
 * loop checks every INTERRUPT_POLL_MS whether one of them is pending, and returns -EINTR. The signal stays
 * pending, so every later wait ends at once, until interrupt_forget(). Without loop_init() these signals have
 * their default action.
 */
#ifndef USER_PROCESS_INTERRUPT_H
#define USER_PROCESS_INTERRUPT_H

#include <stdbool.h>

#define INTERRUPT_POLL_MS 50

/* True if SIGINT, SIGTERM or SIGHUP is pending. */
bool interrupted(void);

/*
 * Consume the pending signals before the cleanup, which waits for the target, too. Signals of the next second are
 * dropped: sudo and timeout may pass on the same Ctrl-C. A later one interrupts the cleanup.
 */
void interrupt_forget(void);

/* The part of `timeout_ms` to poll before checking interrupted() again. Negative: no timeout. */
int interrupt_slice(int timeout_ms);

#endif
