/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Safe opening of directories: frtrace runs as root and writes into directories of other users, whose links must not
 * redirect it.
 */
#ifndef USER_RECORD_SAFE_DIRECTORY_H
#define USER_RECORD_SAFE_DIRECTORY_H

#include "format/diag.h"

#include <stdbool.h>

/*
 * Open the directory `path` ("": the current one) for openat() and the like (O_PATH). A link on the way is followed
 * only if the link and its directory belong to root, to us or to the sudo user, and nobody else can replace it.
 * `file` is the path that messages name. Returns a descriptor or -errno with the message; -ELOOP: another user can
 * change a link on the way.
 */
int safe_directory_open(const char *path, const char *file, struct diag *d);

#endif
