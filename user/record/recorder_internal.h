/* SPDX-License-Identifier: BSD-2-Clause */
/* The recorder's state, for recorder.c, which records, and recorder_make.c, which makes and frees it. */
#ifndef USER_RECORD_RECORDER_INTERNAL_H
#define USER_RECORD_RECORDER_INTERNAL_H

#include "user/record/recorder.h"
#include "format/jfr/jfr_write.h"
#include "user/text/budget.h"
#include "user/record/recording_info.h"
#include "user/record/task_events.h"
#include "user/record/thread_keys.h"
#include "user/record/timing_events.h"

struct recorder {
	struct recorder_setup setup;
	struct jfr_writer *writer;
	struct recording_info info;
	struct method_keys methods;
	struct frames *frames;
	struct budget budget; /* shared by frames and copied_stacks */
	int64_t behind_since; /* 0: not behind */
	struct thread_keys *threads;
	struct thread_names *names; /* NULL: the JVM's memory is not read */
	uint32_t chunk;		    /* number of the open chunk */
	bool open, failed;
	bool untold;	     /* it failed in a callback, and nobody has been told */
	struct diag failure; /* the error, if it occurred in a callback */
	int64_t chunk_start, start_ticks;
	int64_t first_call; /* time of the first recorded call, CLOCK_MONOTONIC; 0: none yet */
	uint64_t loss_noted;
	size_t chunk_size;
	struct timings sums;
	int64_t timing_due;
	bool forged;		       /* the agent's tables, as found by a pass over them */
	struct copied_stacks *copied;  /* of waits and native calls; NULL: none are taken */
	struct native_stacks *natives; /* NULL: none are unwound */
	struct breakdown *breakdown;   /* NULL: not recorded */
	struct span_events *events;
	struct task_events tasks;
	struct user_events *users;		     /* NULL: there are none */
	struct trace_context *traces;		     /* NULL: ids of distributed traces are not wanted */
	bool trace_ids;				     /* calls have them */
	struct process_context_reader *program;	     /* NULL: what it says of itself is not wanted */
	struct recorder_counts counts, put, written; /* the latter as of the last chunk that was put, and written */
};

#define RECORDER_ROUND_NS 2000000000LL /* CPU time for stacks that are resolved until the next recorder_read_stacks() */

int64_t recorder_chunk_age(const struct recorder *r); /* maximum, ns */

/* Time between two emissions of jdk.MethodTiming in ns; the last one is at the end of the recording. */
int64_t recorder_timing_interval(const struct recorder *r);

/* Ticks are the target's CLOCK_MONOTONIC, as returned by System.nanoTime() there. */
int64_t recorder_ticks_of(const struct recorder *r, int64_t monotonic);

#endif
