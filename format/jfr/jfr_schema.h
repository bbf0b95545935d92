/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The types of frtrace's recordings, which JFR calls metadata. The table in jfr_schema.c defines them all; the
 * metadata event of each chunk is generated from it.
 */
#ifndef FORMAT_JFR_JFR_SCHEMA_H
#define FORMAT_JFR_JFR_SCHEMA_H

#include "format/bytes.h"

enum jfr_type {
	/* all that Java has, also those that no field has: some readers refuse a file without them */
	JFR_BOOLEAN,
	JFR_BYTE,
	JFR_CHAR,
	JFR_SHORT,
	JFR_INT,
	JFR_LONG,
	JFR_FLOAT,
	JFR_DOUBLE,
	JFR_STRING,
	/* annotations */
	JFR_LABEL,
	JFR_DESCRIPTION,
	JFR_CATEGORY,
	JFR_TIMESTAMP,
	JFR_TIMESPAN,
	JFR_DATA_AMOUNT,
	JFR_UNSIGNED,
	JFR_CONTEXTUAL,
	JFR_PERCENTAGE,
	JFR_MEMORY_ADDRESS,
	JFR_FREQUENCY,
	JFR_CALLS, /* marks a type of struct jfr_user_type whose events stand for calls */
	JFR_CONTENT_TYPE,
	/* an inline struct */
	JFR_STACK_FRAME,
	/* constants: a field contains a key */
	JFR_FIRST_POOL,
	JFR_THREAD = JFR_FIRST_POOL,
	JFR_THREAD_GROUP,
	JFR_CLASS,
	JFR_CLASS_LOADER,
	JFR_METHOD,
	JFR_SYMBOL,
	JFR_PACKAGE,
	JFR_MODULE,
	JFR_STACK_TRACE,
	JFR_FRAME_TYPE,
	JFR_THREAD_STATE, /* without samples no field has it, but some readers look for it */
	/* events */
	JFR_FIRST_EVENT,
	JFR_METHOD_TRACE = JFR_FIRST_EVENT,
	JFR_ACTIVE_RECORDING,
	JFR_ACTIVE_SETTING,
	JFR_JVM_INFORMATION,
	JFR_OS_INFORMATION,
	JFR_CPU_INFORMATION,
	JFR_DATA_LOSS,
	JFR_SHUTDOWN,
	JFR_CLOCK,
	JFR_MESSAGE,
	JFR_METHOD_TIMING,
	JFR_OPEN_CALL,
	JFR_THREAD_WAIT,
	JFR_RUN_QUEUE,
	JFR_VM_PAUSE,
	JFR_PHYSICAL_MEMORY,
	JFR_VIRTUALIZATION_INFORMATION,
	JFR_RESOURCE_ATTRIBUTE,
	JFR_TASK,
	JFR_EXECUTION_SAMPLE,
	JFR_PATH_SEGMENT,
	JFR_TYPES,
};

/*
 * How the code of a frame ran. The numbers are the keys of these constants in the file, because some readers go by the
 * key alone. HotSpot writes the first four with these keys (read from recordings of JDK 17 and 25); async-profiler has
 * 5 for the kernel. JMC shows others as unknown.
 */
enum jfr_frame_type {
	JFR_FRAME_INTERPRETED,
	JFR_FRAME_JIT,
	JFR_FRAME_INLINED,
	JFR_FRAME_NATIVE,
	JFR_FRAME_UNKNOWN,
	JFR_FRAME_KERNEL,
	JFR_FRAME_TYPES,
};

/* The key of the only thread state. */
#define JFR_STATE_RUNNABLE 1

/*
 * How much the kernel contributes to a recording. Fields and events that the recording cannot have are left out of
 * its metadata.
 */
enum jfr_kernel { JFR_KERNEL_NONE, JFR_KERNEL_WAITS, JFR_KERNEL_FULL };

/* A type of event that the user has defined. The user's own fields stand between the stack and the method. */
struct jfr_user_type {
	const char *name;
	const char *label, *description, *category; /* NULL: the name, none, Methods; '/' separates parts */
	const struct jfr_user_field *field;
	uint32_t fields;
	bool calls; /* they stand for the calls, which are not recorded as jdk.MethodTrace, too */
};

