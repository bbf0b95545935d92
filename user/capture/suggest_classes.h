/* SPDX-License-Identifier: BSD-2-Clause */
/* For a filter that matches nothing: which loaded classes and methods have a name near to it. */
#ifndef USER_CAPTURE_SUGGEST_CLASSES_H
#define USER_CAPTURE_SUGGEST_CLASSES_H

#include "filters/filter_list.h"
#include "user/capture/segment.h"

/*
 * Asks the JVM for its classes and prints the nearest, with the methods of
 * classes that are named rightly, which the agent wrote down. Nothing when
 * the JVM does not tell.
 */
void suggest_classes_print(const struct target *t, const struct segment *seg, const struct filter_list *filters);

#endif
