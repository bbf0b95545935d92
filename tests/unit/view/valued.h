/* SPDX-License-Identifier: BSD-2-Clause */
/* A recording with calls that have values by -e. */
#ifndef TESTS_UNIT_VIEW_VALUED_H
#define TESTS_UNIT_VIEW_VALUED_H

#include "tests/unit/view/shown.h"

#include <errno.h>

enum { QUERY, AUDIT, REQUEST, STATEMENT };

static const struct jfr_user_field query_fields[] = {{.name = "sql", .type = JFR_STRING},
						     {.name = "rows", .type = JFR_INT}};
static const struct jfr_user_field audit_fields[] = {{.name = "who", .type = JFR_STRING}};
static const struct jfr_user_field request_fields[] = {{.name = "httpMethod", .type = JFR_STRING},
						       {.name = "url", .type = JFR_STRING},
						       {.name = "status", .type = JFR_LONG}};
static const struct jfr_user_field statement_fields[] = {{.name = "sql", .type = JFR_STRING}};
static const struct jfr_user_type user_types[] = {
	{.name = "db.Query", .field = query_fields, .fields = 2, .calls = true},
	{.name = "db.Audit", .field = audit_fields, .fields = 1},
	{.name = "http.Request", .field = request_fields, .fields = 3, .calls = true},
	{.name = "sql.Statement", .field = statement_fields, .fields = 1, .calls = true},
};

static inline int setup_users_until(void **state, bool until)
{
	const struct jfr_origin origin = {.start_ticks = T0,
					  .start_nanos = NANOS,
					  .locale = "en_US",
					  .kernel = JFR_KERNEL_WAITS,
					  .until = until,
					  .user = user_types,
					  .users = 4};

	setup(state);
	jfr_writer_free(r.w);
	assert_int_equal(jfr_writer_new(&r.w, &origin, &diag), 0);
	recording_begin(&r);
	return 0;
}

static inline int setup_users(void **state)
{
	return setup_users_until(state, false);
}

/* Times in ms from T0. */
static inline struct jfr_method_trace call_of(uint64_t thread, const char *name, int64_t from, int64_t to)
{
	return (struct jfr_method_trace){.start = T0 + from * MS,
					 .duration = (to - from) * MS,
					 .thread = recording_thread(&r, thread),
					 .method = recording_method(&r, name),
					 .cpu = (to - from) * MS};
}

static inline struct jfr_user_value text_of(const char *text)
{
	return text ? (struct jfr_user_value){.text = text, .length = strlen(text)}
		    : (struct jfr_user_value){.null = true};
}

static inline void call(uint64_t thread, const char *name, int64_t from, int64_t to)
{
	struct jfr_method_trace call = call_of(thread, name, from, to);

	jfr_method_trace(r.w, &call);
}

/* An event that stands for its call. */
static inline void query(const char *sql, int rows, int64_t from, int64_t to)
{
	struct jfr_method_trace call = call_of(1, "query", from, to);

	jfr_user_event(r.w, QUERY, &call, (struct jfr_user_value[]){text_of(sql), {.number = rows}});
}

/* One beside its call, which the caller records. */
static inline void audit(uint64_t thread, const char *name, const char *who, int64_t from, int64_t to)
{
	struct jfr_method_trace call = call_of(thread, name, from, to);

	jfr_user_event(r.w, AUDIT, &call, (struct jfr_user_value[]){text_of(who)});
}

/* As presets record them. */
static inline void http_request(const char *url, int64_t from, int64_t to)
{
	struct jfr_method_trace call = call_of(1, "handle", from, to);

	jfr_user_event(r.w, REQUEST, &call, (struct jfr_user_value[]){text_of("GET"), text_of(url), {.number = 200}});
}

static inline void statement(const char *sql, int64_t from, int64_t to)
{
	struct jfr_method_trace call = call_of(1, "execute", from, to);

	jfr_user_event(r.w, STATEMENT, &call, (struct jfr_user_value[]){text_of(sql)});
}

static inline void request_with_queries(void)
{
	query("select a", 1, 10, 12);
	query("select b", 2, 20, 80);
	query("select a", 3, 85, 89);
	query(NULL, INT32_MIN, 90, 93);
	call(1, "serve", 0, 100);
}

#endif
