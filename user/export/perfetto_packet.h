/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Packets of a Perfetto trace (perfetto.dev, "Trace Packet Proto"), all of one sequence. Names are interned, and time
 * stamps count from the packet before, so that a call takes some 50 bytes.
 */
#ifndef USER_EXPORT_PERFETTO_PACKET_H
#define USER_EXPORT_PERFETTO_PACKET_H

#include "format/bytes.h"

#include <stdio.h>

/* Arguments of slices, by the number of their interned name. */
enum perfetto_argument {
	PERFETTO_THROWN = 1,
	PERFETTO_CPU,
	PERFETTO_RUN_QUEUE,
	PERFETTO_BLOCKED,
	PERFETTO_PAUSE,
	PERFETTO_SYSTEM_CALLS,
	PERFETTO_SYSTEM_CALL_TIME,
	PERFETTO_MAJOR_FAULTS,
	PERFETTO_MINOR_FAULTS,
	PERFETTO_SYSTEM_CALL,
	PERFETTO_WOKEN_BY,
	PERFETTO_THROWN_CLASS,
	PERFETTO_WOKEN_IN,
	PERFETTO_WAKER_CALL,
	PERFETTO_HELD_BY,
	PERFETTO_RESOURCE,
	PERFETTO_SERVICE,
	PERFETTO_PROCESS,
	PERFETTO_CONTAINER,
	PERFETTO_ALLOCATED,
	PERFETTO_REQUEST,
	PERFETTO_QUEUED,
	PERFETTO_WHY,
};

enum perfetto_category {
	PERFETTO_TASK = 1, /* around its calls */
	PERFETTO_CALL,
	PERFETTO_WAIT,
	PERFETTO_RUNNABLE,
	PERFETTO_VM_PAUSE,
	PERFETTO_WAKEUP,
	PERFETTO_SUBMIT,
	PERFETTO_PATH,
};

struct perfetto_clock {
	int64_t start;	  /* of the trace; no time stamp is before it */
	bool monotonic;	  /* times are CLOCK_MONOTONIC; otherwise, CLOCK_REALTIME */
	int64_t realtime; /* CLOCK_REALTIME at the start */
};

struct perfetto {
	FILE *to; /* borrowed; its owner checks for errors */
	struct bytes packets;
	struct perfetto_clock clock;
	int64_t last; /* time stamp */
};

/* Begin the trace. `names`: what slices are called, the first one has number 1. */
void perfetto_begin(struct perfetto *p, FILE *to, const struct perfetto_clock *clock, const char *const *names,
		    size_t count);

/* False: no memory. */
bool perfetto_finish(struct perfetto *p);

/* Tracks. A `parent` of 0: none. */
void perfetto_process(struct perfetto *p, uint64_t track, int64_t pid, const char *name);
void perfetto_thread(struct perfetto *p, uint64_t track, int64_t pid, int64_t tid, const char *name);
void perfetto_track(struct perfetto *p, uint64_t track, uint64_t parent, const char *name);
void perfetto_counter_track(struct perfetto *p, uint64_t track, uint64_t parent, const char *name);

/* Append an argument of a slice to `out`. */
void perfetto_put_number(struct bytes *out, enum perfetto_argument name, int64_t value);
void perfetto_put_text(struct bytes *out, enum perfetto_argument name, const char *text);

/*
 * Slices, in the order of time. `arguments` is what was put; `name` and `flow` are numbers from 1 on. A flow leads from
 * the instant that begins it to the beginning or the end of a slice; 0: none.
 */
void perfetto_slice_begin(struct perfetto *p, int64_t time, uint64_t track, enum perfetto_category category,
			  uint32_t name, const void *arguments, size_t size, uint32_t flow);
void perfetto_slice_end(struct perfetto *p, int64_t time, uint64_t track, uint32_t flow);
void perfetto_instant(struct perfetto *p, int64_t time, uint64_t track, enum perfetto_category category, uint32_t name,
		      uint32_t flow);

/* A counter has a value from this time on; it may be before that of the last slice. */
void perfetto_counter(struct perfetto *p, int64_t time, uint64_t track, double value);

#endif
