/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What ProGuard or R8 has renamed in a program. Their mapping file has a line for each class, and lines of its members below
 * it (ProGuard's manual, "ReTrace"; R8 adds comments with values, doc/retrace.md of its source):
 *
 *	com.acme.Cart -> a.b:
 *	    int size -> a
 *	    1:4:void add(com.acme.Item):20:23 -> a
 *	    5:5:int total():31:31 -> a
 *	    5:5:void add(com.acme.Item):24 -> a
 *
 * In front stand the lines in the program, behind the parentheses those of the source. Where the lines in the program are the
 * same, the methods were inlined, each into the one of the next line. The last one is the program's method.
 */
#ifndef FILTERS_MAPPING_H
#define FILTERS_MAPPING_H

#include "filters/filter_list.h"
#include "format/bytes.h"
#include "format/diag.h"
#include "format/slice.h"

struct mapping;

/*
 * Parse the content of a mapping file, which is copied. `name` is its name in messages. 0 or -errno: a line that is
 * neither of the above nor a comment is a usage error with its number.
 */
int mapping_parse(struct mapping **out, const char *name, const char *text, size_t size, struct diag *d);
void mapping_free(struct mapping *m);

/* Append a descriptor or the name of an array's class, ([La/b;I)V, with the original names of classes. */
void mapping_put_descriptor(const struct mapping *m, struct bytes *out, struct slice descriptor);

/* The original name of a class, with dots. A class that the mapping does not have keeps its name. */
struct slice mapping_class(const struct mapping *m, struct slice name);

/* A method by its original names. */
struct mapped_method {
	struct slice class_name,
		name; /* the class with dots or slashes; they point into the mapping or are those given */
	int64_t line; /* of the source; -1: unknown */
};

/*
 * Find the original of a method. `line` is one of the program in it; -1: unknown. The line tells methods of equal names
 * apart, and so do the types in `descriptor`. Where several remain possible, the result has the method's own name, in its
 * original class. The class may have dots or slashes.
 */
struct mapped_method mapping_method(const struct mapping *m, struct slice class_name, struct slice name,
				    struct slice descriptor, int64_t line);

/*
 * Replace the filters of the list, which have original names, by those that select the same methods in the program. Filters
 * of classes that the mapping does not have stay. A pattern, too, stays for such classes, unless it would select renamed ones
 * that it does not mean. 0 or -errno; a filter for which nothing is left is a usage error.
 */
int mapping_rename_filters(const struct mapping *m, struct filter_list *l, struct diag *d);

#endif
