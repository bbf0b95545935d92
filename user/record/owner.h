/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Ownership of the files that frtrace writes: they belong to the user behind sudo, or without sudo to frtrace's own
 * user.
 */
#ifndef USER_RECORD_OWNER_H
#define USER_RECORD_OWNER_H

#include <stdbool.h>
#include <sys/types.h>

/* Give the open file to the user behind sudo. If that fails, the file stays root's. */
void owner_give(int fd);

/*
 * Is this user root, frtrace's own user, or the user behind sudo? Files of other users are never written or replaced.
 */
bool owner_is_ours(uid_t uid);

#endif
