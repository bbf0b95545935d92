/* SPDX-License-Identifier: BSD-2-Clause */
/* Java names in readable form. */
#ifndef USER_TEXT_JAVA_NAME_H
#define USER_TEXT_JAVA_NAME_H

#include <stddef.h>

/* Convert a/b/C to a.b.C, in place. */
void java_name_dots(char *name);

/*
 * Print checkout, (Lcom/acme/Order;Z)V as "checkout(Order, boolean)" (JVMS 4.3.3). An invalid descriptor is
 * printed unchanged.
 */
void java_name_print(const char *name, const char *descriptor, char *out, size_t size);

#endif
