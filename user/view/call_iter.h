/* SPDX-License-Identifier: BSD-2-Clause */
/* The calls of a recording, one after the other, as its jdk.MethodTrace or frtrace.OpenCall events have them. */
#ifndef USER_VIEW_CALL_ITER_H
#define USER_VIEW_CALL_ITER_H

#include "format/jfr/jfr_read.h"

struct call {
	struct jfr_chunk *chunk;
	int64_t start;				/* nanoseconds since the epoch */
	int64_t duration;			/* nanoseconds */
	struct jfr_value method, stack, thread; /* not resolved */
	bool thrown;
	bool split; /* the recording has these, nanoseconds, INT64_MIN when not known: */
	int64_t cpu, run_queue, blocked, pause;
	bool usage; /* and these, INT64_MIN when not known; the time in nanoseconds */
	int64_t system_calls, system_call_time, major_faults, minor_faults;
};

/* A number other than 0 ends it, and is what call_iter_each() returns. */
typedef int call_visit(const struct call *call, void *context);

/* All events of that type, in the order of the file. Faults are in file->fault. */
int call_iter_each(struct jfr_file *file, const char *type, call_visit *visit, void *context);

/* The stack's first frame, whose method (a key) and line are given; false: there is none. */
bool call_caller(const struct call *call, struct jfr_value *method, int64_t *line);

/* The method of a frame, which becomes resolved; the method stays a key. */
struct jfr_value frame_method(struct jfr_chunk *chunk, struct jfr_value *frame);

#endif
