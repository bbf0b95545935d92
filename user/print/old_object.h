/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints the reference chain of a jdk.OldObjectSample, one object per line. */
#ifndef USER_PRINT_OLD_OBJECT_H
#define USER_PRINT_OLD_OBJECT_H

#include "user/print/printer.h"

void old_object_put(struct printer *p, const struct jfr_value *object);

#endif
