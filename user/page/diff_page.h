/* SPDX-License-Identifier: BSD-2-Clause */
/* A comparison of two recordings as one HTML file without scripts, which requests nothing. */
#ifndef USER_PAGE_DIFF_PAGE_H
#define USER_PAGE_DIFF_PAGE_H

#include "user/compare/diff.h"

/* Append the page, with `top` methods at most. `before` and `after` name the recordings. Out of memory ends the process. */
void diff_page_put(struct bytes *out, const struct diff *d, const char *before, const char *after, size_t top);

#endif
