/* SPDX-License-Identifier: BSD-2-Clause */
/* Suggestions for a filter that matches nothing: loaded classes and methods with similar names. */
#ifndef USER_CAPTURE_SUGGEST_CLASSES_H
#define USER_CAPTURE_SUGGEST_CLASSES_H

#include "filters/filter_list.h"
#include "user/capture/segment.h"

/*
 * Ask the JVM for its classes and print the most similar ones, and for correctly named classes the most similar
 * methods, which the agent has written down. Prints nothing when the JVM does not answer.
 */
void suggest_classes_print(const struct target *t, const struct segment *seg, const struct filter_list *filters);

#endif
