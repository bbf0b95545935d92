/* SPDX-License-Identifier: BSD-2-Clause */
/* Maps a Flight Recorder file and opens its reader. */
#ifndef USER_VIEW_JFR_FILE_H
#define USER_VIEW_JFR_FILE_H

#include "format/diag.h"
#include "format/jfr/jfr_read.h"

struct jfr_file_map {
	const char *path; /* borrowed */
	int fd;
	void *data;
	size_t size; /* at the time of opening */
	struct jfr_file file;
};

/*
 * Map a file and check that it is a recording. -errno with the message. If the file shrinks while it is read, the
 * process exits with a message and EXIT_FAILED.
 */
int jfr_file_open(struct jfr_file_map *m, const char *path, struct diag *d);
void jfr_file_close(struct jfr_file_map *m); /* also takes a zeroed one that was never opened */

/*
 * To be called after the last chunk. EXIT_DONE; EXIT_INCOMPLETE: the file is unfinished (a warning is printed); -EIO:
 * the file is damaged, the message says what is wrong and where.
 */
int jfr_file_verdict(const struct jfr_file_map *m, struct diag *d);

#endif
