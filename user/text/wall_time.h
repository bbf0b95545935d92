/* SPDX-License-Identifier: BSD-2-Clause */
/* Moments of CLOCK_REALTIME, in ns. */
#ifndef USER_TEXT_WALL_TIME_H
#define USER_TEXT_WALL_TIME_H

#include <stdbool.h>
#include <stdint.h>

#define WALL_TIME_TEXT 48

/* The local time of day, "18:05:24" or `exact` "18:05:24.123456". */
void wall_time_print(int64_t ns, bool exact, char out[WALL_TIME_TEXT]);

/* ISO 8601 in UTC: "2026-11-20T17:05:24.123456789Z". */
void wall_time_iso(int64_t ns, char out[WALL_TIME_TEXT]);

#endif
