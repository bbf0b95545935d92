/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Matching of methods with a compiled filter list: a program without pointers that the collector creates and the
 * agent runs inside the JVM. matcher.c is freestanding (memcmp and the like only) and checks each offset in the
 * program against its size.
 *
 * The caller passes the names of a class and a method, and tags. Tags say which of the types that filters ask for
 * are supertypes of the class, and which of their annotations the class or the method bears. All names have the
 * form of class files: a/b/C$D, La/b/Anno;, (ILjava/lang/String;)V, in modified UTF-8, not 0-terminated.
 */
#ifndef FILTERS_MATCHER_H
#define FILTERS_MATCHER_H

#include "format/slice.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct matcher {
	const void *program;
	size_t size;
};

#define MATCHER_TAGS 64

/* A set of tags; those that do not fit are dropped. */
struct matcher_tags {
	uint32_t count;
	uint32_t tag[MATCHER_TAGS];
};

struct matcher_method {
	struct slice class_name, name, descriptor;
	bool synthetic;
	const struct matcher_tags *of_class, *of_method; /* NULL: none */
};

#define MATCHER_NO_THRESHOLD UINT64_MAX

struct matcher_decision {
	bool trace, timing;    /* a root, and what ends roots, is traced, too */
	bool named;	       /* a filter that selects it names its class, without a wildcard */
	uint64_t threshold_ns; /* for tracing; MATCHER_NO_THRESHOLD: use the recording's threshold */
	bool root, root_thrown;
	bool until;	  /* the first such call in a root ends it */
	uint64_t root_ns; /* a root that takes as long is kept; MATCHER_NO_THRESHOLD: none is */
};

enum matcher_answer {
	MATCHER_NO = 0,	     /* no method of this class can match */
	MATCHER_METHODS = 1, /* some methods may: ask matcher_decide() for each */
	MATCHER_TAGGED = 2,  /* some methods may if the class or a method has a tag */
};

/* False if this is not a program, or one of another version. */
bool matcher_valid(const struct matcher *p);

/* True if the program may match classes that it does not name. */
bool matcher_any_class(const struct matcher *p);

/* True if there are filters by supertype, or by annotation. Otherwise the caller need not collect such tags. */
bool matcher_has_supertypes(const struct matcher *p);
bool matcher_has_annotations(const struct matcher *p);

/* The answer for a class that its name alone allows. */
enum matcher_answer matcher_class(const struct matcher *p, const char *name, size_t length);

/* Add the tag for a supertype (or the class itself), or for an annotation, if a filter asks for it. */
void matcher_tag_supertype(const struct matcher *p, struct slice name, struct matcher_tags *tags);
void matcher_tag_annotation(const struct matcher *p, struct slice descriptor, struct matcher_tags *tags);

/* Add to `tags` of program `p` what the tags of another one, which has at least the filters of `p`, say. */
void matcher_tag_again(const struct matcher *p, const struct matcher *other, const struct matcher_tags *of_other,
		       struct matcher_tags *tags);

/* True if all filters have one threshold for tracing: *threshold_ns, which may be MATCHER_NO_THRESHOLD. */
bool matcher_one_threshold(const struct matcher *p, uint64_t *threshold_ns);

/* True if a filter by supertype or annotation may select a method of that name in some class. */
bool matcher_may_tag(const struct matcher *p, struct slice method, struct slice descriptor);

/* Decide whether to trace and to time a method: some filter of the list selects it and none excludes it. */
struct matcher_decision matcher_decide(const struct matcher *p, const struct matcher_method *m);

/* True if the name is that of a lambda body that belongs to its method. Other synthetic methods belong to none. */
bool matcher_takes_lambda(const struct matcher *p, struct slice name);

/* matcher_decide() by the names alone: true if the method is to be traced. */
bool matcher_selects(const struct matcher *p, struct slice class_name, struct slice method, struct slice descriptor);

#endif
