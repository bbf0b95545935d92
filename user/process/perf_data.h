/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * HotSpot's performance counters, from the file /tmp/hsperfdata_USER/PID (format version 2.0). The JVM maps the
 * file and writes to it at any time, so each read takes a copy. The target can write anything into it: every
 * offset is checked.
 */
#ifndef USER_PROCESS_PERF_DATA_H
#define USER_PROCESS_PERF_DATA_H

#include "user/process/target.h"

#include <stddef.h>

struct perf_data {
	uint8_t *bytes;
	size_t length;
};

/*
 * Read the target's counters. Returns 0; -ENOENT: there are none; -EAGAIN: the JVM is still creating them; other
 * -errno.
 */
int perf_data_read(const struct target *t, struct perf_data *out);
void perf_data_release(struct perf_data *p);

/* True for a copy of a complete file of counters. */
bool perf_data_valid(const struct perf_data *p);

/* A string counter, cut to fit. Returns false if there is none of this name. */
bool perf_data_string(const struct perf_data *p, const char *name, char *out, size_t size);

/* The same, whole and allocated; NULL if there is none. */
char *perf_data_strdup(const struct perf_data *p, const char *name);

/* A 64-bit counter. Returns false if there is none of this name. */
bool perf_data_long(const struct perf_data *p, const char *name, int64_t *out);

#endif
