/* SPDX-License-Identifier: BSD-2-Clause */
/* A line on a terminal that says how far the reading of a large recording is. */
#ifndef USER_TRACE_PROGRESS_H
#define USER_TRACE_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Reading of `size` bytes begins; `name` must stay valid until the end. `streams`: the output goes on meanwhile, so there
 * is no line if it goes to a terminal.
 */
void progress_begin(const char *name, uint64_t size, bool streams);

/* Reading is at byte `at`. From 1 s after the beginning on, this shows the line: a bar, the rate, and the time that remains. */
void progress_reached(uint64_t at);

/* Erase the line. Call before anything else is printed. */
void progress_end(void);

#endif
