/* SPDX-License-Identifier: BSD-2-Clause */
/* The page of `frtrace report`, for other verbs. */
#ifndef USER_VERBS_REPORT_H
#define USER_VERBS_REPORT_H

#include "format/bytes.h"
#include "format/diag.h"

/*
 * Write the page of what `path` has, a recording or a directory of them, when it is complete. `to`: the page, NULL: beside it.
 * `mapping`: a file with the names that it shows; NULL: none. An exit status, or -errno with the message.
 */
int report_recording(const char *path, const char *mapping, const char *to, struct diag *d);

/* A usage error if the name of a page does not end in .html: a slip of the pen must not replace a recording. */
int report_check_name(const char *to, struct diag *d);

/* Write a page, replacing the one that is there, and say so. */
int report_save(const struct bytes *page, const char *to, struct diag *d);

/* The part of a path after its last slash. */
const char *report_base(const char *path);

#endif
