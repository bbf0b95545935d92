/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks whether the wall clock was set while a recording was made. */
#ifndef USER_TRACE_MERGE_CHECK_H
#define USER_TRACE_MERGE_CHECK_H

#include "format/jfr/jfr_read.h"

/* Facts about the clock; INT64_MIN if the recording has no chunk. */
struct merge_clock {
	/*
	 * Step of the wall clock between the start of the recording and its last chunk, in ns: the time in the last
	 * chunk's header (files of a JVM) or in its frtrace.Clock event, minus the time computed from the ticks since
	 * the first chunk.
	 */
	int64_t step;
	int64_t length; /* wall-clock ns between the two */
};

/* A damaged file yields what was found before the damage. */
void merge_clock_read(const struct jfr_file *file, struct merge_clock *out);

/*
 * Print a warning if the clock was stepped (slewing is fine): event times count from the start of each recording, and
 * the offset between the starts is then unknown.
 */
void merge_check(const char *path, const struct jfr_file *file);

/*
 * How far the clock of a recording is ahead of that of another one during which it was running all the time, in ns, at
 * least; 0: not much. A clock is faked by a library (libfaketime), or by a time namespace.
 */
int64_t merge_clock_ahead(const struct jfr_file *around, const struct jfr_file *file);

#endif
