/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Filters as JEP 520 writes them (a.b.C, a.b.C$In, C::m, ::m, separated by ;)
 * read into a list, and compiled into the block that the agent matches with.
 */
#ifndef FILTERS_PARSE_H
#define FILTERS_PARSE_H

#include "filters/pattern.h"
#include "format/diag.h"

struct filter_list; /* the -m and -x filters of one recording, in order */

struct filter_list *filter_list_new(void); /* NULL: no memory */
void filter_list_free(struct filter_list *l);

/*
 * Add the filters of one option's text; `exclude` for -x. On error nothing is
 * added, and the message shows the text with a caret under the fault and, where
 * it can be told, the filter that was meant, quoted for the shell.
 */
int filter_list_add(struct filter_list *l, const char *text, bool exclude, struct diag *d);

/* Number of filters that select (not exclude), and the text of each (as it would be typed again; owned by the list). */
size_t filter_list_size(const struct filter_list *l);
const char *filter_list_text(const struct filter_list *l, size_t i);

/* Compile. *block is malloc'ed, the caller's. */
int filter_list_compile(const struct filter_list *l, void **block, size_t *size, struct diag *d);

#endif
