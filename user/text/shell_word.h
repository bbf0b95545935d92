/* SPDX-License-Identifier: BSD-2-Clause */
/* Words for a shell's command line, in commands that are suggested to the user. */
#ifndef USER_TEXT_SHELL_WORD_H
#define USER_TEXT_SHELL_WORD_H

#include <stddef.h>

/*
 * Write `path` as one word that a shell passes on as it is: unchanged if it can be, else in quotes. One that begins with
 * '-' gets "./" in front, so that it is no option. The result is cut at `size`, which should be SHELL_WORD_SIZE times the
 * length, plus SHELL_WORD_EXTRA.
 */
#define SHELL_WORD_SIZE	 4
#define SHELL_WORD_EXTRA 8
void shell_word_write(char *out, size_t size, const char *path);

#endif
