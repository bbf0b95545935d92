/* SPDX-License-Identifier: BSD-2-Clause */
/* Maps a Flight Recorder file and opens its reader. */
#ifndef USER_TRACE_JFR_FILE_H
#define USER_TRACE_JFR_FILE_H

#include "format/diag.h"
#include "format/jfr/jfr_read.h"

struct jfr_file_map {
	const char *path; /* borrowed */
	int fd;
	bool copied; /* `fd` is a copy of standard input, or of a compressed file (spool.h) */
	void *data;
	size_t size; /* at the time of opening */
	struct jfr_file file;
};

/*
 * Map a file and check that it is a recording. -errno with the message. If the file shrinks while it is read, the
 * process exits with a message and EXIT_FAILED.
 */
int jfr_file_open(struct jfr_file_map *m, const char *path, struct diag *d);

/* The same of an open descriptor, which is closed with the file, or at once after an error. */
int jfr_file_open_at(struct jfr_file_map *m, int fd, const char *path, struct diag *d);

void jfr_file_close(struct jfr_file_map *m); /* also takes a zeroed one that was never opened */

/*
 * To be called after the last chunk. EXIT_DONE; EXIT_INCOMPLETE: the file is unfinished (a warning is printed); -EIO:
 * the file is damaged, the message says what is wrong and where.
 */
int jfr_file_verdict(const struct jfr_file_map *m, struct diag *d);

/*
 * The same for one of several files. `base` is its position among them; `grown`: it has become longer since it was
 * opened.
 */
int jfr_file_judge(const struct jfr_file *f, const char *path, uint64_t base, bool grown, struct diag *d);

/*
 * Open a recording for reading: a regular file, as opening a device could do harm (user/process/root_path.h), or "-" for
 * standard input. A descriptor, or -errno with the message. *copied: it is that of a copy.
 */
int jfr_file_descriptor(const char *path, bool *copied, struct diag *d);

/* If a mapped file shrinks while it is read, end the process with a message and EXIT_FAILED. */
void jfr_file_watch_shrinking(void);

#endif
