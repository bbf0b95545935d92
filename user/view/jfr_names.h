/* SPDX-License-Identifier: BSD-2-Clause */
/* Methods, classes and threads in words. What a recording leaves open is left out or null. */
#ifndef USER_VIEW_JFR_NAMES_H
#define USER_VIEW_JFR_NAMES_H

#include "format/jfr/jfr_chunk.h"

/* The types of a descriptor's parameters, "(Ljava/lang/String;[I)V": "String, int[]"; nothing for what is none. */
void put_parameters(struct bytes *out, const char *descriptor);

/* A class's name as Java writes it: "a/b/C" is a.b.C, "[[I" is int[][]. `size` stands in the outermost brackets. */
void put_class_name(struct bytes *out, const char *name, const char *size);

/* Values of the types of these names, resolved. */
void put_method(struct bytes *out, struct jfr_chunk *chunk,
		const struct jfr_value *method); /* a.b.C.m(String, int[]) */
void put_class(struct bytes *out, struct jfr_chunk *chunk,
	       const struct jfr_value *class); /* a.b.C (classLoader = app) */
void put_thread(struct bytes *out, struct jfr_chunk *chunk,
		const struct jfr_value *thread); /* "main" (javaThreadId = 1) */

/* Append a text in UTF-8; "null" for what is none. */
void put_value_text(struct bytes *out, const struct jfr_value *text);

#endif
