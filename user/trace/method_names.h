/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers the methods of a recording, also across its chunks, and gives each a name of its own. */
#ifndef USER_TRACE_METHOD_NAMES_H
#define USER_TRACE_METHOD_NAMES_H

#include "format/jfr/jfr_chunk.h"
#include "user/trace/chunk_map.h"
#include "user/trace/texts.h"

struct method_names {
	bool any_loader; /* set it at first: classes of one name are the same one, whatever their loaders */
	struct texts texts;
	struct chunk_map keys; /* of methods -> number */
	struct map loaders;    /* (name, key or 0) -> number */
	struct map known;      /* (exact name, loader) -> number */
	struct map valued;     /* (number, value) -> number */
	struct method_name {
		uint32_t text;	 /* "a.b.C.m(int)", of `texts` as the next two */
		uint32_t exact;	 /* "a.b.C.m(I)V": with the descriptor */
		uint32_t loader; /* its name, or else its class */
		uint32_t plain;	 /* of one with a value: the number of the method itself; 0: it has none */
		uint32_t value;	 /* of `texts` */
		/* set by method_names_settle() */
		char *unique;
		bool overloaded;
	} *method;
	size_t count, capacity;
};

void method_names_release(struct method_names *n); /* takes a zeroed one, too */

/*
 * The number, from 1 on, of a method (a key or resolved). Two are the same if name, descriptor and class loader are.
 */
uint32_t method_names_number(struct method_names *n, struct jfr_chunk *chunk, const struct jfr_value *method);

/* The number that stands for calls of a method with a value, as if that were another method of its name. */
uint32_t method_names_valued(struct method_names *n, uint32_t number, const char *value);
const char *method_names_value(const struct method_names *n, uint32_t number); /* NULL: none */

/*
 * Find overloads, and give methods whose names are alike the names of their loaders. Call it after the last method.
 */
void method_names_settle(struct method_names *n);

/*
 * "a.b.C.m(int)", "a.b.C.m(int) (loader app)"; unnamed loaders of one class are numbered in the order of their first
 * call: "(loader a.b.WebappLoader #2)". "N/A": unknown.
 */
const char *method_names_text(const struct method_names *n, uint32_t number);

/* True if another method of the class has the same name: its parameters tell them apart. */
bool method_names_overloaded(const struct method_names *n, uint32_t number);

#endif
