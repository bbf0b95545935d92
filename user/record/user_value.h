/* SPDX-License-Identifier: BSD-2-Clause */
/* A value of a call as the file has it, from the agent's records. Nothing in them is trusted. */
#ifndef USER_RECORD_USER_VALUE_H
#define USER_RECORD_USER_VALUE_H

#include "filters/plan.h"
#include "format/bytes.h"
#include "format/jfr/jfr_write.h"
#include "bpf/frtrace.h"

/*
 * Read the value that begins at f[0]; it may have several records. `text` gets its characters, and the value points into
 * it. A class is a constant of `w` or, if that is NULL, its name as text. Returns the number of records, at least 1.
 */
size_t user_value_read(struct jfr_user_value *v, enum plan_kind kind, const struct frt_field *f, size_t n,
		       struct bytes *text, struct jfr_writer *w);

/* What a value is missing of. */
struct value_absent {
	char class_name[256]; /* that has no such field; "": the method has no such value */
	char wanted[64];      /* the field; "": not told */
	char near[256];	      /* what near_names_print() says of those that the class has */
};

/* True if the value is missing because there is no such field. */
bool user_value_absent(const struct frt_field *f, size_t n, struct value_absent *out);

/* Set the ids of the call's distributed trace from its values; without them, `call` stays as it is. */
void user_value_trace(const struct frt_field *f, size_t n, struct jfr_method_trace *call);

/* FRT_FIELD_ALLOCATED or FRT_FIELD_REQUEST of the call; JFR_MISSING: it is not among the `n` values. */
int64_t user_value_number(const struct frt_field *f, size_t n, uint16_t number);

/* The class of the exception that ended the call, a key of the open chunk; 0: it is not among the `n` values. */
uint64_t user_value_thrown(const struct frt_field *f, size_t n, struct jfr_writer *w);

/* Its name, such as java.io.IOException, which is empty if it is unknown. */
void user_value_thrown_name(const struct frt_field *f, size_t n, char *out, size_t size);

/*
 * The difference of two values that were read as PLAN_TEXT: two numbers or two moments as Java prints them, a moment in
 * nanoseconds. `kind` is PLAN_LONG or PLAN_DOUBLE. Null if one is missing, they are something else, or it overflows.
 */
struct value_amount {
	enum { AMOUNT_NONE, AMOUNT_WHOLE, AMOUNT_DECIMAL, AMOUNT_MOMENT } form;
	int64_t whole; /* or ns since 1970 */
	double decimal;
};
struct value_amount user_value_amount(const struct jfr_user_value *v);
struct jfr_user_value user_value_difference(enum plan_kind kind, const struct value_amount *a,
					    const struct value_amount *b);

#endif
