/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Exports the calls of a recording for other tools, one source file per format. Those with a filter export what passes it;
 * NULL: everything.
 */
#ifndef USER_EXPORT_EXPORT_H
#define USER_EXPORT_EXPORT_H

#include "user/trace/call.h"
#include "user/trace/aggregate.h"
#include "user/trace/call_filter.h"
#include "user/trace/jfr_files.h"
#include "user/trace/texts.h"

#include <stdio.h>

/*
 * Stacks as lines "main;caller;method N" for flame graphs. N is the number of calls, or their self time in ns (self_time.h).
 * `normalize`: names are changed by normal_name().
 *
 * This and the other exports leave read errors in file->fault and write errors in `to`. Out of memory ends the process.
 */
void export_collapsed(struct jfr_file *file, struct call_filter *filter, bool weigh_time, bool normalize, FILE *to);

/* The same lines of the samples (jdk.ExecutionSample) that are in calls; N is their number, and the innermost frame the last. */
void export_samples(struct jfr_file *file, struct call_filter *filter, bool normalize, FILE *to);

/* Call on() for each of them. `stack`: not resolved, so that it can be a key. `at`: in ns since 1970. */
typedef void export_on_sample(struct jfr_chunk *chunk, struct jfr_value stack, int64_t at, void *context);
void export_each_sample(struct jfr_file *file, struct call_filter *filter, export_on_sample *on, void *context);

/* Append a frame of such a line. A semicolon in a name would make two frames of one. */
void export_put_frame(struct bytes *out, const char *name);

/* Lines "main;caller;method N M" of both recordings, for differential flame graphs. */
void export_collapsed_pair(struct jfr_file *old, struct jfr_file *new, bool weigh_time, bool normalize, FILE *to);

/*
 * A Perfetto trace (protobuf). Process, threads and virtual threads are tracks, calls and waits slices on them, and a
 * flow leads from the thread that ended a wait. Takes some 80 bytes of memory for each call and wait.
 */
void export_perfetto(struct jfr_file *file, struct call_filter *filter, bool normalize, FILE *to);

/* A profile of pprof, compressed: calls, time, CPU and blocked time by stack, each call without the traced calls inside. */
void export_pprof(struct jfr_file *file, struct call_filter *filter, bool normalize, FILE *to);

/* The same of the samples that are in calls: their number by stack. */
void export_pprof_samples(struct jfr_file *file, struct call_filter *filter, bool normalize, FILE *to);

/*
 * Spans of OpenTelemetry as lines of JSON (otlp.h): a trace for each outermost call. Takes some 140 bytes of memory for
 * each call.
 */
void export_otlp(struct jfr_file *file, struct call_filter *filter, bool normalize, FILE *to);

/* CSV (RFC 4180) with a header line. What the recording does not have is an empty cell. */
void export_csv(struct jfr_file *file, struct call_filter *filter, bool normalize, FILE *to);

/*
 * The events of a type that the file has as CSV, with start_ns, duration_ns, thread_id and thread before the other fields, as
 * far as these have a place in a row.
 */
void export_events(struct jfr_file *file, const char *type, struct call_filter *filter, FILE *to);

/*
 * The recordings themselves as one, in which the events of JEP 520 have only its fields. 0 or -errno as jfr_merge().
 */
int export_jdk(struct jfr_files *files, FILE *to);

/* Caches the names of a file's methods and threads by their keys. */
struct export_names {
	struct texts texts; /* names of methods */
	struct chunk_map methods;
	struct aggregate threads; /* (key, chunk) -> name, and its number in `mark` */
	struct bytes text;
	bool normalize;
};

void export_names_init(struct export_names *n, bool normalize);
void export_names_release(struct export_names *n);

/* "a.b.C.m(int)", and its number in `texts`, from 1 on. */
const char *export_method(struct export_names *n, struct jfr_chunk *chunk, const struct jfr_value *method);
uint32_t export_method_number(struct export_names *n, struct jfr_chunk *chunk, const struct jfr_value *method);

/*
 * Name and number (Java's, else the system's) of the call's thread. group->count is 0 at first sight; the caller must
 * count. Valid until the next call.
 */
struct group *export_thread(struct export_names *n, const struct call *call);

/* The class of the exception that ended the call; "" if it is not known. Valid until the next call. */
const char *export_thrown(struct export_names *n, const struct call *call);

#endif
