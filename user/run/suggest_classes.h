/* SPDX-License-Identifier: BSD-2-Clause */
/* Suggestions for a filter that matches nothing: loaded classes and methods with similar names. */
#ifndef USER_RUN_SUGGEST_CLASSES_H
#define USER_RUN_SUGGEST_CLASSES_H

#include "filters/suggest.h"
#include "user/segment/segment.h"

/* Print the best suggestions, quoted for the shell. */
void suggest_classes_print_best(const struct suggest *n);

/*
 * Ask the JVM for its classes and print the most similar ones, and for correctly named classes the most similar
 * methods, which the agent has written down. Prints nothing when the JVM does not answer.
 */
void suggest_classes_print(const struct target *t, const struct segment *seg, const struct filter_list *filters);

#endif
