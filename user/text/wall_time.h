/* SPDX-License-Identifier: BSD-2-Clause */
/* Formatting of CLOCK_REALTIME moments, in ns. */
#ifndef USER_TEXT_WALL_TIME_H
#define USER_TEXT_WALL_TIME_H

#include <stdbool.h>
#include <stdint.h>

#define WALL_TIME_TEXT 48

/* Print the local time of day: "18:05:24", or with `exact` "18:05:24.123456". */
void wall_time_print(int64_t ns, bool exact, char out[WALL_TIME_TEXT]);

/* Print ISO 8601 in UTC: "2026-11-20T17:05:24.123456789Z". */
void wall_time_iso(int64_t ns, char out[WALL_TIME_TEXT]);

#endif