#define JFR_HEAD_FIELDS 4 /* of jdk.MethodTrace: time, duration, thread, stack */

struct jfr_user_field {
	const char *name;
	enum jfr_type type;		 /* a primitive, JFR_STRING, JFR_CLASS or JFR_THREAD */
	enum jfr_type unit;		 /* an annotation; 0: none */
	const char *unit_value;		 /* NULL: it has none */
	const char *label, *description; /* NULL: the name, none */
	bool contextual;
};

#define JFR_POOLS (JFR_FIRST_EVENT - JFR_FIRST_POOL)

/*
 * HotSpot's type ids (JDK 25) end near 2100. All types except those of the pools have ids from here on, the same
 * in all files.
 */
#define JFR_TYPE_ID_BASE 10000

struct jfr_schema {
	uint64_t pool_base; /* id of the type JFR_FIRST_POOL */
	uint64_t id;	    /* of the metadata: a hash of its content */
	enum jfr_kernel kernel;
	bool jdk_fields;
	bool allocated;			  /* calls, and their sums, have the bytes that they allocated */
	bool until;			  /* requests have the time until they were over */
	bool samples;			  /* there are events jdk.ExecutionSample */
	bool trace_ids;			  /* calls have the ids of distributed traces */
	const struct jfr_user_type *user; /* their ids follow that of the last type */
	uint32_t users;
	struct bytes body; /* the metadata event, from its string table on */
};

/*
 * Build the metadata. s->user, s->users, s->allocated, s->until, s->samples and s->trace_ids are set already. `jdk_fields`: events of JEP 520 have its fields only. `salt` is a number unique to the recording, from which the type ids of the pools are
 * derived. Readers look up constants by type id and key across all chunks of a file, so two recordings joined by
 * `cat` or `jfr assemble` need different type ids. Returns 0 or -ENOMEM.
 */
struct jfr_region {
	const char *locale; /* NULL: "en_US" */
	int64_t gmt_offset_ms, dst_ms;
};
int jfr_schema_init(struct jfr_schema *s, const struct jfr_region *region, enum jfr_kernel kernel, bool jdk_fields,
		    uint64_t salt);
void jfr_schema_release(struct jfr_schema *s);

static inline uint64_t jfr_schema_type_id(const struct jfr_schema *s, enum jfr_type type)
{
	if (type >= JFR_FIRST_POOL && type < JFR_FIRST_EVENT)
		return s->pool_base + (type - JFR_FIRST_POOL);
	return JFR_TYPE_ID_BASE + type; /* that of a user type, too */
}

/* The event type of that name, or JFR_TYPES if it is not in the metadata; a user type is JFR_TYPES + 1 + its number. */
enum jfr_type jfr_schema_event(const struct jfr_schema *s, const char *name);

struct jfr_annotation {
	enum jfr_type type; /* 0: none */
	const char *value;
};

struct jfr_field {
	const char *name; /* NULL: the end */
	enum jfr_type type;
	const char *label, *description;
	struct jfr_annotation unit[2];
	bool array;
	bool extra;		 /* not a field of the JDK's event of that name */
	bool allocated;		 /* only with `allocated` of the schema */
	bool until;		 /* only with `until` */
	bool trace;		 /* only with trace_ids */
	enum jfr_kernel kernel;	 /* the lowest level that has the field */
	unsigned short at, size; /* of an event's field: its value in the struct of jfr_events.h */
};

/* The fields of a type in the order in which they are written; those of an event begin with startTime. */
const struct jfr_field *jfr_schema_fields(enum jfr_type type);

static inline bool jfr_schema_has(const struct jfr_schema *s, const struct jfr_field *f)
{
	return f->kernel <= s->kernel && !(f->extra && s->jdk_fields) && (!f->trace || s->trace_ids) &&
	       (!f->allocated || s->allocated) && (!f->until || s->until);
}

/* True for a field that we add to an event of the JDK's: jdk.MethodTrace, thrown. */
bool jfr_schema_is_extra(const char *event, const char *field);

/* Append the metadata event. */
void jfr_schema_write(const struct jfr_schema *s, struct bytes *out, int64_t start_ticks);

#endif
