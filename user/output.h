/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The recording's file: finished chunks are appended; when it would pass its
 * limit, whole oldest chunks go (a new file takes the old one's place in one
 * step). At every moment the file is a finished recording.
 */
#ifndef USER_OUTPUT_H
#define USER_OUTPUT_H

#include "format/diag.h"

#include <stddef.h>
#include <stdint.h>

struct output;

/*
 * Create `path` with mode 0600, owned by the user behind sudo; an existing
 * regular file is written anew, a link is refused. -ENOSPC when the disk is
 * nearly full already: less free than 1 GB and than 5 % of it.
 */
int output_open(struct output **out, const char *path, uint64_t max_size, struct diag *d);

/* Close. A file without any chunk is removed. NULL is fine. */
void output_close(struct output *o);

/* Append one finished chunk. On error the file is as before the call. */
int output_append(struct output *o, const void *chunk, size_t size, struct diag *d);

const char *output_path(const struct output *o);
uint64_t output_size(const struct output *o);
uint64_t output_dropped(const struct output *o); /* chunks that have gone */

#endif
