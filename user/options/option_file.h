/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads a file that an option names. */
#ifndef USER_OPTIONS_OPTION_FILE_H
#define USER_OPTIONS_OPTION_FILE_H

#include "format/bytes.h"
#include "format/diag.h"

/*
 * Append what the file has, at most `most` bytes. `what` is what it is read for: "filters". 0, or -errno with the message;
 * the caller releases `out` in each case.
 */
int option_file_read(struct bytes *out, const char *path, const char *what, size_t most, struct diag *d);

#endif
