/* SPDX-License-Identifier: BSD-2-Clause */
/* Untrusted texts on frtrace's output: names of classes, files, users of containers. */
#ifndef USER_TEXT_TERM_H
#define USER_TEXT_TERM_H

#include "format/bytes.h"
#include "format/diag.h"

#include <stdbool.h>
#include <stdio.h>

/*
 * Print modified UTF-8 as UTF-8. Characters that a terminal would interpret (control characters, direction marks,
 * line ends) are printed as Java writes them: \u001b.
 */
void term_print(FILE *to, const char *text);

/*
 * Append UTF-8 of any number of lines, with the same escapes; line ends and tabs stay, and invalid bytes become
 * U+FFFD. Returns the number of bytes consumed: all except a character that is incomplete at the end.
 */
size_t text_show(struct bytes *out, const char *text, size_t size);

/*
 * A name, which cannot begin a line of its own, whoever chose it: line ends and tabs are escaped. What a terminal obeys
 * otherwise is left to text_show(), so that a pipe gets the name. Text that was escaped stays as it is.
 */
void text_show_name(struct bytes *out, const char *text, size_t size);

/*
 * The stream on which a verb prints the content of a recording: stdout itself or, if that is a terminal, a stream
 * that filters everything through text_show(). Close it with text_close_output(). Returns 0 or -errno.
 */
int text_open_output(FILE **out, struct diag *d);
int text_close_output(FILE *out); /* returns 0, or the errno of the first failed write */

/* Width of the terminal behind a descriptor, 80 if it does not say; 0: no terminal. */
unsigned int term_columns(int fd);

/* True if colours may be used: a terminal that has them, and NO_COLOR (https://no-color.org) is unset or empty. */
bool term_has_colours(int fd);

#endif
