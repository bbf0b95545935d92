/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads files of filters: --filters=FILE, --timing-filters=FILE. */
#ifndef USER_OPTIONS_FILTER_FILE_H
#define USER_OPTIONS_FILTER_FILE_H

#include "filters/filter_list.h"

/*
 * Add the filters of a file, one per line, to a list as `kind` (FILTER_TRACE, FILTER_TIMING). An invalid filter is a
 * usage error with file and line; the list is then unchanged. 0, or -errno with the message.
 */
int filter_file_add(struct filter_list *l, const char *path, enum filter_kind kind, struct diag *d);

#endif
