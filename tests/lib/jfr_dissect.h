/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An independent reader of Flight Recorder files. It shares no code with the writer, takes types only from the
 * file's own metadata, and is far stricter than any tool. Whatever it refuses is a fault of the writer.
 */
#ifndef TESTS_LIB_JFR_DISSECT_H
#define TESTS_LIB_JFR_DISSECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dissect_chunk {
	size_t at; /* in the file */
	uint64_t size, constants, metadata;
	int64_t start_nanos, duration, start_ticks, ticks_per_second;
	uint8_t state;
	uint16_t flags;
	uint64_t metadata_id;
	unsigned int checkpoints;
	size_t constant_count;
};

struct dissect_event {
	unsigned int chunk;
	const struct dissect_type *type;
	size_t at; /* of startTime, in the file */
	size_t end;
};

struct dissect {
	const unsigned char *data;
	size_t size;
	struct dissect_chunk *chunk;
	unsigned int chunks;
	struct dissect_event *event; /* in file order */
	size_t events;
	struct dissect_private *private;
	char error[256]; /* empty: the file is valid */
};

/* Read the whole file; `data` must outlive the result. Check ->error first. */
struct dissect *dissect_new(const void *data, size_t size);
void dissect_free(struct dissect *d);

const char *dissect_type_name(const struct dissect_type *type);

/* The n-th event of a type ("jdk.MethodTrace"); NULL if there are fewer. */
const struct dissect_event *dissect_find(const struct dissect *d, const char *type, size_t n);
size_t dissect_count(const struct dissect *d, const char *type);

/*
 * A value by its path, which leads through constants, "method.type.name", and arrays,
 * "stackTrace.frames.2.lineNumber"; "stackTrace.frames" is the length. dissect_number() returns false if there is
 * no number, or if the path leads through a null. Texts: NULL is a null; the last eight results are valid.
 */
bool dissect_number(struct dissect *d, const struct dissect_event *e, const char *path, int64_t *value);
const char *dissect_text(struct dissect *d, const struct dissect_event *e, const char *path);

/* The number of constants of a type ("jdk.types.Method") in a chunk. */
size_t dissect_constants(const struct dissect *d, unsigned int chunk, const char *type);

/* Does the metadata have a type of this name? */
bool dissect_declares(const struct dissect *d, const char *type);

/*
 * The fields of a type as text: "long startTime, jdk.types.Method* method, jdk.types.StackFrame[] frames"; * marks
 * a constant.
 */
void dissect_fields(const struct dissect *d, const char *type, char *out, size_t size);

/* True if the type, or a field of it (NULL: the type), has this annotation with this value (NULL: without a value). */
bool dissect_annotated(const struct dissect *d, const char *type, const char *field, const char *annotation,
		       const char *value);

#endif
