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

/* The Java heap, from these counters. */
struct heap_room {
	uint64_t limit; /* bytes that the heap may have; 0: unknown */
	uint64_t left;	/* bytes of them that can be allocated without a collection that frees some */
	uint64_t least; /* with less than this the heap is full, as exactly as the collector's counters say */
};

/*
 * Look at the counters. Returns false if they do not say that the heap is full, or have not the numbers. True is the state
 * of a moment: the program may be just before a collection.
 */
bool perf_data_heap_is_full(const struct perf_data *p, int jdk_version, struct heap_room *out);

#endif
