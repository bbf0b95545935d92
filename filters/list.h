/* SPDX-License-Identifier: BSD-2-Clause */
/* What a filter list is made of; for filters/ only, others use parse.h. */
#ifndef FILTERS_LIST_H
#define FILTERS_LIST_H

#include "filters/parse.h"

#include <stdint.h>

struct filter {
	char *text;	  /* as it would be typed again */
	char *class_name; /* binary name, a.b.C$D; NULL: any class */
	char *method;	  /* NULL: all of the class */
	uint32_t hash;	  /* of text */
};

struct filter_set {
	struct filter *items;
	size_t count, capacity;
};

struct filter_list {
	struct filter_set select, exclude;
};

#endif
