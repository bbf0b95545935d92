/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * --handoff: where a program hands an object to a queue of its own, and where a thread begins with it:
 *
 *     com.acme.Queue::put arg0 => com.acme.Worker::handle arg0
 *
 * A method without types means all of that name; types are as in filters. The object is an argument or `this`.
 */
#ifndef FILTERS_HANDOFF_H
#define FILTERS_HANDOFF_H

#include "bpf/frtrace.h"
#include "format/diag.h"
#include "format/slice.h"

#include <stdbool.h>

struct handoff_list {
	struct frt_place place[FRT_PLACES]; /* two each */
	unsigned int count;		    /* places */
};

/* Append what the text says. 0, or -EINVAL with the message, and nothing is appended. */
int handoff_add(struct handoff_list *l, const char *text, struct diag *d);

/* Is the class, in the internal form, one of the JDK's own? Hooks there might call themselves, so it must have no place. */
bool handoff_is_of_jdk(const char *class_name);

/*
 * Is this the method of the place? *object: the number of the local variable that has the object when it begins. False, too,
 * if it has no such argument, or if that is no reference.
 */
bool handoff_is_method(const struct frt_place *p, struct slice name, struct slice descriptor, bool is_static,
		       unsigned int *object);

#endif
