/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A condition on a value of a call, FIELD OPERATOR VALUE without blanks:
 *
 *	id=132  id!=132  rows>100  wait<10ms  sql~select*orders
 *
 * FIELD is a field of the call's own event, or of those that -e made about it. A number is compared as the file has it, or
 * as a time if VALUE has a unit and the field is a span of time; a text is equal as a whole. '~': the value has VALUE in
 * it, where '*' stands for any characters. A missing value is equal to N/A and to nothing else.
 */
#ifndef USER_TRACE_VALUE_FILTER_H
#define USER_TRACE_VALUE_FILTER_H

#include "format/diag.h"
#include "user/trace/call.h"

/* Zeroed: no condition. */
struct value_filter {
	char *field; /* NULL: no condition */
	enum value_test { VALUE_EQUALS, VALUE_DIFFERS, VALUE_BELOW, VALUE_ABOVE, VALUE_MATCHES } test;
	char *wanted; /* for VALUE_MATCHES a pattern */
	bool is_number, is_time;
	long double number;
	uint64_t time_ns;
	struct jfr_metadata *metadata; /* that `place` is about */
	int *place;		       /* of the field, by index of the type; -1: the type has none */
};

/* 0 or -errno; release it in either case. */
int value_filter_parse(struct value_filter *f, const char *text, struct diag *d);
void value_filter_release(struct value_filter *f);

/* True if the condition holds for an event of the call, or if there is no condition. */
bool value_filter_has(struct value_filter *f, const struct call *call);

#endif
