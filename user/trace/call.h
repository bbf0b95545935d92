/* SPDX-License-Identifier: BSD-2-Clause */
/* A call of a recording: an event jdk.MethodTrace, one of -e that stands for it, or frtrace.OpenCall. */
#ifndef USER_TRACE_CALL_H
#define USER_TRACE_CALL_H

#include "user/trace/chunk_map.h"
#include "user/trace/event_members.h"
#include "user/trace/span.h"

struct call {
	struct jfr_chunk *chunk;
	const struct jfr_event *event;
	uint64_t number;			/* among the calls of the pass, the first one is 0 */
	int64_t start;				/* nanoseconds since the epoch */
	int64_t duration;			/* nanoseconds */
	struct jfr_value method, stack, thread; /* not resolved */
	uint64_t method_id;			/* call_method_id() of the method */
	/*
	 * Frames on top of the stack that are the call itself. 1 in recordings of async-profiler (4.x, flightRecorder.cpp):
	 * it writes 0 for the method, and a stack that begins with it. That of JEP 520 begins with the caller.
	 */
	unsigned int own_frames;
	bool thrown;
	struct jfr_value thrown_class; /* not resolved; VALUE_NULL: the file does not have it */
	bool split;		       /* the recording has the next four; ns, INT64_MIN if unknown */
	int64_t cpu, run_queue, blocked, pause;
	bool usage; /* the recording has the next four; INT64_MIN if unknown, time in ns */
	int64_t system_calls, system_call_time, major_faults, minor_faults;
	bool traced; /* the recording has the next three: ids of the distributed trace; 0 if the call was in none */
	int64_t trace_hi, trace_lo, span;
	int64_t allocated; /* bytes that its thread has allocated in it; INT64_MIN: unknown */
	int64_t request;   /* ns until the request was over (--until); INT64_MIN: not after the call, or unknown */
	uint64_t values_at, values; /* events in a row that have its values by -e, for user_values_each(); 0: none */
};

static inline struct span call_span(const struct call *call)
{
	return (struct span){call->start, call->duration, call->number};
}

/* How long the call took, or its last task. */
static inline int64_t call_longest(const struct call *call)
{
	return call->request > call->duration ? call->request : call->duration;
}

/* True if the call was in a distributed trace. */
static inline bool call_has_trace(const struct call *call)
{
	return call->traced && call->span && (call->trace_hi || call->trace_lo);
}

/* True if cpu, run_queue and blocked are known. */
static inline bool call_has_split(const struct call *call)
{
	return call->split && call->cpu != INT64_MIN && call->run_queue != INT64_MIN && call->blocked != INT64_MIN;
}

/* Zeroed at first. */
struct call_reader {
	struct event_reader fields;
	struct chunk_map ids; /* of methods of a mixed recording -> index + 1 in `id` */
	uint64_t *id;
	size_t count, capacity;
};

/* Read a call from its event. */
void call_read(struct call_reader *r, struct jfr_chunk *chunk, const struct jfr_event *e, struct call *call);
void call_reader_release(struct call_reader *r);

/*
 * A number by which calls are grouped by method: the method's key or, in recordings that have no common keys, a hash of
 * its name. 0: no method.
 */
uint64_t call_method_id(struct jfr_chunk *chunk, const struct jfr_value *method);

/*
 * Begin with the callers on the stack: frames->place.count of them follow at *c, for jfr_take_element(). False: there are
 * none.
 */
bool call_enter_callers(const struct call *call, struct jfr_value *frames, struct cursor *c);

/* Set *method (a key) and *line from the first of the callers. False: there is none. */
bool call_caller(const struct call *call, struct jfr_value *method, int64_t *line);

/* Append the class of the exception that ended the call: java.io.IOException. False: it is not known. */
bool call_put_thrown(const struct call *call, struct bytes *out);

/* Append the id of the call's trace as tracing tools take it: 32 hexadecimal digits. */
void call_put_trace(const struct call *call, struct bytes *out);

/* Resolve *frame and return its method as a key; VALUE_NULL if there is none. */
struct jfr_value frame_method(struct jfr_chunk *chunk, struct jfr_value *frame);

#endif
