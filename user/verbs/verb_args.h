/* SPDX-License-Identifier: BSD-2-Clause */
/* Arguments of the verbs that read files or control a background recording. */
#ifndef USER_VERBS_VERB_ARGS_H
#define USER_VERBS_VERB_ARGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum verb_sort {
	SORT_DEFAULT = 0, /* not given: total */
	SORT_TOTAL,
	SORT_SELF,
};

enum verb_weight {
	WEIGHT_DEFAULT = 0, /* not given: calls */
	WEIGHT_CALLS,
	WEIGHT_TIME,
};

enum verb_truncate {
	TRUNCATE_END = 0,
	TRUNCATE_BEGINNING,
};

/* Strings point into argv; NULL if not given. The array of operands is malloc'ed. */
struct verb_args {
	const char **operand;
	size_t operands, capacity;
	const char *output, *page;
	uint64_t last_ns; /* for `dump`; 0: everything */
	const char *events, *categories;
	uint64_t stack_depth;	     /* maximum frames that `print` shows */
	uint64_t width;		     /* of a table; 0: that of the terminal */
	uint64_t cell_height;	     /* maximum lines per cell */
	enum verb_truncate truncate; /* which end of a long text is cut */
	enum verb_weight weight;
	enum verb_sort sort;
	const char *thread;	 /* a pattern */
	const char *from, *to;	 /* times of day */
	const char *where;	 /* a condition on a value */
	const char *mapping;	 /* a file with the original names of the program */
	uint64_t slower_ns, top; /* 0: not given */
	uint64_t depth;		 /* levels of a tree; 0: all */
	uint32_t min_share;	 /* percent; 0: no limit */
	bool methods, min_given; /* a filter was given; --min was */
	bool merged;
	bool verbose;	     /* view: whole stacks */
	const char *by;	     /* a field, or which table */
	const char *context; /* names of events */
	bool json, exact, samples, collapsed, perfetto, pprof, otlp, csv, jdk;
	bool normalize; /* names in an export without what differs from run to run */
};

#endif
