/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The values that calls have by -e: fields of events of the user's own types, between the stack and the method.
 *
 * Such an event stands for its call (@frtrace.Calls), or the call is recorded as jdk.MethodTrace, too. Then its events of
 * -e lie directly before it in the file, each with its thread and times.
 */
#ifndef USER_TRACE_USER_VALUES_H
#define USER_TRACE_USER_VALUES_H

#include "user/trace/call.h"

/* Events in a row about one call. Zeroed: none. */
struct user_values_row {
	uint64_t at; /* offset in the chunk of the first one */
	uint64_t count;
	struct jfr_value thread;
	int64_t start, duration;
};

/* True if events of this type are of -e. Their values are the fields from the first on, without the end. */
bool user_values_type(const struct meta_type *t);
uint32_t user_values_first(const struct meta_type *t);
uint32_t user_values_end(const struct meta_type *t); /* for any other type no field has values */

/* Take an event into account that is no call. */
void user_values_note(struct user_values_row *row, struct jfr_chunk *chunk, const struct jfr_event *e);

/* Give the call its values, if those before it or its own event have some. The row is empty then. */
void user_values_take(struct user_values_row *row, struct call *call);

/* Each event begins with a visit without a field. `v` is resolved. */
typedef void user_value_visit(const struct meta_type *event, const struct meta_field *f, struct jfr_value *v,
			      void *context);

/* Visit all values of a call whose chunk is still there. */
void user_values_each(const struct call *call, user_value_visit *visit, void *context);

/*
 * Events whose fields have a meaning that readers know: http.Request, sql.Statement and others, as presets record them.
 */

/* Does the call ask another service, or the disk? */
bool user_values_asks(const struct call *call);

/* Is this value of a field, which is resolved, part of its call's title? */
bool user_values_titles(const struct meta_type *event, const struct meta_field *f, const struct jfr_value *v);

/*
 * Append what the call is, in a line: "GET /checkout/17", "select name from item where id = ?". False: it has no such event, or
 * nothing of it is known.
 */
bool user_values_put_title(struct bytes *out, const struct call *call);

/* The same with an asterisk for each part of a path that is a decimal number, or 8 or more hexadecimal digits with "-". */
bool user_values_put_place(struct bytes *out, const struct call *call);

/* Events of presets, and the field by which they are summed up; the last one has no event. */
extern const struct user_values_group {
	const char *event, *by;
} user_values_groups[];

/*
 * The attribute of OpenTelemetry's semantic conventions that the field of an event is: "db.query.text". NULL: it is none.
 */
const char *user_values_attribute(const char *event, const char *field);

#endif
