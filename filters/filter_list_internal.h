/* SPDX-License-Identifier: BSD-2-Clause */
/* The inside of a filter list, for filters/ only. Other rooms use filter_list.h. */
#ifndef FILTERS_FILTER_LIST_INTERNAL_H
#define FILTERS_FILTER_LIST_INTERNAL_H

#include "filters/filter_list.h"

#include <stdint.h>

struct filter {
	char *text;	  /* as a user would type it, with its '!' */
	char prefix;	  /* '+', '@', or 0 */
	char *class_name; /* binary name, a.b.C$D, may have QUOTE_WILDCARD; NULL: any class */
	char *method;	  /* may have QUOTE_WILDCARD; NULL: all of the class */
	char *types;	  /* as in a descriptor, but with dots, (I[La.b.C;)V or without the V; NULL: all overloads */
	uint64_t threshold_ns;
	bool thrown; /* of a root */
	enum filter_kind kind;
	uint32_t hash; /* of text and kind */
};

struct filter_set {
	struct filter *filters;
	size_t count, capacity;
};

struct filter_list {
	struct filter_set select, exclude; /* in `exclude` the kind is the list to exclude from; FILTER_EXCLUDE: all */
	bool lambda;
};

#endif
