/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_LIB_JFR_PRINTED_H
#define TESTS_LIB_JFR_PRINTED_H

#include "format/bytes.h"
#include "format/jfr/jfr_read.h"

/*
 * What `print` shows of a file, as text or JSON, valid until the next call. `fault` gets what is wrong with the file;
 * NULL: nothing may be. `unfinished`: whether it is still being written; may be NULL.
 */
const char *jfr_printed(const struct bytes *file, bool json, struct jfr_fault *fault, bool *unfinished);

#endif
