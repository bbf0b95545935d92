/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Shared by the two halves of the dissector: jfr_dissect.c reads chunks and values, jfr_dissect_types.c the
 * metadata.
 */
#ifndef TESTS_LIB_JFR_DISSECT_PRIVATE_H
#define TESTS_LIB_JFR_DISSECT_PRIVATE_H

#include "tests/lib/jfr_dissect.h"

#define MAX_NOTES  6
#define MAX_FIELDS 32
#define MAX_TYPES  128

struct note {
	uint64_t type;
	unsigned int values;
	const char *value[2];
};

struct field {
	const char *name;
	uint64_t class;
	bool array, constant;
	struct note note[MAX_NOTES];
	unsigned int notes;
};

struct dissect_type {
	uint64_t id;
	const char *name, *super;
	bool simple;
	struct field field[MAX_FIELDS];
	unsigned int fields;
	struct note note[MAX_NOTES];
	unsigned int notes;
};

struct constant {
	unsigned int chunk;
	uint64_t type, key;
	size_t at, end;
};

/* Types are read once, because frtrace never changes the metadata of a recording. */
struct dissect_private {
	struct dissect_type type[MAX_TYPES];
	unsigned int types;
	struct constant *constant;
	size_t constants, first; /* first of the chunk being read */
	char **string;
	size_t strings;
	char *text[8];
	unsigned int next_text;
};

/* A position in the file. Faults go to the dissect. */
struct reader {
	struct dissect *d;
	size_t at, end;
};

void dissect_fault(struct dissect *d, size_t at, const char *format, ...) __attribute__((format(printf, 3, 4)));
bool dissect_sound(const struct dissect *d);

unsigned int read_byte(struct reader *r);
uint64_t read_leb(struct reader *r);

/* Read a string in one of the writer's three encodings. NULL is a null. The caller frees it. */
char *read_string(struct reader *r);

/* Make space for one more element in an array that grows by doubling. */
void *array_more(void *array, size_t count, size_t size);

const struct dissect_type *type_by_id(const struct dissect *d, uint64_t id);
const struct dissect_type *type_by_name(const struct dissect *d, const char *name);

/* Read strings, types and region of a metadata event. */
void read_types(struct reader *r);

#endif
