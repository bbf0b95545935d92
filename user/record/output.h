/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where a recording goes: a file, to which finished chunks are appended, or a
 * directory with a file a chunk, as the JVM's own repository. Beyond the limits
 * whole oldest chunks go. What can be read there is at every moment a finished
 * recording, and a chunk never changes:
 *
 * - A file gets its name with its first chunk (user/record/new_file.h): until then what had the name
 *   stays. A chunk's state (byte 64 of its header) says "being written" until
 *   all of it is there: the JDK's readers wait for that. Who is killed meanwhile leaves
 *   it to the keeper to cut what was begun. A file that gets shorter is a new one in the old one's place.
 * - In a directory a chunk gets its name when it is complete.
 *
 * A chunk is on its way to the disk as soon as it is finished, and there when
 * output_close() returns: a power cut costs the chunks of the last moments.
 */
#ifndef USER_RECORD_OUTPUT_H
#define USER_RECORD_OUTPUT_H

#include "format/diag.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct output;

struct output_limits {
	uint64_t size; /* bytes */
	uint64_t
		age_ns; /* since a chunk's end, the youngest stays; 0: none. A file keeps a quarter more, as it is copied to be cut */
};

/*
 * Create a file with mode 0600, owned by the user behind sudo, that replaces `path` with the first chunk; the errors of
 * new_file_open(). A path that ends with a slash is a directory; it, and the one that it is in, are made when missing.
 * -ENOSPC when the disk is nearly full already: less free than 1 GB and than 5 % of it.
 */
int output_open(struct output **out, const char *path, const struct output_limits *limits, struct diag *d);

/* Close. Without any chunk nothing is left, and what had the path is unchanged. NULL is fine. */
void output_close(struct output *o);

/*
 * Append one finished chunk, made of format/jfr/jfr_write.h. On error what is there is as before the call. -EBUSY: the path
 * stands for another file than before, which is not replaced.
 */
int output_append(struct output *o, const void *chunk, size_t size, struct diag *d);

/*
 * Copy the chunks that ended in the last `last_ns`, the youngest in any case (0: all), to another file, which is
 * created as one of output_open() is, and has its name when it is complete. `size` is what it has then. -ENODATA: there
 * is no chunk yet.
 */
int output_save(const struct output *o, const char *path, uint64_t last_ns, uint64_t *size, struct diag *d);

/* Has what was written been removed, renamed or replaced? */
bool output_is_gone(const struct output *o);

bool output_is_directory(const struct output *o);
const char *output_path(const struct output *o);
uint64_t output_size(const struct output *o);
uint64_t output_dropped(const struct output *o); /* chunks that have gone */

#endif
