/* SPDX-License-Identifier: BSD-2-Clause */
/* The values that a call has by -e, as text. */
#ifndef USER_PRINT_USER_VALUES_TEXT_H
#define USER_PRINT_USER_VALUES_TEXT_H

#include "user/trace/method_names.h"
#include "user/trace/user_values.h"

/*
 * Append `sql="select 1" n=5`, without line ends; nothing if the call has no values. `only`: the field, NULL: all. Those of events
 * that readers know (user/trace/user_values.h) begin with the title: `GET /checkout/17 status=200`.
 */
void user_values_put(struct bytes *out, const struct call *call, const char *only, int64_t utc_offset);

/* All values but those in the title. */
void user_values_put_rest(struct bytes *out, const struct call *call, int64_t utc_offset);

/*
 * Append the value of a field as TABLE_TYPED has it, of the first event about the call that has one: `#5`, `"select 1`.
 * Else of the call's own event, such as `thrown`; "traceId" is the id of its distributed trace. False: there is none, or it is
 * missing.
 */
bool user_values_put_typed(struct bytes *out, const struct call *call, const char *field);

/*
 * The number of the call's method or, if the call has a value of the field, of the method with that value, as above.
 * `field` NULL: none is wanted.
 */
uint32_t user_values_method(struct method_names *names, const struct call *call, const char *field);

/* Append {"db.Query":{"sql":"select 1","n":5}}; nothing if the call has no events of -e. */
void user_values_put_json(struct bytes *out, const struct call *call);

/* A line has `left` columns for a name and, behind it, these values: how many of them the name should leave. */
size_t user_values_share(struct bytes *values, size_t left);

/* Append a blank and values to a line that may have `width` columns, cut to fit; nothing if there is no room. */
void user_values_put_beside(struct bytes *out, struct bytes *values, size_t width);

/* Append a line of at most `width` columns with values; nothing if there are none. */
void user_values_put_line(struct bytes *out, struct bytes *values, size_t indent, size_t width);

/* The same with those of a call, without its title. */
void user_values_put_call(struct bytes *out, const struct call *call, int64_t utc_offset, size_t indent, size_t width);

#endif
