/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads mapping files (filters/mapping.h), and gives the filters of a recording the names of the program. */
#ifndef USER_OPTIONS_MAPPING_FILE_H
#define USER_OPTIONS_MAPPING_FILE_H

#include "filters/mapping.h"
#include "user/options/settings.h"

/* 0 or -errno. Free it with mapping_free(). `path` NULL: no mapping, *out is NULL. */
int mapping_file_read(struct mapping **out, const char *path, struct diag *d);

/* The same for all filters of the settings, those of events too, and of the conditions. 0 or -errno. */
int mapping_file_apply(struct settings *s, struct condition_list *conditions, struct diag *d);

#endif
