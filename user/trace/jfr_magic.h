/* SPDX-License-Identifier: BSD-2-Clause */
/* How a recording begins. */
#ifndef USER_TRACE_JFR_MAGIC_H
#define USER_TRACE_JFR_MAGIC_H

#include "format/diag.h"

#include <stddef.h>

/*
 * Check that the first `size` bytes of a file, at least JFR_HEADER_SIZE if it has them, begin a recording. 0 or -errno with
 * the message; `path` is its name there.
 */
int jfr_magic_check(const char *path, const void *data, size_t size, struct diag *d);

#endif
