/* SPDX-License-Identifier: BSD-2-Clause */
/* The grammar of one filter: a.b.C, C::m, ::m. */
#ifndef FILTERS_ITEM_H
#define FILTERS_ITEM_H

#include <stdbool.h>
#include <stddef.h>

struct item {
	size_t class_at, class_length;	 /* length 0: any class */
	size_t method_at, method_length; /* length 0: all methods */
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
bool item_parse(const char *text, size_t begin, size_t end, struct item *item, struct fault *fault);

#endif
