/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes Flight Recorder chunks, format 2.1, into memory. A chunk is built as a whole, with every constant that
 * its events refer to, and returned when it is finished (state 0). Ticks are CLOCK_MONOTONIC nanoseconds.
 *
 * After an allocation failure the functions do nothing, and jfr_chunk_finish() returns -ENOMEM.
 */
#ifndef FORMAT_JFR_JFR_WRITE_H
#define FORMAT_JFR_JFR_WRITE_H

#include "format/bytes.h"
#include "format/diag.h"
#include "format/jfr/jfr_events.h"
#include "format/jfr/jfr_schema.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct jfr_writer;

struct jfr_origin {
	int64_t start_ticks; /* of the recording: one time base for the whole file */
	int64_t start_nanos; /* the same moment in nanoseconds since the epoch */
	const char *locale;  /* "en_US" */
	int64_t gmt_offset_ms, dst_ms;
	enum jfr_kernel kernel;
	bool samples;	 /* there are events jdk.ExecutionSample */
	bool allocated;	 /* calls, and their sums, have the bytes that they allocated */
	bool until;	 /* requests have the time until they were over */
	bool jdk_fields; /* events of JEP 520 have its fields only */
	/* types of the user's own, which outlive the writer */
	const struct jfr_user_type *user;
	uint32_t users;
};

/* 0 or -errno; then *out is NULL. */
int jfr_writer_new(struct jfr_writer **out, const struct jfr_origin *origin, struct diag *d);
void jfr_writer_free(struct jfr_writer *w);

/*
 * From the next chunk on calls have the ids of distributed traces, as fields. Between two chunks only: 0, or -EBUSY or
 * -ENOMEM, which leave the writer as it is.
 */
int jfr_writer_add_trace_ids(struct jfr_writer *w, struct diag *d);

/*
 * The fields of types of the user's own have changed that have no event in this chunk. Without memory the chunk cannot be
 * finished.
 */
void jfr_writer_renew_types(struct jfr_writer *w);

/*
 * Constants. A key (never 0) means the same thing in all chunks of a file and is never reused. 0 means "none", and
 * is also returned without memory. Equal methods, classes, loaders and symbols get equal keys for the life of the
 * writer. Constants may be requested at any time, also between two chunks. A chunk contains those that its events
 * use.
 *
 * Equal means: a class with the same name and loader (its module is that of the first); a method with the same class, name and descriptor; a loader
 * with the same type, name and identity; a thread or a stack with all values equal (a renamed thread gets another
 * key).
 *
 * Keys of threads and stacks are forgotten after two chunks without use, so that memory stays bounded with a
 * million of either. Keys of methods and classes are forgotten if there are many. A caller that keeps keys checks
 * them with jfr_thread_known() and jfr_stack_known() before use, or each time it finishes a chunk. An event with
 * an unknown or forgotten key is written without that thread, stack or method, and a frtrace.Message in the chunk
 * gives the number of such events. Requesting a thread or a stack counts as use.
 *
 * A class without a name, or with a name that begins with [ but is no array, gets key 0; so does a method without
 * a class. An invalid method descriptor becomes ()V.
 *
 * Names are modified or true UTF-8; invalid bytes become U+FFFD. Thread names are cut at 1000 bytes, texts of
 * events at 1 MB.
 */
struct jfr_loader_constant {
	const char *type;  /* internal class name of the loader; NULL for the boot loader */
	const char *name;  /* "bootstrap", "platform", "app", ...; NULL: none */
	uint64_t identity; /* chosen by the caller: two loaders with the same name are two constants */
};

/* The module of a class, whose loader is its own. NULL or "": none. */
struct jfr_module {
	const char *name, *version, *location;
	bool exported; /* the package of the class */
};

struct jfr_class_constant {
	const char *name; /* internal form a/b/C */
	uint64_t loader;  /* key */
	uint32_t modifiers;
	bool hidden;
	const struct jfr_module *module; /* NULL: unknown, and whether the package is exported, too */
};

