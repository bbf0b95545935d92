/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The compiled form of a list of filters: one block of bytes without
 * pointers, made by the collector, matched by the agent inside the JVM.
 * pattern.c is freestanding (memcmp and the like only) and checks every
 * offset in the block against its size.
 *
 * Of a class and a method it is told names, and marks: which of the types that
 * filters ask for are among the class's supertypes, and which of the annotations
 * the class or the method bears. All names are those of class files: a/b/C$D,
 * La/b/Anno;, (ILjava/lang/String;)V, in modified UTF-8, not 0-terminated.
 */
#ifndef FILTERS_MATCHER_H
#define FILTERS_MATCHER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pattern {
	const void *block;
	size_t size;
};

struct pattern_text {
	const char *at;
	size_t length;
};

#define PATTERN_MARKS 64

/* A set; what is more than fits is left out. */
struct pattern_marks {
	uint32_t count;
	uint32_t mark[PATTERN_MARKS];
};

struct pattern_method {
	struct pattern_text class_name, name, descriptor;
	bool synthetic;
	const struct pattern_marks *of_class, *of_method; /* NULL: none */
};

#define PATTERN_NO_THRESHOLD UINT64_MAX

struct pattern_verdict {
	bool trace, timing;
	uint64_t threshold_ns; /* of the trace; PATTERN_NO_THRESHOLD: that of the recording */
};

enum pattern_answer {
	PATTERN_NO = 0,	     /* no method of this class can match */
	PATTERN_METHODS = 1, /* some may: ask pattern_decide() for each */
	PATTERN_MARKED = 2,  /* some may if the class or a method has a mark */
};

/* False when the block is not one, or another version's. */
bool pattern_valid(const struct pattern *p);

/* May the pattern match classes that it does not name? */
bool pattern_any_class(const struct pattern *p);

/* Are there filters by supertype, by annotation? Without, there is no use in looking for marks. */
bool pattern_has_supertypes(const struct pattern *p);
bool pattern_has_annotations(const struct pattern *p);

/* What is known by the name of the class alone. */
enum pattern_answer pattern_class(const struct pattern *p, const char *name, size_t length);

/* Add the mark for a supertype (or the class itself), for an annotation, if a filter asks for it. */
void pattern_mark_supertype(const struct pattern *p, struct pattern_text name, struct pattern_marks *marks);
void pattern_mark_annotation(const struct pattern *p, struct pattern_text descriptor, struct pattern_marks *marks);

/* Is the method to be traced, to be timed: for each list, some filter selects it and no exclusion does. */
struct pattern_verdict pattern_decide(const struct pattern *p, const struct pattern_method *m);

/* Is this the body of a lambda that belongs to its method? Other synthetic methods are nobody's. */
bool pattern_takes_lambda(const struct pattern *p, struct pattern_text name);

/* pattern_decide() without marks: is a method of that name to be traced? */
bool pattern_method(const struct pattern *p, const char *class_name, size_t class_length, const char *method,
		    size_t method_length, const char *descriptor, size_t descriptor_length);

#endif
