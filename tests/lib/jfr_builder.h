/* SPDX-License-Identifier: BSD-2-Clause */
/* Builds Flight Recorder files, valid or not, for tests of readers. */
#ifndef TESTS_LIB_JFR_BUILDER_H
#define TESTS_LIB_JFR_BUILDER_H

#include "format/bytes.h"

#define BUILDER_T0    1000000000ll	    /* ticks at the start, nanoseconds */
#define BUILDER_NANOS 1700000000000000000ll /* the same moment: 2023-11-14T22:13:20Z */

/* Types that each file has. */
enum chunk_type {
	B_BOOLEAN = 1,
	B_BYTE,
	B_CHAR,
	B_SHORT,
	B_INT,
	B_LONG,
	B_FLOAT,
	B_DOUBLE,
	B_STRING,
	B_TIMESPAN,
	B_TIMESTAMP,
	B_UNSIGNED,
	B_PERCENTAGE,
	B_DATA_AMOUNT,
	B_FREQUENCY,
	B_ADDRESS,
	B_CONTENT_TYPE,
	B_CATEGORY,
	B_CONTEXTUAL,
	B_FIRST_FREE,
};

struct chunk_element {
	const char *name;
	struct {
		const char *name;
		char value[64];
	} attribute[5];
	unsigned int attributes;
	int depth; /* below the root */
};

struct chunk_builder {
	struct chunk_element element[256];
	unsigned int elements;
	struct bytes body;   /* the chunk after its header */
	uint64_t checkpoint; /* of the last one; 0: none */
	size_t checkpoint_start;
};

void chunk_init(struct chunk_builder *b);
void chunk_release(struct chunk_builder *b);

/* Types. Fields and annotations belong to the type added last. Flags of a field: */
enum { B_ARRAY = 1, B_CONSTANT = 2 };
void chunk_class(struct chunk_builder *b, const char *name, int id, const char *super);
void chunk_simple(struct chunk_builder *b, const char *name, int id);
void chunk_field(struct chunk_builder *b, const char *name, int type, int flags);
void chunk_span(struct chunk_builder *b, const char *name); /* a field: a duration in ticks */
void chunk_annotate_field(struct chunk_builder *b, int annotation, const char *value);
void chunk_annotate_class(struct chunk_builder *b, int annotation, const char *value);
void chunk_attribute(struct chunk_builder *b, const char *name, const char *value); /* of the last element */

/* An event type whose first field is startTime. */
void chunk_event(struct chunk_builder *b, const char *name, int id);

/* The types of stack traces, with the number that each is to have; `method` is declared elsewhere. */
void chunk_stacks(struct chunk_builder *b, int method, int frame, int stack);

/* Begin a checkpoint with one pool; the test then appends keys and values to b->body. */
void chunk_begin_pool(struct chunk_builder *b, int type, unsigned int count);
void chunk_end_pool(struct chunk_builder *b);

/* Begin an event at BUILDER_T0 + after; the test then appends more fields to b->body. */
void chunk_begin_event(struct chunk_builder *b, int type, int64_t after);
void chunk_end_event(struct chunk_builder *b);

/* A whole event whose further fields are these integers. */
#define chunk_put_event(b, type, after, ...)                               \
	chunk_put_integers(b, type, after, (const int64_t[]){__VA_ARGS__}, \
			   sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t))
void chunk_put_integers(struct chunk_builder *b, int type, int64_t after, const int64_t *values, size_t count);

/* Append the chunk to the file, and begin the next one with the same types. */
void chunk_finish(struct chunk_builder *b, struct bytes *file);

#endif
