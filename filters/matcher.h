/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The compiled form of a list of filters: one program of bytes without
 * pointers, made by the collector, matched by the agent inside the JVM.
 * pattern.c is freestanding (memcmp and the like only) and checks every
 * offset in the program against its size.
 *
 * Of a class and a method it is told names, and tags: which of the types that
 * filters ask for are among the class's supertypes, and which of the annotations
 * the class or the method bears. All names are those of class files: a/b/C$D,
 * La/b/Anno;, (ILjava/lang/String;)V, in modified UTF-8, not 0-terminated.
 */
#ifndef FILTERS_MATCHER_H
#define FILTERS_MATCHER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct matcher {
	const void *program;
	size_t size;
};

struct matcher_text {
	const char *at;
	size_t length;
};

#define MATCHER_TAGS 64

/* A set; what is more than fits is left out. */
struct matcher_tags {
	uint32_t count;
	uint32_t tag[MATCHER_TAGS];
};

struct matcher_method {
	struct matcher_text class_name, name, descriptor;
	bool synthetic;
	const struct matcher_tags *of_class, *of_method; /* NULL: none */
};

#define MATCHER_NO_THRESHOLD UINT64_MAX

struct matcher_decision {
	bool trace, timing;
	uint64_t threshold_ns; /* of the trace; MATCHER_NO_THRESHOLD: that of the recording */
};

enum matcher_answer {
	MATCHER_NO = 0,	     /* no method of this class can match */
	MATCHER_METHODS = 1, /* some may: ask matcher_decide() for each */
	MATCHER_TAGGED = 2,  /* some may if the class or a method has a mark */
};

/* False when the program is not one, or another version's. */
bool matcher_valid(const struct matcher *p);

/* May the pattern match classes that it does not name? */
bool matcher_any_class(const struct matcher *p);

/* Are there filters by supertype, by annotation? Without, there is no use in looking for tags. */
bool matcher_has_supertypes(const struct matcher *p);
bool matcher_has_annotations(const struct matcher *p);

/* What is known by the name of the class alone. */
enum matcher_answer matcher_class(const struct matcher *p, const char *name, size_t length);

/* Add the mark for a supertype (or the class itself), for an annotation, if a filter asks for it. */
void matcher_tag_supertype(const struct matcher *p, struct matcher_text name, struct matcher_tags *tags);
void matcher_tag_annotation(const struct matcher *p, struct matcher_text descriptor, struct matcher_tags *tags);

/* Is the method to be traced, to be timed: for each list, some filter selects it and no exclusion does. */
struct matcher_decision matcher_decide(const struct matcher *p, const struct matcher_method *m);

/* Is this the body of a lambda that belongs to its method? Other synthetic methods are nobody's. */
bool matcher_takes_lambda(const struct matcher *p, struct matcher_text name);

/* matcher_decide() without tags: is a method of that name to be traced? */
bool matcher_method(const struct matcher *p, const char *class_name, size_t class_length, const char *method,
		    size_t method_length, const char *descriptor, size_t descriptor_length);

#endif
