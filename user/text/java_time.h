/* SPDX-License-Identifier: BSD-2-Clause */
/* Moments and durations as the JDK's tools print them. */
#ifndef USER_TEXT_JAVA_TIME_H
#define USER_TEXT_JAVA_TIME_H

#include "format/jfr/jfr_chunk.h"

/* nanos is 0 to 999,999,999, also for negative values. */
struct java_time {
	int64_t seconds;
	int32_t nanos;
	enum { TIME_KNOWN, TIME_MISSING, TIME_FOREVER } kind;
};

/* The value of a field with @Timespan, or with @Timestamp (since the epoch). Returns false if its unit is unknown. */
bool java_timespan(struct java_time *t, const struct jfr_chunk *chunk, const struct meta_field *f, int64_t value);
bool java_timestamp(struct java_time *t, const struct jfr_chunk *chunk, const struct meta_field *f, int64_t value);

/* Append three digits with a suitable unit: "20.5 ms", "0.000123 ms", "1 h 30 m"; "N/A", "Forever". */
void put_duration(struct bytes *out, const struct java_time *t);

/* "0.020512345 s" */
void put_duration_exact(struct bytes *out, const struct java_time *t);

/* "PT0.020512345S" (ISO 8601) */
void put_duration_iso(struct bytes *out, const struct java_time *t);

/* "20:08:35.749 (2026-11-20)" at an offset from UTC in seconds; exact: with nine digits */
void put_moment(struct bytes *out, const struct java_time *t, int64_t utc_offset, bool exact);

/* "2026-11-20T20:08:35.749123+01:00" */
void put_moment_iso(struct bytes *out, const struct java_time *t, int64_t utc_offset);

/* "2026-11-20 20:08:35" */
void put_date_time(struct bytes *out, int64_t seconds);

#endif
