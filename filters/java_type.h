/* SPDX-License-Identifier: BSD-2-Clause */
/* Types in the descriptors of class files (JVMS 4.3), and as Java writes them. */
#ifndef FILTERS_JAVA_TYPE_H
#define FILTERS_JAVA_TYPE_H

#include "format/bytes.h"
#include "format/slice.h"

struct java_type {
	char letter; /* of a primitive type; 'L': a class; 0: no letter that descriptors have */
	struct slice
		name; /* "int"; of a class as in the descriptor, a/b/C; "<unknown-descriptor-type>", as `jfr` says */
	unsigned int arrays; /* dimensions */
};

/* The name of a primitive type, or of V, by its letter; NULL: it is none. */
const char *java_primitive(char letter);

/* Take the first type off a descriptor. Returns the rest, or NULL if there is no whole type. */
const char *java_type_next(const char *descriptor, struct java_type *type);

/* Append a type with dots. `package`: with its package. `size` goes into the first brackets of an array. */
void java_type_put(struct bytes *out, const struct java_type *type, bool package, const char *size);

/*
 * Append the parameter types of (Ljava/lang/String;[I)V without their packages: "String, int[]". False if the descriptor is
 * invalid: then nothing is appended, or, if just a letter is wrong, all types.
 */
bool java_types_put(struct bytes *out, const char *descriptor);

/* Convert a/b/C to a.b.C, in place. */
void java_name_dots(char *name);

/*
 * Print checkout, (Lcom/acme/Order;Z)V as "checkout(Order, boolean)", cut to `size`. An invalid descriptor is printed
 * unchanged.
 */
void java_name_print(const char *name, const char *descriptor, char *out, size_t size);

#endif
