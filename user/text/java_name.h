/* SPDX-License-Identifier: BSD-2-Clause */
/* Names as a person reads them. */
#ifndef USER_TEXT_JAVA_NAME_H
#define USER_TEXT_JAVA_NAME_H

#include <stddef.h>

/* a/b/C to a.b.C, in place. */
void java_name_dots(char *name);

/* checkout, (Lcom/acme/Order;Z)V to "checkout(Order, boolean)" (JVMS 4.3.3); a descriptor that is none is printed as it is. */
void java_name_print(const char *name, const char *descriptor, char *out, size_t size);

/*
 * com/acme/Cart$Item, add, (ILjava/lang/String;)V to "com.acme.Cart$Item::add(int,java.lang.String)": a filter for this one
 * overload. NULL: no memory, or a descriptor that is none; else malloc'ed.
 */
char *java_name_filter(const char *class_name, const char *name, const char *descriptor);

#endif
