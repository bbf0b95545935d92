/* SPDX-License-Identifier: BSD-2-Clause */
/* Names as a person reads them. */
#ifndef USER_SIGNATURE_H
#define USER_SIGNATURE_H

#include <stddef.h>

/* a/b/C to a.b.C, in place. */
void signature_dots(char *name);

/* checkout, (Lcom/acme/Order;Z)V to "checkout(Order, boolean)" (JVMS 4.3.3); a descriptor that is none is printed as it is. */
void signature_print(const char *name, const char *descriptor, char *out, size_t size);

#endif
