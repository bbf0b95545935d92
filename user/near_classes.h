/* SPDX-License-Identifier: BSD-2-Clause */
/* For a filter that matches nothing: which loaded classes have a name near to it. */
#ifndef USER_NEAR_CLASSES_H
#define USER_NEAR_CLASSES_H

#include "filters/parse.h"
#include "user/target/process.h"

/* Asks the JVM for its classes and prints the nearest; nothing when it does not tell. */
void near_classes_print(const struct target *t, const struct filter_list *filters);

#endif
