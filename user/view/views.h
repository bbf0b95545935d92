/* SPDX-License-Identifier: BSD-2-Clause */
/* The views of `frtrace view NAME`. */
#ifndef USER_VIEW_VIEWS_H
#define USER_VIEW_VIEWS_H

#include "user/view/call_iter.h"
#include "user/view/table.h"

struct view {
	const char *name;
	const char *help;    /* one line */
	const char *no_json; /* why there is no JSON and what to use instead; NULL: --json works */
	/* Append the view to `out`. 0 or -ENOMEM; read errors are in file->fault. */
	int (*show)(struct jfr_file *file, const struct table_layout *layout, struct bytes *out);
};

/* Ends with an entry without a name. */
extern const struct view views[];

int view_timing(struct jfr_file *file, const struct table_layout *layout, struct bytes *out);
int view_methods(struct jfr_file *file, const struct table_layout *layout, struct bytes *out);
int view_calls(struct jfr_file *file, const struct table_layout *layout, struct bytes *out);
int view_slowest(struct jfr_file *file, const struct table_layout *layout, struct bytes *out);
int view_open(struct jfr_file *file, const struct table_layout *layout, struct bytes *out);
int view_waits(struct jfr_file *file, const struct table_layout *layout, struct bytes *out);
int view_latency(struct jfr_file *file, const struct table_layout *layout, struct bytes *out);
int view_callers(struct jfr_file *file, const struct table_layout *layout, struct bytes *out);

/*
 * A method (VALUE_KEY or resolved) as a string: "a.b.C.m(int)"; "N/A" if unknown. Free it with free(). NULL: no memory.
 */
char *view_method(struct jfr_chunk *chunk, struct jfr_value method);

/* "1,234,567" */
void view_count(struct bytes *out, uint64_t n);

/* "0.125000 ms", the format of the JDK's method views, and "20.5 ms". */
void view_exact_time(struct bytes *out, int64_t nanos);
void view_time(struct bytes *out, int64_t nanos);

#endif
