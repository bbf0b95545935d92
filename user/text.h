/* SPDX-License-Identifier: BSD-2-Clause */
/* Texts that a target has made up, on our output: names of classes, files, users of containers. */
#ifndef USER_TEXT_H
#define USER_TEXT_H

#include <stdio.h>

/*
 * Print modified UTF-8 as UTF-8. What a terminal would obey instead of showing it (control
 * characters, marks of the writing direction, ends of lines) is printed as Java writes it: \u001b.
 */
void text_print(FILE *to, const char *text);

#endif
