/* SPDX-License-Identifier: BSD-2-Clause */
/* Messages to the user, on stderr; stdout is for data. */
#ifndef USER_TEXT_LOG_H
#define USER_TEXT_LOG_H

#include <stdbool.h>
#include <stdint.h>

void log_set(bool quiet, bool verbose);

/* Begin each line with this, because several processes print here; nothing is overwritten then. "": as usual. */
void log_set_prefix(const char *text);

/* A line; a terminal gets it broken between words. Not with -q. */
void log_line(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same, with -v only. */
void log_detail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* An error message; also with -q. */
void log_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/*
 * A line that the next one of its kind overwrites; only if stderr is a terminal. What three blanks separate is left out
 * where the line does not fit, from the end.
 */
void log_progress(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Erase that line. */
void log_progress_end(void);

bool log_is_live(void);

/* The number of lines printed, without those that are overwritten. */
uint64_t log_lines(void);

/* 1234567 as "1,234,567", into one of a few static buffers. */
const char *log_count(uint64_t n);

static inline const char *plural(uint64_t n, const char *one, const char *many)
{
	return n == 1 ? one : many;
}

/*
 * Nanoseconds as "8 ns", "31.2 ms", "980 ms"; bytes as "1.1 MB"; an amount of bytes also as "1,204 B". In the same static
 * buffers.
 */
const char *log_time(uint64_t ns);
const char *log_bytes(uint64_t bytes);
const char *log_amount(uint64_t bytes);

#endif
