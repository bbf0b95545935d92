/* SPDX-License-Identifier: BSD-2-Clause */
/* The views of `frtrace view NAME`. */
#ifndef USER_VIEW_VIEWS_H
#define USER_VIEW_VIEWS_H

#include "user/trace/call_scope.h"
#include "user/trace/outermost.h"
#include "user/print/table.h"

struct view_request {
	struct table_layout layout;
	struct call_filter *filter;
	uint64_t top;	    /* rows at most; 0: as many as the view shows by itself */
	uint64_t depth;	    /* levels of a tree at most; 0: all */
	uint32_t min_share; /* omit branches of a tree with less than this percentage of the calls, or of the time */
	bool merged;	    /* tree, path: one for each method, not for each call */
	bool whole;	    /* stacks with all their frames */
	const char *event;  /* the type whose events are shown; NULL: list the types */
	const char *by;	    /* events, tree: group them by this field; waits: only this table; NULL: neither */
	bool by_self;	    /* the rows with most self time first */
	int64_t utc_offset; /* of the recording, in seconds; set by view_show() */
	const struct outermost *calls; /* of view_slowest_rows */
	struct diag *diag;
};

/* Which parts of a request a view follows, besides the layout. */
enum view_option {
	VIEW_METHODS = 1, /* filters by method */
	VIEW_CALLS = 2,	  /* the other filters */
	VIEW_TREE = 4,	  /* depth and min_share */
	VIEW_MERGES = 8,  /* merged */
	VIEW_BY = 16,	  /* by */
	VIEW_EVENTS = 32, /* event */
	VIEW_STACKS = 64, /* whole */
	VIEW_SORTS = 128, /* by_self */
	VIEW_SPLIT = 256, /* by: a field of calls, or BY_CLASS */
};

#define BY_CLASS \
	"class-name" /* as `by`: classes of one name are one, whatever their loaders; no field has such a name */

/* A view that needs one pass over the recording, or more. */
struct view_pass {
	size_t size;	      /* of its state, which is zeroed first */
	struct trace_ops ops; /* with the state */
	/* Before each further pass, which is not filtered; false: none is needed. NULL: there is none. At most two in the page. */
	bool (*between)(void *state);
	struct trace_ops again; /* in them */
	int (*check)(
		const struct view_request *request); /* 0, or -errno with the message in request->diag; may be NULL */
	void (*begin)(void *state, const struct view_request *request); /* may be NULL */
	void (*put)(void *state, const struct view_request *request, struct bytes *out);
	void (*release)(void *state);
};

struct view {
	const char *name;
	const char *help;      /* one line */
	const char *no_json;   /* why there is no JSON and what to use instead; NULL: --json works */
	unsigned int takes;    /* enum view_option */
	enum call_scope scope; /* of a filter by value, and of waits; `events` looks at its own type alone */
	const struct view_pass *pass;
	/* Instead: append the view to `out`. 0, or -errno with the message in request->diag; read errors are in file->fault. */
	int (*show)(struct jfr_file *file, const struct view_request *request, struct bytes *out);
};

/* Ends with an entry without a name. */
extern const struct view views[];

/* NULL: there is none of that name. */
const struct view *view_find(const char *name);

/* Append a view: 0 or -errno, as `show`. */
int view_show(const struct view *view, struct jfr_file *file, const struct view_request *request, struct bytes *out);

extern const struct view_pass view_timing, view_methods, view_calls, view_waits, view_latency, view_callers, view_open,
	view_tasks, view_hot, view_path;

/* The table of `slowest` for those of request->calls, where they are known already. */
extern const struct view_pass view_slowest_rows;

/* True if `by` is one of the tables of `waits`; else it is a field. */
bool view_waits_have_table(const char *by);

/* Append what tables are near (near_put()); nothing if none is. */
void view_waits_put_near(struct bytes *out, const char *by);

int view_slowest(struct jfr_file *file, const struct view_request *request, struct bytes *out);
int view_tree(struct jfr_file *file, const struct view_request *request, struct bytes *out);
int view_request_by(struct jfr_file *file, const struct view_request *request, struct bytes *out);
int view_events(struct jfr_file *file, const struct view_request *request, struct bytes *out);

/* The field that request->by names, NULL if it is BY_CLASS or NULL. */
const char *view_by_field(const struct view_request *request);

/* A check() of views that know BY_CLASS only. */
int view_check_by_class(const struct view_request *request);

/* -EINVAL: no call has the field request->by; what is near is named. */
int view_refuse_by(const struct jfr_file *file, const struct view_request *request);

/* Append a table with the rows that the request shows, of `rows`, and release it. */
void view_put_table(struct table *table, size_t rows, const struct view_request *request, struct bytes *out);

/* "1,234,567", "20.5 ms": log_count() and log_time(). */
void view_count(struct bytes *out, uint64_t n);
void view_time(struct bytes *out, int64_t nanos);

/* "and 3 more methods": those that are not shown, if there are any. */
void view_put_more(struct bytes *out, uint64_t count, uint64_t shown, const char *noun);

/* Append a moment, in ns since the epoch, as "20:08:35.749", in the time zone of the recording. */
void view_put_time_of_day(struct bytes *out, int64_t moment, int64_t utc_offset);

/* Complete a cell: a moment in ISO 8601 in UTC. */
void view_put_iso(struct table *table, int64_t moment);

/*
 * Complete two cells: the call's start as "20:08:35.749", in the time zone of the recording, and in ISO 8601 in UTC for
 * JSON.
 */
void view_put_start(struct table *table, const struct call *call, int64_t utc_offset);

/* Complete a cell: for JSON the values that the call has by -e. */
void view_put_values(struct table *table, const struct call *call);

/* Complete a cell: put_method_or_none(). */
void view_put_method(struct table *table, struct jfr_chunk *chunk, struct jfr_value method);

#endif
