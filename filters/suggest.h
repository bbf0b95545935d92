/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For filters that match nothing: of the names that there are, the few that
 * were probably meant. Offer every known class (and, where they are known,
 * its methods), then ask.
 */
#ifndef FILTERS_SUGGEST_H
#define FILTERS_SUGGEST_H

#include "filters/filter_list.h"

#define SUGGEST_BEST 5 /* at most so many are kept */

struct suggest;

struct suggest *suggest_new(
	const struct filter_list *l); /* NULL: no memory. The list must outlive it; the first 256 filters count. */
void suggest_free(struct suggest *n);

/*
 * `class_name` is a binary name (a.b.C$D; slashes are understood). `method` is a
 * method declared in it, or NULL when only the class is known. Any order, any
 * number of times; a name that one filter matches exactly silences this filter.
 * A class whose methods are offered has none that is selected: to a filter for
 * one overload its own name is near.
 */
void suggest_offer(struct suggest *n, const char *class_name, const char *method);

/* The i-th best, as a filter to type (a.b.C$D::m); NULL: there are no more. Valid until the next call on n. */
const char *suggest_best(const struct suggest *n, size_t i);

/* The filter that it is near to: an index for filter_list_text(). */
size_t suggest_filter(const struct suggest *n, size_t i);

#endif
