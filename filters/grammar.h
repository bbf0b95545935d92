/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The grammar of one filter:
 *
 *	filter := ['!'] target [':' time]
 *	target := '@' class | ['+'] class ['::' method] | '::' method
 *	method := (name | <init> | <clinit>) ['(' types ')' [type | void]]
 *
 * A '*' in a name matches any characters, also none, and dots. Types are written as in source code: int,
 * java.lang.String[], a.b.C$In; T... means T[]. Behind the parentheses stands what the method returns, as in a
 * java.lang.invoke.MethodType: m(int)void. filters/lex.h says how characters are written that have a meaning here.
 */
#ifndef FILTERS_GRAMMAR_H
#define FILTERS_GRAMMAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GRAMMAR_NO_THRESHOLD UINT64_MAX

struct grammar_filter {
	bool exclude;			 /* '!' */
	char prefix;			 /* '+', '@', or 0 */
	size_t class_at, class_length;	 /* length 0: any class */
	size_t method_at, method_length; /* length 0: all methods */
	size_t types_at, types_length;	 /* with the parentheses and what is returned; length 0: all overloads */
	size_t time_at, time_length;	 /* after the colon */
	uint64_t threshold_ns;		 /* GRAMMAR_NO_THRESHOLD: none of its own */
};

/* Where and why a text is not a filter. */
struct fault {
	size_t at; /* byte offset in the text */
	char what[200];
};

/*
 * Parse text[begin, end), which must be stripped and not empty. Returns true if it is a filter; otherwise *fault
 * is set. A class name may have slashes only where dots would look like a nested class (com/Acme/Cart: Acme is a
 * package).
 */
bool grammar_parse(const char *text, size_t begin, size_t end, struct grammar_filter *parsed, struct fault *fault);

/*
 * Offset of the first separator in a class name at which, written with dots, it would look like a nested class; 0: none.
 * Such a name is written with slashes.
 */
size_t grammar_outer_class(const char *name, size_t length);

#endif
