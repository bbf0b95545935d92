/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Suggestions for filters that match nothing: of the existing names, the few that were probably meant. Offer each
 * known class, with its methods if they are known, then read the best.
 */
#ifndef FILTERS_SUGGEST_H
#define FILTERS_SUGGEST_H

#include "filters/filter_list.h"

#define SUGGEST_BEST 5 /* maximum number of suggestions */

struct suggest;

/* Returns NULL without memory. The list must outlive the result. Only the first 256 filters get suggestions. */
struct suggest *suggest_new(const struct filter_list *l);
void suggest_free(struct suggest *n);

/*
 * Offer a class by its binary name (a.b.C$D; slashes are accepted) and a method declared in it, or NULL if only
 * the class is known. Names may come in any order and repeatedly. A filter that matches a name exactly gets no
 * suggestions. Offer methods only of classes without a selected method: for an overload filter, a method of
 * its own name counts as near.
 */
void suggest_offer(struct suggest *n, const char *class_name, const char *method);

/* The i-th best suggestion, as a filter to type (a.b.C$D::m), or NULL. Valid until the next call on n. */
const char *suggest_best(const struct suggest *n, size_t i);

#endif
