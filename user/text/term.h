/* SPDX-License-Identifier: BSD-2-Clause */
/* Texts that a target has made up, on our output: names of classes, files, users of containers. */
#ifndef USER_TEXT_TERM_H
#define USER_TEXT_TERM_H

#include "format/bytes.h"
#include "format/diag.h"

#include <stdio.h>

/*
 * Print modified UTF-8 as UTF-8. What a terminal would obey instead of showing it (control
 * characters, marks of the writing direction, ends of lines) is printed as Java writes it: \u001b.
 */
void term_print(FILE *to, const char *text);

/*
 * Append UTF-8 of any number of lines, with the same marks for what a terminal would obey; ends of lines and tabs stay, what
 * is no UTF-8 becomes U+FFFD. Returns how many bytes were taken: all but a character that is cut off by the end.
 */
size_t text_show(struct bytes *out, const char *text, size_t size);

/*
 * Where a verb prints what a recording holds: stdout itself, or, when that is a terminal, a stream to it that passes all
 * through text_show(). To be closed with text_close_output(). -errno with the message.
 */
int text_open_output(FILE **out, struct diag *d);
int text_close_output(FILE *out); /* 0, or the errno of the first write that failed */

#endif
