/* SPDX-License-Identifier: BSD-2-Clause */
/* Names as filters and back: what the grammar gives a meaning is escaped (filters/lex.h). */
#ifndef FILTERS_QUOTE_H
#define FILTERS_QUOTE_H

#include <stddef.h>

/* Stands for any characters in an unquoted name. No name in a class file has it (JVMS 4.2.2). */
#define QUOTE_WILDCARD ';'

/*
 * The filter that selects a class, or a method of it, or, with its descriptor, one overload. Names are as in class
 * files, in modified UTF-8; the class may have dots: com/acme/Cart$Item, add, (ILjava/lang/String;)V becomes
 * com.acme.Cart$Item::add(int,java.lang.String). `method` and `descriptor` may be NULL. The caller frees the result.
 * NULL: no memory, or an invalid descriptor. quote_exact(): with what is returned, add(int,java.lang.String)void.
 */
char *quote_filter(const char *class_name, const char *method, const char *descriptor);
char *quote_exact(const char *class_name, const char *method, const char *descriptor);

/*
 * The name that a part of a filter stands for, with the separators that it has there. A wildcard becomes
 * QUOTE_WILDCARD; \uXXXX becomes modified UTF-8. The caller frees it. NULL: no memory.
 */
char *quote_remove(const char *text, size_t length);

/*
 * The types of an overload, as grammar_parse() accepts them, as in a descriptor, but with dots: "(int, a.b.C[])" becomes
 * "(I[La.b.C;)", and "()void" "()V". The caller frees it. NULL: no memory.
 */
char *quote_descriptor(const char *types, size_t length);

/* The text in single quotes, as one word of a shell. The caller frees it. NULL: no memory. */
char *quote_shell(const char *text);

#endif
