/* SPDX-License-Identifier: BSD-2-Clause */
/* The inside of a mapping, for filters/ only. Other rooms use mapping.h. */
#ifndef FILTERS_MAPPING_INTERNAL_H
#define FILTERS_MAPPING_INTERNAL_H

#include "filters/mapping.h"
#include "format/hash.h"

/* A line of a member. Texts point into the mapping's copy of the file. */
struct mapped_member {
	struct slice class_name; /* of a method that was another class's; else empty */
	struct slice name, renamed;
	struct slice type,
		types; /* of a field, or what a method returns; types of the parameters, without parentheses */
	struct slice descriptor;    /* of the program's method, if R8 says that it differs; else empty */
	bool method, ranged, lined; /* ranged: it has lines of the program, lined: of the source, too */
	uint32_t from, to, line, last;
	uint32_t order; /* among the members of its class in the file */
};

struct mapped_class {
	struct slice name, renamed;
	size_t first, count; /* its members, by their new names, and then in the order of the file */
	bool foreign;	     /* it has methods that were another class's */
};

struct mapping {
	char *text;
	struct mapped_class *class;
	struct mapped_member *member;
	size_t classes, members, class_capacity, member_capacity;
	struct hash_index by_name, by_renamed; /* of classes */
};

/* NULL: there is none. Names may have dots or slashes. */
const struct mapped_class *mapping_find(const struct mapping *m, struct slice name, bool renamed);

/* The members of a class with a new name: the first one, and their number. */
const struct mapped_member *mapping_members(const struct mapping *m, const struct mapped_class *c, struct slice renamed,
					    size_t *count);

/* Was the first of these members inlined into the next one? `left`: how many there are with it. */
bool mapped_is_inlined(const struct mapped_member *member, size_t left);

/* Append the descriptor of a method: the original one, or the program's. */
void mapped_put_descriptor(const struct mapping *m, struct bytes *out, const struct mapped_member *member,
			   bool renamed);

#endif
