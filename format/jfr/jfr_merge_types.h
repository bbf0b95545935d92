/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The types of several recordings as those of one. Types of one name become one
 * type, with the fields of the first and, behind them, those that others have
 * in addition: HotSpot's jdk.MethodTrace and ours, or java.lang.Thread of JDK 11
 * and of 25. Two of one name stay apart where a field means different things in
 * them. Ids are kept where they are free.
 *
 *     for each metadata: jfr_merge_types_add(&u, m);
 *     jfr_merge_types_describe(&u, m, &body, &id);      -- the metadata event's body
 *     for each metadata: union_map_build(&map, &u, m);
 */
#ifndef FORMAT_JFR_JFR_MERGE_TYPES_H
#define FORMAT_JFR_JFR_MERGE_TYPES_H

#include "format/jfr/jfr_metadata.h"

struct union_field {
	const struct meta_field *field; /* where it comes from; so are its annotations */
	const struct jfr_metadata *from;
	uint32_t element; /* in from->tree */
	uint32_t type;	  /* index in the union */
};

struct union_type {
	const struct meta_type *type; /* the first that had it */
	const struct jfr_metadata *from;
	uint64_t id;
	struct union_field *fields;
	uint32_t count, capacity;
	uint32_t width; /* bytes of a value of which nothing is known, at most */
};

struct jfr_merge_types {
	struct union_type *types;
	uint32_t count, capacity;
	uint64_t last_id;
	struct jfr_metadata **kept; /* that gave something */
	uint32_t kept_count;
};

void jfr_merge_types_init(struct jfr_merge_types *u);
void jfr_merge_types_release(struct jfr_merge_types *u);

/* Add what is new in `m`, which is kept if there is anything. -ENOMEM; -EINVAL: the types nest too deep now. */
int jfr_merge_types_add(struct jfr_merge_types *u, struct jfr_metadata *m);

/* How the values of one metadata become those of the union. Every metadata must have been added before the first. */
struct union_plan {
	uint32_t type;	 /* index in the union */
	bool straight;	 /* the same fields in the same order */
	int32_t *source; /* of each field of the union its index in the type; -1: it has none. NULL when straight */
};

struct union_map {
	struct union_plan *plan; /* by meta_type.index */
	int32_t *sources;
};

int union_map_build(struct union_map *map, const struct jfr_merge_types *u, const struct jfr_metadata *m);
void union_map_release(struct union_map *map);

/* The body of the metadata event; where it was recorded is taken from `region`. -ENOMEM. */
int jfr_merge_types_describe(const struct jfr_merge_types *u, const struct jfr_metadata *region, struct bytes *body,
			     uint64_t *id);

#endif
