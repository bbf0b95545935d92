/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The values of the events that we write: a struct for each, whose first member is the event's start. The rows of
 * jfr_schema.c say which member is which field. Times are ticks; strings may be NULL; keys are those of jfr_write.h.
 */
#ifndef FORMAT_JFR_JFR_EVENTS_H
#define FORMAT_JFR_JFR_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

#define JFR_MISSING INT64_MIN

struct jfr_method_trace {
	int64_t start, duration;
	uint64_t thread, stack, method; /* keys; the stack begins with the method's caller */
	bool thrown;
	uint64_t thrown_class; /* key; 0: none, or not known */
	/*
	 * Where the time went, in ns or JFR_MISSING. These are written if the origin's `kernel` is JFR_KERNEL_WAITS or
	 * more,
	 */
	int64_t cpu, run_queue, blocked, pause;
	/* and these if it is JFR_KERNEL_FULL. */
	int64_t major_faults, minor_faults, system_calls, system_call_time;
	int64_t allocated; /* bytes, or JFR_MISSING; written if the origin says so */
	int64_t request;   /* ns until the request was over, or JFR_MISSING; the same */
	/* These if the writer has trace ids: of the distributed trace and of its span; 0: in none. */
	uint64_t trace_hi, trace_lo, span;
};

/* Only with JFR_KERNEL_WAITS or more. Stacks and threads are keys, 0: none. Texts may be NULL. */
struct jfr_thread_wait {
	int64_t start, duration; /* until the wake-up or, if `ongoing`, until the wait was observed */
	uint64_t thread, stack, waker, native_stack, kernel_stack;
	uint64_t waker_stack, waker_kernel_stack;
	const char *reason, *system_call, *waker_kind;
	int64_t woken_after;   /* from `start` until the waker ended the wait; JFR_MISSING: unknown */
	const char *resource;  /* "10.0.0.7:5432", "/var/log/app.log" */
	const char *service;   /* "postgresql" */
	const char *process;   /* that has the other end of the connection: "postgres" */
	const char *container; /* of that process, if it is another one */
	bool ongoing;
};

/* jdk.ExecutionSample: a thread was on a CPU. `stack` 0: unknown. */
struct jfr_execution_sample {
	int64_t start;
	uint64_t thread, stack; /* keys */
	uint64_t state;		/* JFR_STATE_RUNNABLE */
};

struct jfr_vm_pause {
	int64_t start, duration;
	const char *what, *name;
	bool own; /* frtrace caused it */
};

/*
 * All events of one emission have the same start. The times are JFR_MISSING if there were no invocations;
 * percentiles also if they are unknown.
 */
struct jfr_method_timing {
	int64_t start;
	uint64_t method; /* key */
	int64_t invocations, minimum, average, maximum, p50, p90, p99, thrown;
	int64_t self, outermost; /* sums over the calls */
	int64_t allocated;	 /* the same, bytes; written if the origin says so */
};

/* frtrace.OpenCall. `duration` is the time so far, `stack` the thread's whole stack; `remark` may be NULL. */
struct jfr_open_call {
	int64_t start, duration;
	uint64_t thread, stack, method; /* keys */
	const char *remark;
};

struct jfr_active_recording {
	int64_t start;
	int64_t id;
	const char *name, *destination;
	int64_t max_age_ms; /* INT64_MAX: no limit */
	int64_t flush_interval_ms;
	int64_t max_size;	       /* 0: no limit */
	int64_t recording_start_ms;    /* since the epoch */
	int64_t recording_duration_ms; /* INT64_MAX: no limit */
	bool disk;
};

struct jfr_active_setting {
	int64_t start;
	uint64_t id; /* of the event type */
	const char *name, *value;
};

struct jfr_jvm_information {
	int64_t start;
	const char *jvm_name, *jvm_version, *jvm_arguments, *jvm_flags, *java_arguments;
	int64_t jvm_start_ms; /* since the epoch; JFR_MISSING: unknown */
	int64_t pid;	      /* the JVM's own view, inside its container */
};

struct jfr_cpu_information {
	int64_t start;
	const char *cpu, *description;
	uint32_t sockets, cores, hw_threads;
};

struct jfr_physical_memory {
	int64_t start;
	uint64_t total, used; /* bytes */
};

/* frtrace.Clock, one calibration: TSC, CLOCK_MONOTONIC ns and CLOCK_REALTIME ns of one moment, and the error in ns. */
struct jfr_clock {
	int64_t start;
	int64_t tsc, monotonic, realtime, error;
};

struct jfr_run_queue {
	int64_t start, duration;
	uint64_t thread; /* key */
};

struct jfr_os_information {
	int64_t start;
	const char *version;
};

struct jfr_virtualization_information {
	int64_t start;
	const char *name;
};

/* jdk.DataLoss: bytes lost now, and in total. */
struct jfr_data_loss {
	int64_t start;
	uint64_t amount, total;
};

/* jdk.Shutdown: the JVM has ended. `jfr view recording` shows the reason. */
struct jfr_shutdown {
	int64_t start;
	uint64_t thread, stack; /* keys, 0 none */
	const char *reason;
};

/* frtrace.Message: a remark for the reader of the recording, for example a skipped method or a lower bound. */
struct jfr_message {
	int64_t start;
	const char *kind, *text;
};

/* frtrace.Task; JFR_MISSING: it did not run. */
struct jfr_task {
	int64_t start, duration;
	uint64_t thread, stack, submitter, method, task_class; /* keys */
	const char *outcome;
	int64_t run_time; /* ns */
};

/* frtrace.PathSegment: a part of the critical path of a call. */
struct jfr_path_segment {
	int64_t start, duration;
	uint64_t thread, stack; /* keys */
	int64_t offset;		/* ns from the start of the call */
	int64_t depth;
	uint64_t inside, task;		    /* keys: of a method and a class */
	const char *state, *resource, *end; /* resource: as in a wait; end: how that ended; NULL: none */
	uint64_t waiter, waker_stack;
	const char *waited;
	uint64_t method, call_thread;
	int64_t call_start, call_duration; /* ticks, ns */
};

/* frtrace.ResourceAttribute: an attribute of OpenTelemetry's resource, such as service.name. */
struct jfr_resource_attribute {
	int64_t start;
	const char *key, *value;
	const char *type; /* "string", "bool", "int", "double" */
};

#endif
