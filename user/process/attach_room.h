/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Whether a JVM can answer, and whether it has room for what an attach makes it do. HotSpot ends a JVM that cannot start
 * its Attach Listener, and what is taken of a full heap is missing in the program.
 */
#ifndef USER_PROCESS_ATTACH_ROOM_H
#define USER_PROCESS_ATTACH_ROOM_H

#include "user/process/jvm.h"

/*
 * Look from outside. Returns 0; or -errno with the reason ("80 of 80 file descriptors are open ...") if the JVM must not be
 * attached to, or cannot answer. `loads`: it is to load the agent, unless it has it. What is unknown is no reason. *doubt
 * (its text may be "") has what may nevertheless keep it from answering. Takes 0.3 s if the heap seems to be full.
 */
int attach_room_check(const struct target *t, const struct jvm_options *options, bool loads, struct diag *doubt,
		      struct diag *why);

/*
 * True if the JVM has finished its start. Before that it may handle SIGQUIT already (17: before it has its counters), but not yet
 * look for the file; or it may remove the socket that it has just created as a stale one, refuse agents (21+), or be in JVMTI's
 * start phase.
 */
bool attach_room_has_started(const struct target *t);

/* The same as attach_room_check(), only whether its control group has frozen it. Nothing of the JVM's own is read, which might hang. */
int attach_room_check_frozen(const struct target *t, struct diag *why);

#endif
