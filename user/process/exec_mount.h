/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * In a hardened container every directory that a JVM may write to is mounted noexec, and no library can be loaded from
 * there. A private directory of the agent's is then mounted over itself without that flag, while the JVM loads the agent.
 *
 * It takes rights over the JVM's mount namespace, which the child that writes and loads the agent has given up (user_child.h).
 * So a second child keeps them, and does nothing but this. It is in no namespace that a process of the container could reach
 * it from, except the one of mounts. It ends when nobody holds the socket to it any more, also if frtrace is killed, and
 * unmounts what it has mounted.
 */
#ifndef USER_PROCESS_EXEC_MOUNT_H
#define USER_PROCESS_EXEC_MOUNT_H

#include "user/process/target.h"

struct exec_mount {
	int socket;
	pid_t pid;
};

/* Fork that child. Returns 0 or -errno with the message. */
int exec_mount_start(struct exec_mount *m, const struct target *t, struct diag *d);

/*
 * Mount a directory of the target's over itself; it has to belong to the target's user, who alone may enter it. Returns 0
 * or -errno; -EXDEV: it lies on a mount that is shared with other namespaces, where the new one would appear, too.
 */
int exec_mount_put(int socket, int directory);

/* Unmount it. Returns when this is done. */
void exec_mount_remove(int socket);

/* Unmount what is still mounted, and wait for the child; one that does not end in a second is killed. */
void exec_mount_end(struct exec_mount *m);

#endif
