/* SPDX-License-Identifier: BSD-2-Clause */
/* --filters=FILE, --timing-filters=FILE */
#ifndef USER_OPTIONS_FILTER_FILE_H
#define USER_OPTIONS_FILTER_FILE_H

#include "filters/filter_list.h"

/* Add the filters of a file to a list (FILTER_TRACE, FILTER_TIMING), one a line. What is no filter is a usage error with file and line; nothing is added then. */
int filter_file_add(struct filter_list *l, const char *path, enum filter_kind kind, struct diag *d);

#endif
