/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Safe writing among other users: frtrace runs as root and writes into their directories, whose links must not redirect it.
 * Its files belong to the user behind sudo, or without sudo to its own user.
 */
#ifndef USER_TEXT_SAFE_DIRECTORY_H
#define USER_TEXT_SAFE_DIRECTORY_H

#include "format/diag.h"

#include <stdbool.h>
#include <sys/types.h>

/*
 * Open the directory `path` ("": the current one) for openat() and the like (O_PATH). A link on the way is followed
 * only if the link and its directory belong to root, to us or to the sudo user, and nobody else can replace it.
 * `file` is the path that messages name. Returns a descriptor or -errno with the message; -ELOOP: another user can
 * change a link on the way.
 */
int safe_directory_open(const char *path, const char *file, struct diag *d);

/* Give the open file to the user behind sudo. If that fails, the file stays root's. */
void owner_give(int fd);

/*
 * Is this user root, frtrace's own user, or the user behind sudo? Files of other users are never written or replaced.
 */
bool owner_is_ours(uid_t uid);

#endif
