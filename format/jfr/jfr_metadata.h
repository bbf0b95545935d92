/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The types of a chunk as the chunk itself describes them: which fields an event
 * has, how they lie in the file, and what their numbers mean. Nothing is known
 * beforehand but the primitive types, the annotations of jdk.jfr, and the few
 * types of the JVM that readers print in a form of their own (enum meta_role).
 */
#ifndef FORMAT_JFR_JFR_METADATA_H
#define FORMAT_JFR_JFR_METADATA_H

#include "format/diag.h"
#include "format/jfr/jfr_type_tree.h"

/* How a value lies in the file. */
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
};

/* The value of @Timespan or @Timestamp. */
enum meta_unit {
	META_NO_UNIT, /* the field has no such annotation */
	META_TICKS,
	META_NANOSECONDS,
	META_MICROSECONDS,
	META_MILLISECONDS, /* of a time stamp: since the epoch */
	META_SECONDS,
	META_UNKNOWN_UNIT,
};

struct meta_type;

struct meta_field {
	const char *name;
	const char *label;	      /* @Label; NULL: none */
	const struct meta_type *type; /* of an array: of each element */
	bool array, constant;	      /* a constant is a key into the pool of its type */
	enum meta_unit timespan, timestamp;
	bool is_unsigned, percentage, frequency, address, contextual;
	bool bits, bytes;  /* @DataAmount */
	bool content_type; /* an annotation says what kind of number it is */
};

struct meta_type {
	uint64_t id;
	uint32_t index; /* of the type in its metadata */
	const char *name;
	const char *label; /* @Label; NULL: none */
	enum meta_kind kind;
	enum meta_role role;
	bool event;
	bool simple;	 /* stands for the value of its only field */
	bool gives_unit; /* an annotation that says what kind of number a field is */
	uint8_t depth;	 /* of the structs inside of it */
	const struct meta_field *fields;
	uint32_t count;
	uint32_t element; /* in the tree */
	/* of an event, by index; -1: it has none */
	int duration, thread, stack;
};

struct jfr_metadata {
	struct jfr_tree tree;
	struct meta_type *types; /* in the order of the file */
	uint32_t count;
	const struct meta_type *string; /* NULL: not declared */
	int64_t utc_offset;		/* seconds: where the recording was made */
	struct meta_field *fields;
	uint32_t *slots, slot_bits; /* the types by their ids */
	uint64_t multiplier;
	unsigned int references;
};

/*
 * Read a metadata event's body, from its string table on. *out is to be dropped with jfr_metadata_put(). -ENOMEM;
 * -EINVAL: the cursor says what is wrong, and where.
 */
int jfr_metadata_read(struct jfr_metadata **out, struct cursor *c);
struct jfr_metadata *jfr_metadata_get(struct jfr_metadata *m); /* another owner */
void jfr_metadata_put(struct jfr_metadata *m);

/* NULL: none of that id, of that name. */
const struct meta_type *jfr_metadata_type(const struct jfr_metadata *m, uint64_t id);
const struct meta_type *jfr_metadata_find(const struct jfr_metadata *m, const char *name);

/* The index of a field; -1: none. */
int meta_type_field(const struct meta_type *t, const char *name);

/* The n-th word of the event's @Category; NULL: no more. */
const char *meta_type_category(const struct jfr_metadata *m, const struct meta_type *t, unsigned int n);

#endif
