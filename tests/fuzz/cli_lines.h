/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The command lines that read recordings, run within the process: every reading verb, view, export and page. Words that
 * are a capital letter stand for files:
 *
 *	F the recording   G another one   C a copy of F, which may be changed   D a directory with both   Z F, compressed
 *	O an output that does not exist yet   P a page
 */
#ifndef TESTS_FUZZ_CLI_LINES_H
#define TESTS_FUZZ_CLI_LINES_H

#include <stddef.h>
#include <stdint.h>

#define CLI_WORDS 12

extern const char *const cli_lines[][CLI_WORDS];
extern const size_t cli_line_count;

/* Make a directory for the files. It becomes the current one. */
void cli_begin(void);
void cli_end(void); /* remove it */

/* Write the files of the next lines. */
void cli_set_files(const void *f, size_t f_size, const void *g, size_t g_size);

/*
 * Run a line. Its output goes to the files "stdout" and "stderr". Returns the exit status. Ends the process if a file
 * cannot be written.
 */
int cli_run(size_t line);

/* The same with any words; a NULL ends them. */
int cli_run_words(const char *const words[CLI_WORDS]);

/* "view tree --merged F" */
const char *cli_text(size_t line);

#endif
