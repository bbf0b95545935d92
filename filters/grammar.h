/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The grammar of one filter:
 *
 *	item   := ['!'] target [':' time]
 *	target := '@' class | ['+'] class ['::' method] | '::' method
 *	method := (name | <init> | <clinit>) ['(' types ')']
 *
 * A '*' in a name stands for any characters, none and dots too. Types are as in
 * source code: int, java.lang.String[], a.b.C$In; T... is T[].
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
	size_t types_at, types_length;	 /* with the parentheses; length 0: all overloads */
	size_t time_at, time_length;	 /* behind the colon */
	uint64_t threshold_ns;		 /* GRAMMAR_NO_THRESHOLD: none of its own */
};

/* Where and why a text is no filter. */
struct fault {
	size_t at; /* byte in the text */
	char what[200];
};

/*
 * Read text[begin, end), stripped and not empty. True when it is a filter.
 * The class name may have slashes only where dots would be taken for a nested
 * class (com/Acme/Cart: Acme is a package).
 */
bool grammar_parse(const char *text, size_t begin, size_t end, struct grammar_filter *parsed, struct fault *fault);

#endif
