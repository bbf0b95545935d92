/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A limit for all recordings of a directory: those below DIR/ that `-o DIR/` has made, a directory for each with a file
 * for each chunk, those of earlier runs, too. The oldest chunks go first, whichever recording they are of.
 */
#ifndef USER_RECORD_RETENTION_H
#define USER_RECORD_RETENTION_H

#include "format/diag.h"

#include <stdbool.h>
#include <stdint.h>

struct retention {
	const char *path; /* DIR/; borrowed */
	uint64_t most;	  /* bytes in all */
	/* Is this directory one of a recording that is being made? It stays, though its chunks may go. */
	bool (*is_made)(const char *name, const void *context);
	const void *context;
};

/*
 * Remove the oldest chunks until the rest has at most `most` bytes, and directories that have no chunk any more. Other
 * files and directories are left alone, and no link is followed. Returns the number of bytes that were removed, or
 * -errno with the message. A directory that does not exist yet is fine.
 */
int64_t retention_apply(const struct retention *r, struct diag *d);

#endif