struct jfr_method_constant {
	uint64_t class_key;
	const char *name, *descriptor;
	uint32_t modifiers;
	bool hidden;
};

struct jfr_thread_constant {
	const char *name;  /* NULL or "": nameless; for a thread that is not Java's, the OS name */
	const char *group; /* NULL: none, or "VirtualThreads" for a virtual thread, as in HotSpot */
	int64_t os_id;	   /* Linux tid; 0 for a virtual thread */
	int64_t java_id;   /* 0: not a Java thread */
	bool is_virtual;
	const char *os_name; /* NULL: `name`, or none for a virtual thread */
};

uint64_t jfr_loader(struct jfr_writer *w, const struct jfr_loader_constant *c);
uint64_t jfr_class(struct jfr_writer *w, const struct jfr_class_constant *c);
uint64_t jfr_method(struct jfr_writer *w, const struct jfr_method_constant *c);
uint64_t jfr_thread(struct jfr_writer *w, const struct jfr_thread_constant *c);

/* True if this thread key has not been forgotten; false for 0. */
bool jfr_thread_known(const struct jfr_writer *w, uint64_t key);

struct jfr_frame {
	uint64_t method;   /* key; 0, or one that was never assigned: unknown */
	int32_t line, bci; /* -1: unknown. HotSpot uses line -1 and bci 0 for a native method */
	enum jfr_frame_type type;
};

#define JFR_STACK_FRAMES 2048 /* maximum length of a stack, also HotSpot's limit */

/*
 * The key of a stack, top frame first; 0 if there are no frames. `truncated`: there were more frames. Frames
 * beyond JFR_STACK_FRAMES are cut, which also makes it truncated.
 *
 * `jfr print` fails on a frame without method. So an unknown method is written as `<unknown>.<unknown>()V`, in a
 * class without loader and package. No class file can have a method of that name.
 */
uint64_t jfr_stack(struct jfr_writer *w, const struct jfr_frame *frames, size_t count, bool truncated);

/*
 * True if this method key has not been forgotten; false for 0. A key requested in this chunk or the previous one
 * is known.
 */
bool jfr_method_known(const struct jfr_writer *w, uint64_t key);

/* True if this stack key has not been forgotten; false for 0. */
bool jfr_stack_known(const struct jfr_writer *w, uint64_t key);

/*
 * Begin a chunk. Only one is open at a time. Events outside of a chunk are dropped, and the next chunk reports
 * their number. A start that is not after the previous chunk's is moved to one tick after it, because readers
 * identify chunks by it.
 */
int jfr_chunk_begin(struct jfr_writer *w, int64_t start_ticks, struct diag *d);

/* Approximate size of the open chunk in bytes, and the number of its events; 0 if none is open. */
size_t jfr_chunk_size(const struct jfr_writer *w);
uint64_t jfr_chunk_events(const struct jfr_writer *w);

/*
 * Finish the open chunk: pools, metadata, header. *bytes is owned by the writer and valid until the next
 * jfr_chunk_begin(). `final` sets the flag of a recording's last chunk.
 *
 * The chunk is also closed on error; its events are lost, and the next one starts empty. Returns 0; -ENOMEM: out
 * of memory, now or in any call since the last chunk; -EFBIG: more than 2 GB (events end at 1 GB: further events
 * are dropped, and a frtrace.Message reports their number).
 */
int jfr_chunk_finish(struct jfr_writer *w, int64_t end_ticks, bool final, const void **bytes, size_t *size,
		     struct diag *d);

/* The memory of the finished chunk, until the next jfr_chunk_begin(), which uses any other that it was swapped for. */
struct bytes *jfr_chunk_memory(struct jfr_writer *w);

/*
 * Events (jfr_events.h). jfr_event_write() writes any of them: the values that the rows of the schema name, from the
 * struct of that event type. jfr_method_trace() does the same by hand, for the one event that comes in millions.
 */
void jfr_event_write(struct jfr_writer *w, enum jfr_type type, const void *values);
void jfr_method_trace(struct jfr_writer *w, const struct jfr_method_trace *e);

