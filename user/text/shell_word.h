/* SPDX-License-Identifier: BSD-2-Clause */
/* Words for a shell's command line, in commands that are suggested to the user. */
#ifndef USER_TEXT_SHELL_WORD_H
#define USER_TEXT_SHELL_WORD_H

#include "format/bytes.h"

/*
 * Append `path` as one word that a shell passes on as it is: unchanged if it can be, else in quotes. One that begins with
 * '-' gets "./" in front, so that it is no option.
 */
void put_shell_word(struct bytes *out, const char *path);

#endif
