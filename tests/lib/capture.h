/* SPDX-License-Identifier: BSD-2-Clause */
/* What is printed on stderr between the two calls. For CMocka programs. */
#ifndef TESTS_LIB_CAPTURE_H
#define TESTS_LIB_CAPTURE_H

#include <stdbool.h>

/* `terminal`: stderr is a terminal meanwhile. */
void capture_begin(bool terminal);

/* The text; valid until the next capture. */
const char *capture_end(void);

#endif
