/* SPDX-License-Identifier: BSD-2-Clause */
/* A directory in /tmp for the files of a case, or of all cases of a program. For CMocka programs. */
#ifndef TESTS_LIB_WORKDIR_H
#define TESTS_LIB_WORKDIR_H

#include <stddef.h>

extern char workdir[32]; /* its path */

/* A setup, and a teardown, which removes it with all that is in it. `state` is not used. */
int workdir_make(void **state);
int workdir_remove(void **state);

/* The path of a file in it, valid until the 16th next call. */
const char *workdir_path(const char *name);

/* Write a file in it. Returns its path as workdir_path() does. */
const char *workdir_write(const char *name, const void *data, size_t size);

/* How many files in it have a name that does not begin with a dot. */
unsigned int workdir_count(void);

#endif
