/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef FILTERS_CARET_H
#define FILTERS_CARET_H

#include <stddef.h>

/*
 * Write two indented lines (no newline at the end): the text, and a caret under
 * its byte `at`. A long text is cut around the fault. What a terminal must
 * not get is shown as '?'. `size` of 600 is always enough.
 */
void caret_show(const char *text, size_t length, size_t at, char *out, size_t size);

#endif
