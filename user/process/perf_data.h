/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * HotSpot's performance counters, as the file /tmp/hsperfdata_USER/PID holds
 * them (version 2.0 of the format; the JVM maps the file and writes into it
 * while we read, so each read takes a copy). The target can write anything
 * into it: every offset is checked.
 */
#ifndef USER_PROCESS_PERF_DATA_H
#define USER_PROCESS_PERF_DATA_H

#include "user/process/target.h"

#include <stddef.h>

struct perf_data {
	uint8_t *bytes;
	size_t length;
};

/* Read the target's counters. 0; -ENOENT: there are none; -EAGAIN: the JVM is still making them; -errno. */
int perf_data_read(const struct target *t, struct perf_data *out);
void perf_data_release(struct perf_data *p);

/* Is it a copy of such a file, of a JVM that has finished making it? */
bool perf_data_valid(const struct perf_data *p);

/* A string counter, cut to fit; false when there is none of this name. */
bool perf_data_string(const struct perf_data *p, const char *name, char *out, size_t size);

/* The same, malloc'ed, whole; NULL when there is none. */
char *perf_data_strdup(const struct perf_data *p, const char *name);

/* A 64-bit counter; false when there is none of this name. */
bool perf_data_long(const struct perf_data *p, const char *name, int64_t *out);

#endif
