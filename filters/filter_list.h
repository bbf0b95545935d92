/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Filters (filters/grammar.h: one of them; several are separated by ';') read
 * into a list, and compiled into the program that the agent matches with.
 *
 * A method belongs to a list (trace, timing) when a filter of that list
 * selects it and none excludes it; the order of filters does not matter. Of the thresholds that
 * its filters have of their own the smallest counts, and no other.
 */
#ifndef FILTERS_FILTER_LIST_H
#define FILTERS_FILTER_LIST_H

#include "filters/matcher.h"
#include "format/diag.h"

struct filter_list; /* the -m, -M and -x filters of one recording, in order */

enum filter_kind {
	FILTER_TRACE = 0,   /* -m */
	FILTER_EXCLUDE = 1, /* -x: from both lists */
	FILTER_TIMING = 2,  /* -M */
};

struct filter_list *filter_list_new(void); /* NULL: no memory */
void filter_list_free(struct filter_list *l);

/*
 * Add the filters of one option's text. `!target` excludes from the list that
 * the text is for. On error nothing is
 * added, and the message shows the text with a caret under the fault and, where
 * it can be told, the filter that was meant, quoted for the shell.
 */
int filter_list_add(struct filter_list *l, const char *text, enum filter_kind kind, struct diag *d);

/*
 * The same for a file's content: filters, one a line or with ';', and comments from a '#' that no
 * name stands before. `name` and the number of the line go into the message.
 */
int filter_list_add_lines(struct filter_list *l, const char *name, const char *content, enum filter_kind kind,
			  struct diag *d);

/* The bodies of lambdas belong to the method that they are written in. Off at first. */
void filter_list_set_lambda(struct filter_list *l, bool lambda);

/* The filters that select (not exclude), of all lists: their number, the text of each (as it would be typed again; owned by the list), its list. */
size_t filter_list_size(const struct filter_list *l);
const char *filter_list_text(const struct filter_list *l, size_t i);
enum filter_kind filter_list_kind(const struct filter_list *l, size_t i);

/* How many filters select for this list (FILTER_TRACE, FILTER_TIMING)? */
size_t filter_list_count(const struct filter_list *l, enum filter_kind kind);

/* Compile. *program is malloc'ed, the caller's. */
int filter_list_compile(const struct filter_list *l, void **program, size_t *size, struct diag *d);

#endif
