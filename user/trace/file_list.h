/* SPDX-License-Identifier: BSD-2-Clause */
/* The files that the operands of a verb name: recordings, and directories of them. */
#ifndef USER_TRACE_FILE_LIST_H
#define USER_TRACE_FILE_LIST_H

#include "format/diag.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct listed_file {
	char *path;
	dev_t device;
	ino_t inode;
	bool found; /* in a directory: it may be gone by now */
};

struct file_list {
	struct listed_file *file;
	size_t count, capacity;
};

/* True if the path names a directory. */
bool file_list_is_directory(const char *path);

/*
 * Add a file, or all recordings of a directory: NAME.jfr and NAME.jfr.gz in it and in its subdirectories that are named by a date, as
 * `-o DIR/` and a JVM's repository lay them out. Empty files in a directory, which a JVM has just begun, are left out.
 * 0 or -errno with the message; a directory without recordings is an error.
 */
int file_list_add(struct file_list *l, const char *path, struct diag *d);

/* Check that no file is listed twice. 0, or a usage error. */
int file_list_check_twice(const struct file_list *l, struct diag *d);

void file_list_release(struct file_list *l);

#endif
