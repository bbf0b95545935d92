/* SPDX-License-Identifier: BSD-2-Clause */
/* A Flight Recorder file, mapped, with its reader. */
#ifndef USER_VIEW_JFR_FILE_H
#define USER_VIEW_JFR_FILE_H

#include "format/diag.h"
#include "format/jfr/jfr_read.h"

struct jfr_file_map {
	const char *path; /* the caller's */
	int fd;
	void *data;
	size_t size; /* when it was opened */
	struct jfr_file file;
};

/*
 * Map a file and check that it is a recording. -errno with the message. A file that
 * becomes shorter while it is read ends the process, with a message and EXIT_FAILED.
 */
int jfr_file_open(struct jfr_file_map *m, const char *path, struct diag *d);
void jfr_file_close(struct jfr_file_map *m); /* one that was not opened too, if zeroed */

/* After the last chunk: EXIT_DONE; EXIT_INCOMPLETE: the file is not finished (said); -EIO: it is damaged, the message
 * says what is wrong and where. */
int jfr_file_verdict(const struct jfr_file_map *m, struct diag *d);

#endif
