/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lists of filters: read from text (grammar: filters/grammar.h, separated by ';'), and compiled into the program
 * that the agent matches with.
 *
 * A method belongs to a list (trace, timing, root) if a filter of that list selects it and no filter excludes it. The
 * order of filters does not matter. If several matching filters have a threshold of their own, the smallest
 * applies. An exclusion from tracing excludes roots, and what ends them, too.
 *
 * A filter of a root may end with ":thrown". Then a root is kept if it ends with an exception, or if it takes as long as
 * the threshold before that, if there is one.
 */
#ifndef FILTERS_FILTER_LIST_H
#define FILTERS_FILTER_LIST_H

#include "filters/matcher.h"
#include "format/diag.h"

struct filter_list; /* the -m, -M, -x, --inside and --until filters of a recording, in order */

enum filter_kind {
	FILTER_TRACE = 0,   /* -m */
	FILTER_EXCLUDE = 1, /* -x: from both lists */
	FILTER_TIMING = 2,  /* -M */
	FILTER_ROOT = 3,    /* --inside */
	FILTER_UNTIL = 4,   /* --until: what ends roots */
};

struct filter_list *filter_list_new(void); /* Returns NULL without memory. */
void filter_list_free(struct filter_list *l);

/*
 * Add the filters of an option's text. `!target` excludes from the list of `kind`. On error nothing is added. The
 * message then shows the text with a caret under the fault and, if there is a guess, the filter that was probably
 * meant, quoted for the shell.
 */
int filter_list_add(struct filter_list *l, const char *text, enum filter_kind kind, struct diag *d);

/*
 * The same for the content of a file: filters on lines of their own or separated by ';', and comments from '#' on,
 * except directly after a name. The message contains `name` and the line number.
 */
int filter_list_add_lines(struct filter_list *l, const char *name, const char *content, enum filter_kind kind,
			  struct diag *d);

/* Set whether the bodies of lambdas belong to the method that contains them. The default is false. */
void filter_list_set_lambda(struct filter_list *l, bool lambda);

/*
 * The filters that select (not exclude), of all lists: their number; the text of each, as a user would type it,
 * owned by the list; and its kind.
 */
size_t filter_list_size(const struct filter_list *l);
const char *filter_list_text(const struct filter_list *l, size_t i);
enum filter_kind filter_list_kind(const struct filter_list *l, size_t i);

/* The number of filters that select for one list (FILTER_TRACE, FILTER_TIMING, FILTER_ROOT, FILTER_UNTIL). */
size_t filter_list_count(const struct filter_list *l, enum filter_kind kind);

/*
 * The shortest duration of a call that some filter of FILTER_TRACE records; `otherwise` is the recording's threshold,
 * for filters without one of their own. UINT64_MAX: no filter records.
 */
uint64_t filter_list_threshold(const struct filter_list *l, uint64_t otherwise);

/* False if no method can be selected by both lists for tracing. What names cannot tell counts as true. */
bool filter_lists_meet(const struct filter_list *a, const struct filter_list *b);

/* Compile the list. *program is allocated with malloc() and owned by the caller. Returns 0 or -errno. */
int filter_list_compile(const struct filter_list *l, void **program, size_t *size, struct diag *d);

#endif
