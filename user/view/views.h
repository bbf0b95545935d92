/* SPDX-License-Identifier: BSD-2-Clause */
/* What `frtrace view NAME` shows of a recording. */
#ifndef USER_VIEW_VIEWS_H
#define USER_VIEW_VIEWS_H

#include "user/view/call_iter.h"
#include "user/view/table.h"

struct view {
	const char *name;
	const char *help;    /* one line */
	const char *no_json; /* it is no table; what to do instead */
	/* Append it to `out`. 0 or -ENOMEM; faults are in file->fault. */
	int (*show)(struct jfr_file *file, const struct table_layout *layout, struct bytes *out);
};

/* All of them; the last one has no name. */
extern const struct view views[];

/* One source file each. */
int view_timing(struct jfr_file *file, const struct table_layout *layout, struct bytes *out);
int view_methods(struct jfr_file *file, const struct table_layout *layout, struct bytes *out);
int view_calls(struct jfr_file *file, const struct table_layout *layout, struct bytes *out);
int view_slowest(struct jfr_file *file, const struct table_layout *layout, struct bytes *out);
int view_open(struct jfr_file *file, const struct table_layout *layout, struct bytes *out);
int view_waits(struct jfr_file *file, const struct table_layout *layout, struct bytes *out);
int view_latency(struct jfr_file *file, const struct table_layout *layout, struct bytes *out);
int view_callers(struct jfr_file *file, const struct table_layout *layout, struct bytes *out);

/* A method (VALUE_KEY or resolved) as a string to be freed: "a.b.C.m(int)"; "N/A". NULL: no memory. */
char *view_method(struct jfr_chunk *chunk, struct jfr_value method);

/* "1,234,567" */
void view_count(struct bytes *out, uint64_t n);

/* "0.125000 ms", as the JDK's views of methods have it; "20.5 ms". */
void view_exact_time(struct bytes *out, int64_t nanos);
void view_time(struct bytes *out, int64_t nanos);

#endif
