/* SPDX-License-Identifier: BSD-2-Clause */
/* Merges simultaneous recordings of a JVM into one file (format/jfr/jfr_merge.h). */
#ifndef USER_TRACE_MERGE_H
#define USER_TRACE_MERGE_H

#include "format/diag.h"
#include "format/jfr/jfr_merge.h"

/*
 * Merge what the paths name, files and directories (jfr_files.h), into `to`, a descriptor of an empty file; `to_path` is its name in messages. EXIT_DONE;
 * EXIT_INCOMPLETE: an input file is unfinished (a warning is printed); -errno with the message, and the output is
 * unusable. Events of the types in `with_context`, names and globs with commas between them, get the context around them as
 * fields (format/jfr/jfr_merge_context.h); NULL: none do. *files: number of files; may be NULL.
 */
int merge_files(const char *const *paths, size_t count, int to, const char *to_path, const char *with_context,
		struct jfr_merged *merged, size_t *files, struct diag *d);

/* Say how far the clocks were apart, and how well that is known, if events got context. */
void merge_say_clocks(const struct jfr_merged *merged);

#endif
