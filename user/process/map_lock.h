/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The locks of memory maps (mmap_lock), as far as uprobes have to do with them. To put a uprobe on a file, and to take it
 * away, the kernel takes the lock of each process that maps the file. It waits for it without an end, and meanwhile each
 * fork() of the machine waits, too (dup_mmap_sem). But a process can hold its own lock for as long as it likes: it maps a file
 * of a FUSE file system that it serves itself, and gives no answer. One that also forks holds dup_mmap_sem, whatever it maps.
 *
 * So a file that others may map gets uprobes only if no process holds its lock at that moment. And while uprobes come and go
 * a guard watches. It is a process of its own, because the kernel takes them away from a killed one, too.
 */
#ifndef USER_PROCESS_MAP_LOCK_H
#define USER_PROCESS_MAP_LOCK_H

#include "format/diag.h"

#include <stdbool.h>

/*
 * Check that all processes give away the locks of their memory maps. Returns 0, or -errno with the message, which names one
 * that does not. A process that cannot be seen, or not be read, is not checked.
 */
int map_locks_check(struct diag *d);

/* Before rights are given up (apart_settle()). `again`: there may be more checks. */
void map_locks_settle(bool again);

struct map_guard;

/*
 * Start a guard: a child that ends after this process has ended. While uprobes come or go it forks again and again. When that
 * is held up for a quarter of a second, it looks for processes whose lock is held and that sleep in FUSE, aborts the FUSE
 * connections of their users that have requests without an answer, and this process says so at the end of that. If that does not suffice for
 * ten seconds, it does so for those of all users. Connections of root are never aborted. It takes CAP_SYS_ADMIN. Returns 0 or
 * -errno with the message.
 */
int map_guard_start(struct map_guard **out, struct diag *d);
void map_guard_free(struct map_guard *g); /* or NULL */

/* Uprobes are put on a file or taken away between these two calls. They may be nested, and do nothing without a guard. */
void map_guard_enter(void);
void map_guard_leave(void);

#endif
