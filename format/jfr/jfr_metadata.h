/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The types of a chunk, from the chunk's own description: the fields of each event, their encoding and their
 * meaning. The only types known in advance are the primitive ones, the annotations of jdk.jfr, and the few of the JVM
 * that are printed or merged in a special form (enum meta_role).
 */
#ifndef FORMAT_JFR_JFR_METADATA_H
#define FORMAT_JFR_JFR_METADATA_H

#include "format/diag.h"
#include "format/hash.h"
#include "format/jfr/jfr_type_tree.h"

/* How a value is encoded. */
enum meta_kind {
	META_STRUCT, /* field after field */
	META_BOOLEAN,
	META_BYTE,
	META_CHAR,
	META_SHORT,
	META_INT,
	META_LONG,
	META_FLOAT,
	META_DOUBLE,
	META_STRING,
};

enum meta_role {
	META_OTHER,
	META_THREAD,
	META_CLASS,
	META_CLASS_LOADER,
	META_METHOD,
	META_STACK_FRAME,
	META_STACK_TRACE,
	META_OLD_OBJECT,
	META_FRAME_TYPE,
	META_ACTIVE_SETTING,
	META_JVM_INFORMATION,
	META_EXECUTION_SAMPLE,
};

/* The value of @Timespan or @Timestamp. */
enum meta_unit {
	META_NO_UNIT, /* no such annotation */
	META_TICKS,
	META_NANOSECONDS,
	META_MICROSECONDS,
	META_MILLISECONDS, /* for a time stamp: since the epoch */
	META_SECONDS,
	META_UNKNOWN_UNIT,
};

struct meta_type;

struct meta_field {
	const char *name;
	const char *label;	      /* @Label; NULL: none */
	const struct meta_type *type; /* for an array: of each element */
	bool array, constant;	      /* constant: the value is a key into the pool of its type */
	enum meta_unit timespan, timestamp;
	bool is_unsigned, percentage, frequency, address, contextual;
	bool bits, bytes;  /* @DataAmount */
	bool content_type; /* an annotation gives the kind of number */
};

struct meta_type {
	uint64_t id;
	uint32_t index; /* of the type in its metadata */
	const char *name;
	const char *label; /* @Label; NULL: none */
	enum meta_kind kind;
	enum meta_role role;
	bool event;
	bool simple;	 /* represents the value of its only field */
	bool calls;	 /* an event that stands for a call, as jdk.MethodTrace does (@frtrace.Calls) */
	bool gives_unit; /* an annotation that gives the kind of number of a field */
	uint8_t depth;	 /* nesting depth of its structs */
	const struct meta_field *fields;
	uint32_t count;
	uint32_t element; /* in the tree */
	/* of an event: field index, -1: none */
	int duration, thread, stack;
};

struct jfr_metadata {
	struct jfr_tree tree;
	struct meta_type *types; /* in the order of the file */
	uint32_t count;
	const struct meta_type *string; /* NULL: undeclared */
	int64_t utc_offset;		/* seconds, at the place of recording */
	struct meta_field *fields;
	struct hash_index lookup; /* of the types by id */
	unsigned int references;
};

/*
 * Read the body of a metadata event, from its string table on. Release *out with jfr_metadata_put(). Returns 0;
 * -ENOMEM; -EINVAL with cause and place in the cursor.
 */
int jfr_metadata_read(struct jfr_metadata **out, struct cursor *c);
struct jfr_metadata *jfr_metadata_get(struct jfr_metadata *m); /* take another reference */
void jfr_metadata_put(struct jfr_metadata *m);

/* The type with that id, with that name; NULL: none. */
const struct meta_type *jfr_metadata_type(const struct jfr_metadata *m, uint64_t id);
const struct meta_type *jfr_metadata_find(const struct jfr_metadata *m, const char *name);

/* The index of a field, or -1. */
int meta_type_field(const struct meta_type *t, const char *name);

/* The n-th word of the event's @Category, or NULL. */
const char *meta_type_category(const struct jfr_metadata *m, const struct meta_type *t, unsigned int n);

#endif
