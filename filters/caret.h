/* SPDX-License-Identifier: BSD-2-Clause */
/* Shows the place of a fault in a text. */
#ifndef FILTERS_CARET_H
#define FILTERS_CARET_H

#include <stddef.h>

/*
 * Write two indented lines without a final newline: the text, and a caret under its byte `at`. A long text is cut
 * around that byte. Characters that could disturb a terminal become '?'. A `size` of 600 is always enough.
 */
void caret_show(const char *text, size_t length, size_t at, char *out, size_t size);

#endif
