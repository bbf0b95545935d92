/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes Flight Recorder chunks, format 2.1, into memory. A chunk is built
 * whole, with every constant that its events refer to, then handed out
 * finished (state 0). Ticks are CLOCK_MONOTONIC nanoseconds.
 *
 * Allocation failures are remembered: the calls go on doing nothing, and
 * jfr_chunk_finish() returns -ENOMEM.
 */
#ifndef FORMAT_JFR_JFR_WRITE_H
#define FORMAT_JFR_JFR_WRITE_H

#include "format/diag.h"
#include "format/jfr/jfr_schema.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct jfr_writer;

struct jfr_origin {
	int64_t start_ticks; /* of the recording: one base for the whole file */
	int64_t start_nanos; /* the same moment as nanoseconds since the epoch */
	const char *locale;  /* "en_US" */
	int64_t gmt_offset_ms, dst_ms;
	enum jfr_kernel kernel;
};

struct jfr_writer *jfr_writer_new(const struct jfr_origin *origin, struct diag *d);
void jfr_writer_free(struct jfr_writer *w);

/*
 * Constants. A key (never 0) means the same thing in all chunks of a file and
 * is never given twice; 0 stands for "none", and is what comes back when there
 * is no memory. Equal methods, classes, loaders and symbols get equal keys for
 * the life of the writer. They may be asked for at any time, also between two
 * chunks; a chunk contains those that its events use.
 *
 * Equal means: a class of the same name and loader; a method of the same class,
 * name and descriptor; a loader of the same type, name and identity; a thread
 * or a stack equal in everything (a thread that is renamed gets another key).
 *
 * Keys of threads and stacks are forgotten when two chunks have passed without
 * them (memory stays bounded with a million of either), those of methods and
 * classes when there are many of them. A caller that keeps them
 * asks jfr_thread_known() and jfr_stack_known() before use, or as often as it
 * finishes chunks. An event with a key that is unknown or forgotten is written
 * without thread, stack or method, and the chunk gets a frtrace.Message that
 * says how many. To ask for a thread or a stack is to use it.
 *
 * A class without name, or one that begins with [ and is no array, is none: 0; so
 * is a method without class. A method's descriptor that is none becomes ()V.
 *
 * Names are modified or true UTF-8; what is neither becomes U+FFFD. Names of
 * threads are cut at 1000 bytes, texts of events at 1 MB.
 */
struct jfr_loader_constant {
	const char *type;  /* internal class name of the loader; NULL for the boot loader */
	const char *name;  /* "bootstrap", "platform", "app", ...; NULL none */
	uint64_t identity; /* the caller's number: two loaders of one name are two constants */
};

struct jfr_class_constant {
	const char *name; /* internal form a/b/C */
	uint64_t loader;  /* key */
	uint32_t modifiers;
	bool hidden;
};

struct jfr_method_constant {
	uint64_t class_key;
	const char *name, *descriptor;
	uint32_t modifiers;
	bool hidden;
};

struct jfr_thread_constant {
	const char *name;  /* NULL or "": nameless; of a thread that is not Java's, the system's name */
	const char *group; /* NULL none; a virtual thread's is "VirtualThreads" then, as HotSpot has it */
	int64_t os_id;	   /* Linux tid; 0 for a virtual thread */
	int64_t java_id;   /* 0: not a Java thread */
	bool is_virtual;
	const char *os_name; /* NULL: `name`, or none for a virtual thread */
};

uint64_t jfr_loader(struct jfr_writer *w, const struct jfr_loader_constant *c);
uint64_t jfr_class(struct jfr_writer *w, const struct jfr_class_constant *c);
uint64_t jfr_method(struct jfr_writer *w, const struct jfr_method_constant *c);
uint64_t jfr_thread(struct jfr_writer *w, const struct jfr_thread_constant *c);

/* Has this thread key not been forgotten? (0: no.) */
bool jfr_thread_known(const struct jfr_writer *w, uint64_t key);

/* How the code of a frame ran. HotSpot writes the first four; JMC takes those it does not know for unknown. */
enum jfr_frame_type {
	JFR_FRAME_INTERPRETED,
	JFR_FRAME_JIT,
	JFR_FRAME_INLINED,
	JFR_FRAME_NATIVE,
	JFR_FRAME_KERNEL,
	JFR_FRAME_UNKNOWN,
};

struct jfr_frame {
	uint64_t method;   /* key; 0 or one never given: unknown */
	int32_t line, bci; /* -1: unknown. HotSpot has line -1, bci 0 for a native method */
	enum jfr_frame_type type;
};

#define JFR_STACK_FRAMES 2048 /* of the longest stack, HotSpot's limit too */

/*
 * The key of a stack, its top frame first. `truncated`: there were more frames;
 * those beyond JFR_STACK_FRAMES are cut, and it is. 0 for no frames.
 *
 * `jfr print` fails on a frame without method. So an unknown one is written as
 * `<unknown>.<unknown>()V`, of a class without loader and package: no class file
 * can have a method of that name.
 */
uint64_t jfr_stack(struct jfr_writer *w, const struct jfr_frame *frames, size_t count, bool truncated);

/* Has this method key not been forgotten? (0: no.) One that was asked for in this chunk or the one before has not. */
bool jfr_method_known(const struct jfr_writer *w, uint64_t key);

/* Has this stack key not been forgotten? (0: no.) */
bool jfr_stack_known(const struct jfr_writer *w, uint64_t key);