/*
 * The fast path: several jdk.MethodTrace events of one thread, whose calls ran on their CPU until they ended, took less
 * than LEB_SHORT ns, and are in no distributed trace. jfr_trace_keys() encodes what calls of one method with one stack
 * share, for use until the chunk ends. False: a key is unknown, the keys do not fit, or calls have the bytes that they
 * allocated. jfr_method_traces() writes the same bytes as jfr_method_trace() would for each call; `thread` is a key of this
 * chunk, or 0.
 */
struct jfr_trace_keys {
	unsigned char bytes[15], size;
};

struct jfr_trace_call {
	int64_t start, duration;
	struct jfr_trace_keys keys;
	bool thrown;
};

bool jfr_trace_keys(struct jfr_writer *w, uint64_t stack, uint64_t method, struct jfr_trace_keys *out);

/* Use those of an earlier chunk in this one. False: one of them has been forgotten. */
bool jfr_trace_keys_use(struct jfr_writer *w, const struct jfr_trace_keys *keys);
void jfr_method_traces(struct jfr_writer *w, uint64_t thread, const struct jfr_trace_call *calls, size_t n);

/* The value of a field of a user's event. */
struct jfr_user_value {
	bool null;	/* a text or class that is null; a number that is missing */
	int64_t number; /* also the key of a class; of a float or double its bits */
	const void *text;
	size_t length; /* of the text, in characters */
	bool wide;     /* they have two bytes each (UTF-16), else one (Latin-1) */
};

/* Readers take this for "no value" where a field of that type has a unit; so does frtrace everywhere. */
uint64_t jfr_missing_number(enum jfr_type type);

/* Write an event of user type `number`, with one value for each of its fields. */
void jfr_user_event(struct jfr_writer *w, uint32_t number, const struct jfr_method_trace *e,
		    const struct jfr_user_value *values);

#define JFR_EVENT(TYPE, tag)                                                          \
	static inline void jfr_##tag(struct jfr_writer *w, const struct jfr_##tag *e) \
	{                                                                             \
		jfr_event_write(w, TYPE, e);                                          \
	}
JFR_EVENT(JFR_METHOD_TIMING, method_timing)
JFR_EVENT(JFR_OPEN_CALL, open_call)
JFR_EVENT(JFR_THREAD_WAIT, thread_wait) /* these two only with JFR_KERNEL_WAITS or more */
JFR_EVENT(JFR_VM_PAUSE, vm_pause)
JFR_EVENT(JFR_ACTIVE_RECORDING, active_recording)
JFR_EVENT(JFR_JVM_INFORMATION, jvm_information)
JFR_EVENT(JFR_CPU_INFORMATION, cpu_information)
JFR_EVENT(JFR_PHYSICAL_MEMORY, physical_memory)
JFR_EVENT(JFR_CLOCK, clock)
JFR_EVENT(JFR_RESOURCE_ATTRIBUTE, resource_attribute)
JFR_EVENT(JFR_TASK, task)
JFR_EVENT(JFR_EXECUTION_SAMPLE, execution_sample) /* only with samples of the origin */
JFR_EVENT(JFR_PATH_SEGMENT, path_segment)
#undef JFR_EVENT

/* `event` is the name of an event type ("jdk.MethodTrace") that the writer has. */
void jfr_active_setting(struct jfr_writer *w, int64_t start, const char *event, const char *name, const char *value);
void jfr_run_queue(struct jfr_writer *w, int64_t start, int64_t duration, uint64_t thread); /* as jfr_thread_wait() */
void jfr_os_information(struct jfr_writer *w, int64_t start, const char *version);
void jfr_virtualization_information(struct jfr_writer *w, int64_t start, const char *name);
void jfr_data_loss(struct jfr_writer *w, int64_t start, uint64_t amount, uint64_t total);
void jfr_shutdown(struct jfr_writer *w, int64_t start, const char *reason);
void jfr_message(struct jfr_writer *w, int64_t start, const char *kind, const char *text);

#endif
