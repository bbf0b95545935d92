/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints one recorded call as one line. */
#ifndef USER_LIVE_CALL_LINE_H
#define USER_LIVE_CALL_LINE_H

#include "user/record/recorder.h"
#include "user/segment/segment.h"

#include <stdio.h>

struct call_line {
	const struct segment *segment;
	uint32_t method;
	const char *thread; /* NULL: unknown */
	uint64_t java_id;   /* of the thread; 0: unknown */
	bool is_virtual, thrown;
	const char *thrown_class; /* NULL: unknown */
	const char *values;	  /* of call_values_text() */
	int64_t end;		  /* CLOCK_REALTIME, ns */
	int64_t start_ticks;	  /* the target's CLOCK_MONOTONIC, ns */
	uint64_t duration;	  /* ns */
	struct frames_caller caller;
	struct span_split split;
};

/* Time of day of the end, duration, thread, method, "thrown" and the class, the values of -e, "from CALLER line: N", where the time went if known. */
void call_line_print(FILE *to, const struct call_line *c);

/* The same as a JSON object; docs/reading.md lists its fields. */
void call_line_json(FILE *to, const struct call_line *c);

#endif
