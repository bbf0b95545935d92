/* SPDX-License-Identifier: BSD-2-Clause */
/* Breaks long lines. Texts are UTF-8, one column per character. */
#ifndef USER_TEXT_FOLD_H
#define USER_TEXT_FOLD_H

#include "format/bytes.h"

/* Append a line, without its end, broken between words into lines of at most `width` columns. All but the first are
 * indented. A word that is longer than that has a line of its own. */
void fold_words(struct bytes *out, const char *line, size_t width, unsigned int indent);

/* Append the separator and the text. If the line would get wider than `width` columns, the text begins an indented line
 * of its own instead, and of the separator only what is before its first blank is appended, such as a comma. */
void fold_beside(struct bytes *out, const char *separator, const char *text, size_t width, unsigned int indent);

/* Number of characters of the last line. */
size_t fold_columns(const struct bytes *out);

#endif
