/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * HotSpot's dynamic attach: a UNIX socket /tmp/.java_pidN in the target's
 * mount namespace, made by the JVM when it gets SIGQUIT and finds
 * .attach_pidN in its working directory or /tmp. All of it is done in a
 * forked child that takes on the target's user and namespaces.
 */
#ifndef USER_PROCESS_ATTACH_H
#define USER_PROCESS_ATTACH_H

#include "user/process/target.h"

/*
 * Run one attach command ("load", "threaddump", "properties", "jcmd") with up
 * to three arguments (NULL-terminated list) and read the reply to its end.
 * *code is the number in the reply's first line. *reply is what follows it,
 * malloc'ed, 0-terminated, the caller's. The messages for a JVM that does not
 * attach name the reason: -XX:+DisableAttachMechanism, not yet started, -Xrs
 * and no socket, foreign user without rights, no answer within the time.
 */
int attach_command(const struct target *t, const char *command, const char *const *arguments, int timeout_ms, int *code,
		   char **reply, struct diag *d);

/*
 * Load our agent with these options. `image` is the agent file, put as `file_name` into a private directory that
 * the target can read and execute, removed as soon as it is loaded. *result is what Agent_OnAttach returned.
 */
int attach_load_agent(const struct target *t, const char *file_name, const void *image, size_t size,
		      const char *options, int timeout_ms, int *result, struct diag *d);

#endif
