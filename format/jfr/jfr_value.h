/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Values of a recording, decoded one at a time. To print an event, walk its fields:
 *
 *     struct cursor c = jfr_enter(chunk, &event.value);
 *     for (i = 0; i < type->count; i++)
 *             jfr_take(&c, &type->fields[i], &v);
 *
 * A constant is returned as VALUE_KEY, so a caller can cache by key; jfr_resolve() (jfr_chunk.h) looks up its
 * value. Constants may refer to each other in a circle.
 */
#ifndef FORMAT_JFR_JFR_VALUE_H
#define FORMAT_JFR_JFR_VALUE_H

#include "format/jfr/jfr_metadata.h"

enum value_kind {
	VALUE_NULL,
	VALUE_BOOLEAN, /* number */
	VALUE_NUMBER,  /* number; type->kind gives its width */
	VALUE_REAL,
	VALUE_TEXT,
	VALUE_STRUCT, /* place */
	VALUE_ARRAY,  /* place, count; the type is that of the elements */
	VALUE_KEY,    /* key of a constant */
};

struct jfr_value {
	enum value_kind kind;
	const struct meta_type *type; /* for a simple type: the type that it represents */
	union {
		int64_t number; /* unsigned ones too: sign-extended from their width */
		double real;
		uint64_t key;
		struct cursor_text text; /* never TEXT_CONSTANT */
		struct {
			uint64_t at, limit, count;	/* in the chunk; it ends before `limit` */
			const struct meta_field *field; /* for an array: how its elements are encoded */
		} place;
	};
};

/* Read the next value, that of field f. VALUE_NULL after an error. */
void jfr_take(struct cursor *c, const struct meta_field *f, struct jfr_value *v);

/* Read a value of this type as encoded in a pool, or inline. */
void jfr_take_pooled(struct cursor *c, const struct meta_type *t, struct jfr_value *v);

/* Read the next element of an array. */
void jfr_take_element(struct cursor *c, const struct jfr_value *array, struct jfr_value *v);

/* Skip a value of this type as encoded in a pool; skip the value of a field. */
void jfr_skip(struct cursor *c, const struct meta_type *t);
void jfr_skip_field(struct cursor *c, const struct meta_field *f);

/* The number of a value of this field. For @Unsigned fields narrower than a long the sign extension is undone. */
int64_t jfr_value_widened(const struct jfr_value *v, const struct meta_field *f);

#endif
