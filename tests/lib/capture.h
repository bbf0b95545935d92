/* SPDX-License-Identifier: BSD-2-Clause */
/* Captures what is printed on stderr between two calls. For CMocka programs. */
#ifndef TESTS_LIB_CAPTURE_H
#define TESTS_LIB_CAPTURE_H

#include <stdbool.h>

/* `terminal`: make stderr a terminal meanwhile. */
void capture_begin(bool terminal);

/* The captured text, valid until the next capture. */
const char *capture_end(void);

#endif