/*
 * Begin a chunk. One is open at a time; events need one (without one they are
 * dropped, and the next chunk says how many). A start that is not after the
 * previous chunk's is moved to one tick after it: readers tell chunks by it.
 */
int jfr_chunk_begin(struct jfr_writer *w, int64_t start_ticks, struct diag *d);

/* Bytes that the open chunk has now, about; events in it; 0 when none is open. */
size_t jfr_chunk_size(const struct jfr_writer *w);
uint64_t jfr_chunk_events(const struct jfr_writer *w);

/*
 * Finish the open chunk: pools, metadata, header. *bytes is the writer's and
 * valid until the next jfr_chunk_begin(). `final` sets the flag of the last
 * chunk of a recording.
 *
 * The chunk is closed also after an error, and its events are gone; the next one
 * starts anew. -ENOMEM: no memory, now or at any call since the last chunk.
 * -EFBIG: more than 2 GB (events end at 1 GB: those beyond are dropped, and a
 * frtrace.Message says how many).
 */
int jfr_chunk_finish(struct jfr_writer *w, int64_t end_ticks, bool final, const void **bytes, size_t *size,
		     struct diag *d);

#define JFR_MISSING INT64_MIN

/* Events. Times are ticks; strings may be NULL. */
struct jfr_method_trace {
	int64_t start, duration;
	uint64_t thread, stack, method; /* keys; the stack begins with the method's caller */
	bool thrown;
	/* Where the time went, ns or JFR_MISSING: written when the origin's `kernel` is JFR_KERNEL_WAITS or more, */
	int64_t cpu, run_queue, blocked, pause;
	/* and these when it is JFR_KERNEL_FULL. */
	int64_t major_faults, minor_faults, system_calls, system_call_time;
};
void jfr_method_trace(struct jfr_writer *w, const struct jfr_method_trace *e);

/* Only with JFR_KERNEL_WAITS or more; stacks and threads are keys, 0 none; texts may be NULL. */
struct jfr_thread_wait {
	int64_t start, duration; /* until it was woken, or is looked at: `ongoing` */
	uint64_t thread, stack, waker, kernel_stack;
	const char *reason, *system_call;
	bool ongoing;
};
void jfr_thread_wait(struct jfr_writer *w, const struct jfr_thread_wait *e);
void jfr_run_queue(struct jfr_writer *w, int64_t start, int64_t duration, uint64_t thread);

struct jfr_vm_pause {
	int64_t start, duration;
	const char *what, *name;
};
void jfr_vm_pause(struct jfr_writer *w, const struct jfr_vm_pause *e);

/*
 * All events of one emission have the same start. The times are missing
 * (JFR_MISSING) when there were no invocations; percentiles also when nobody knows.
 */
struct jfr_method_timing {
	int64_t start;
	uint64_t method; /* key */
	int64_t invocations, minimum, average, maximum, p50, p90, p99, thrown;
};
void jfr_method_timing(struct jfr_writer *w, const struct jfr_method_timing *e);

/* frtrace.OpenCall: `duration` so far; `stack` is the thread's whole one; `remark` may be NULL. */
struct jfr_open_call {
	int64_t start, duration;
	uint64_t thread, stack, method; /* keys */
	const char *remark;
};
void jfr_open_call(struct jfr_writer *w, const struct jfr_open_call *e);

struct jfr_active_recording {
	int64_t start;
	int64_t id;
	const char *name, *destination;
	int64_t max_age_ms; /* INT64_MAX: no limit */
	int64_t flush_interval_ms;
	int64_t max_size;	       /* 0: no limit */
	int64_t recording_start_ms;    /* since the epoch */
	int64_t recording_duration_ms; /* INT64_MAX: no limit */
};
void jfr_active_recording(struct jfr_writer *w, const struct jfr_active_recording *e);

/* `event` is the event type's name ("jdk.MethodTrace"), which must be one that the writer has. */
void jfr_active_setting(struct jfr_writer *w, int64_t start, const char *event, const char *name, const char *value);

struct jfr_jvm_information {
	int64_t start;
	const char *jvm_name, *jvm_version, *jvm_arguments, *jvm_flags, *java_arguments;
	int64_t jvm_start_ms; /* since the epoch; JFR_MISSING: nobody knows */
	int64_t pid;	      /* as the JVM itself has it, in its container */
};
void jfr_jvm_information(struct jfr_writer *w, const struct jfr_jvm_information *e);

void jfr_os_information(struct jfr_writer *w, int64_t start, const char *version);

struct jfr_cpu_information {
	int64_t start;
	const char *cpu, *description;
	uint32_t sockets, cores, hw_threads;
};
void jfr_cpu_information(struct jfr_writer *w, const struct jfr_cpu_information *e);

/* frtrace.Clock: one calibration: the TSC, CLOCK_MONOTONIC ns and CLOCK_REALTIME ns of one moment, and the error in ns.
 */
struct jfr_clock {
	int64_t start;
	int64_t tsc, monotonic, realtime, error;
};
void jfr_clock(struct jfr_writer *w, const struct jfr_clock *e);

/* jdk.DataLoss: bytes lost now, and in all. */
void jfr_data_loss(struct jfr_writer *w, int64_t start, uint64_t amount, uint64_t total);

/* jdk.Shutdown: the JVM has ended, and how. `jfr view recording` shows the reason. */
void jfr_shutdown(struct jfr_writer *w, int64_t start, const char *reason);

/* frtrace.Message: something about the recording that a reader must know: a skipped method, a lower bound, ... */
void jfr_message(struct jfr_writer *w, int64_t start, const char *kind, const char *text);

#endif
