/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Recordings of one JVM, read as one: a file, several files, directories of chunk files. Chunks are read in the order of
 * their start. Memory holds a few numbers for each chunk, and maps only the chunks that are in use.
 */
#ifndef USER_TRACE_JFR_FILES_H
#define USER_TRACE_JFR_FILES_H

#include "user/trace/jfr_file.h"

struct jfr_files_plan;

struct jfr_files {
	struct jfr_file *file; /* all of it */
	const char *name;      /* in messages */
	uint64_t size;	       /* bytes */
	size_t count;	       /* files */
	struct jfr_file_map one;
	struct jfr_files_plan *plan; /* NULL: one file */
};

/*
 * Open what the paths name. Files of different JVMs, a file that is given twice and two files that have a chunk in
 * common are refused. `task` begins the message for different JVMs: "cannot merge". The paths must stay valid. 0 or
 * -errno with the message.
 */
int jfr_files_open(struct jfr_files *f, const char *const *paths, size_t count, const char *task, struct diag *d);
void jfr_files_close(struct jfr_files *f); /* also takes a zeroed one */

/* As jfr_file_verdict(), after f->file was read, or all recordings one by one. */
int jfr_files_verdict(const struct jfr_files *f, struct diag *d);

/*
 * The recordings one by one, each with its chunks from all files. Equal keys within one stand for equal constants.
 * jfr_files_recording() returns the n-th and its name, the path of its first file. Both belong to `f`.
 */
size_t jfr_files_recordings(const struct jfr_files *f);
struct jfr_file *jfr_files_recording(struct jfr_files *f, size_t n, const char **name);

#endif
