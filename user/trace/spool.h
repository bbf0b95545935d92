/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Recordings that cannot be mapped as they are: standard input, and files that gzip has compressed. Their content goes into
 * a file without a name in $TMPDIR, /var/tmp or /tmp, or, where there is none of these, into memory. It is bounded, all
 * copies of the process together: a few megabytes can unpack to any size.
 */
#ifndef USER_TRACE_SPOOL_H
#define USER_TRACE_SPOOL_H

#include "format/diag.h"

#include <stdbool.h>
#include <stdint.h>

#define SPOOL_MOST (8ull << 30)

/* Bytes of all copies so far, at most SPOOL_MOST. */
extern uint64_t spool_used;

/* True if the path stands for standard input: "-". A file of that name is "./-". */
bool spool_is_input(const char *path);

/* True if a file is compressed. */
bool spool_is_compressed(int fd);

/*
 * Copy all that can be read from `from`, unpacked, into a file of its own. Returns its descriptor, or -errno with the
 * message; `from` stays open. `path` is its name in messages.
 */
int spool_copy(int from, const char *path, struct diag *d);

#endif
