/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The union of the types of several recordings. Types with the same name become one type, with the fields of the
 * first, followed by the additional fields of the others: HotSpot's jdk.MethodTrace and frtrace's, or
 * java.lang.Thread of JDK 11 and 25. If only one of them has a duration, as jdk.ActiveSetting has up to JDK 21, it is 0
 * in the events of the other. Types with the same name stay separate if a field means something else in one of them.
 * Ids are kept if they are free.
 *
 *     for each metadata: jfr_merge_types_add(&u, m);
 *     jfr_merge_types_describe(&u, m, &body, &id);      -- the metadata event's body
 *     for each metadata: union_map_build(&map, &u, m);
 */
#ifndef FORMAT_JFR_JFR_MERGE_TYPES_H
#define FORMAT_JFR_JFR_MERGE_TYPES_H

#include "format/jfr/jfr_metadata.h"

struct union_field {
	const struct meta_field *field; /* the source of the field and its annotations */
	const struct jfr_metadata *from;
	uint32_t element; /* in from->tree */
	uint32_t type;	  /* index in the union */
	uint32_t context; /* 0; of a field that jfr_merge_context.h has added: its number plus 1 */
};

struct union_type {
	const struct meta_type *type; /* the first one with this type */
	const struct jfr_metadata *from;
	uint64_t id;
	struct union_field *fields;
	uint32_t count;
	size_t capacity;
	uint32_t width; /* maximum size of a value with all fields unknown */
};

struct jfr_merge_types {
	struct union_type *types;
	uint32_t count;
	size_t capacity;
	uint64_t last_id;
	bool jdk_fields;	    /* leave out fields that frtrace adds to events of the JDK */
	struct jfr_metadata **kept; /* metadata that contributed a type */
	size_t kept_count, kept_capacity;
};

void jfr_merge_types_init(struct jfr_merge_types *u);
void jfr_merge_types_release(struct jfr_merge_types *u);

/* Add what is new in `m`, and keep `m` if anything is. Returns 0; -ENOMEM; -EINVAL: the types nest too deeply. */
int jfr_merge_types_add(struct jfr_merge_types *u, struct jfr_metadata *m);

/* How to convert the values of one metadata to the union. Add all metadata before building the first map. */
struct union_plan {
	uint32_t type;	 /* index in the union */
	bool straight;	 /* it has the same fields in the same order */
	int32_t *source; /* for each field of the union, its index in the type, or -1; NULL if straight */
};

struct union_map {
	struct union_plan *plan; /* by meta_type.index */
	int32_t *sources;
};

int union_map_build(struct union_map *map, const struct jfr_merge_types *u, const struct jfr_metadata *m);
void union_map_release(struct union_map *map);

/* Write the body of the metadata event; the place of recording comes from `region`. Returns 0 or -ENOMEM. */
int jfr_merge_types_describe(const struct jfr_merge_types *u, const struct jfr_metadata *region, struct bytes *body,
			     uint64_t *id);

#endif
