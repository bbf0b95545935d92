/* SPDX-License-Identifier: BSD-2-Clause */
/* Root writes into directories of others: their links must not lead it elsewhere. */
#ifndef USER_RECORD_SAFE_DIRECTORY_H
#define USER_RECORD_SAFE_DIRECTORY_H

#include "format/diag.h"

#include <stdbool.h>

/*
 * Open the directory `path` ("": the current one) for openat() and the like (O_PATH). A link on the way is followed only
 * if it and its directory are root's, our own or the sudo user's, and nobody else can replace it. `file` is the path
 * that messages name. Returns a descriptor; -ELOOP: there is a link that another user can change.
 */
int safe_directory_open(const char *path, const char *file, struct diag *d);

#endif
