/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The compiled form of a list of filters: one block of bytes without
 * pointers, made by the collector, matched by the agent inside the JVM.
 * pattern.c is freestanding (memcmp and the like only) and checks every
 * offset in the block against its size.
 */
#ifndef FILTERS_PATTERN_H
#define FILTERS_PATTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pattern {
	const void *block;
	size_t size;
};

enum pattern_answer {
	PATTERN_NO = 0,	     /* no method of this class can match */
	PATTERN_METHODS = 1, /* some may: ask pattern_method() for each */
};

/* False when the block is not one, or a later version's. */
bool pattern_valid(const struct pattern *p);

/* Has the pattern a filter without class name (`::m`), so that any class may match? */
bool pattern_any_class(const struct pattern *p);

/* `name` is the internal form, a/b/C$D, not 0-terminated. */
enum pattern_answer pattern_class(const struct pattern *p, const char *name, size_t length);

/* Is this method of this class to be traced: some filter selects it and no exclusion does. */
bool pattern_method(const struct pattern *p, const char *class_name, size_t class_length, const char *method,
		    size_t method_length, const char *descriptor, size_t descriptor_length);

#endif
