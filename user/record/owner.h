/* SPDX-License-Identifier: BSD-2-Clause */
/* Whose files frtrace writes: those of the user behind sudo; without sudo, of its own user. */
#ifndef USER_RECORD_OWNER_H
#define USER_RECORD_OWNER_H

#include <stdbool.h>
#include <sys/types.h>

/* Give the open file to the user behind sudo. If that fails it stays root's. */
void owner_give(int fd);

/* Is this user root, frtrace's own, or the one behind sudo? Nobody else's file is written or replaced. */
bool owner_is_ours(uid_t uid);

#endif
