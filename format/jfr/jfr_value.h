/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Values of a recording, one at a time, as they lie in the file. Whoever prints
 * an event walks its fields:
 *
 *     struct cursor c = jfr_enter(chunk, &event.value);
 *     for (i = 0; i < type->count; i++)
 *             jfr_take(&c, &type->fields[i], &v);
 *
 * A constant comes as VALUE_KEY; jfr_resolve() (jfr_chunk.h) makes a value of it, so a caller can cache by key.
 * Constants may refer to each other in a circle.
 */
#ifndef FORMAT_JFR_JFR_VALUE_H
#define FORMAT_JFR_JFR_VALUE_H

#include "format/jfr/jfr_metadata.h"

enum value_kind {
	VALUE_NULL,
	VALUE_BOOLEAN, /* number */
	VALUE_NUMBER,  /* number; how wide it is says type->kind */
	VALUE_REAL,
	VALUE_TEXT,
	VALUE_STRUCT, /* place */
	VALUE_ARRAY,  /* place, count; the type is that of the elements */
	VALUE_KEY,    /* key of a constant */
};

struct jfr_value {
	enum value_kind kind;
	const struct meta_type *type; /* of a simple type: what it stands for */
	union {
		int64_t number; /* unsigned ones too: sign-extended from their width */
		double real;
		uint64_t key;
		struct cursor_text text; /* never TEXT_CONSTANT */
		struct {
			uint64_t at, limit, count;	/* in the chunk; it ends before `limit` */
			const struct meta_field *field; /* of an array: how its elements lie there */
		} place;
	};
};

/* Read the next value, that of field f. VALUE_NULL after a fault. */
void jfr_take(struct cursor *c, const struct meta_field *f, struct jfr_value *v);

/* Read a value of this type as it stands in a pool, or inline. */
void jfr_take_pooled(struct cursor *c, const struct meta_type *t, struct jfr_value *v);

/* The next element of an array. */
void jfr_take_element(struct cursor *c, const struct jfr_value *array, struct jfr_value *v);

/* Step over a value of this type as it stands in a pool; over one of a field. */
void jfr_skip(struct cursor *c, const struct meta_type *t);
void jfr_skip_field(struct cursor *c, const struct meta_field *f);

#endif
