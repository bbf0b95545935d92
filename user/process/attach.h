/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * HotSpot's dynamic attach: a UNIX socket /tmp/.java_pidN in the target's mount namespace, created by the JVM when
 * it gets SIGQUIT and finds .attach_pidN in its working directory or /tmp. All of this runs in a forked child with
 * the target's user and namespaces.
 */
#ifndef USER_PROCESS_ATTACH_H
#define USER_PROCESS_ATTACH_H

#include "user/process/target.h"

#include <limits.h>

/*
 * Run one attach command ("load", "threaddump", "properties", "jcmd") with up to three arguments (a
 * NULL-terminated list) and read the whole reply. *code is the number in the reply's first line. *reply is the
 * rest, 0-terminated; the caller frees it. If a JVM cannot be attached to, the message names the reason:
 * -XX:+DisableAttachMechanism, not yet started, -Xrs without a socket, another user without rights, or no answer
 * in time: -ETIMEDOUT if nobody listens or the JVM is silent, -ETIME if it may just be slow. On failure *code is
 * ATTACH_UNSENT if the JVM has certainly not got the command; otherwise it may execute it, even later.
 */
#define ATTACH_UNSENT INT_MIN
int attach_command(const struct target *t, const char *command, const char *const *arguments, int timeout_ms, int *code,
		   char **reply, struct diag *d);

/*
 * Wait until the JVM has started up, for a minute at most, and only while it uses its CPU: ten that start at a time take long.
 * Before that neither its memory nor its answers can be relied on. Returns 0, or -errno with the reason.
 */
int attach_wait_until_up(const struct target *t, struct diag *d);

/*
 * Has the JVM room for the agent? Ask it before the first command, which takes less. Returns 0, or -errno with the
 * reason.
 */
int attach_check_agent(const struct target *t, struct diag *d);

/*
 * Load the agent with these options. `image` is the agent file. It is stored as `file_name` in a private directory
 * that the target can read and execute, and removed once it is loaded. `may_mount`: if need be, on a mount of its own
 * (exec_mount.h). *result is the return value of Agent_OnAttach.
 */
int attach_load_agent(const struct target *t, const char *file_name, const void *image, size_t size, bool may_mount,
		      const char *options, int timeout_ms, int *result, struct diag *d);

#endif
