/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Does the program publish the distributed traces that its threads are in, and where? Two forms are known; in both a
 * library exports a thread-local pointer to a record:
 *    otel_thread_ctx_v1: OpenTelemetry (OTEP 4947, "Thread Context")
 *    elastic_apm_profiling_correlation_tls_v1: Elastic (elastic/apm, specs/agents/universal-profiling-integration.md)
 */
#ifndef USER_PROCESS_TRACE_CONTEXT_H
#define USER_PROCESS_TRACE_CONTEXT_H

#include "bpf/frtrace.h"
#include "user/process/target.h"

struct trace_context;

/* `t` is borrowed. NULL: its memory cannot be read, or there is none left. */
struct trace_context *trace_context_new(const struct target *t);
void trace_context_free(struct trace_context *c);

/*
 * Look at the libraries that the program has now. True: *out says where one publishes, OpenTelemetry's before Elastic's.
 * `otel_unknown`: the program says that OpenTelemetry's form is none that is known (process_context.h), so only Elastic's
 * is looked for. Each file is looked into once, so that looking again costs a read of the mappings; files for which a budget
 * of CPU time is too short, or that are left when a signal comes, are looked into the next time.
 */
bool trace_context_find(struct trace_context *c, bool otel_unknown, struct frt_context *out);

/* Tell the agent, through a row that a collector writes; out->word 0: nowhere. */
void trace_context_store(struct frt_context *row, const struct frt_context *where);

#endif
