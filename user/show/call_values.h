/* SPDX-License-Identifier: BSD-2-Clause */
/* The values of -e that a recorded call has, for what is printed while a recording runs. */
#ifndef USER_SHOW_CALL_VALUES_H
#define USER_SHOW_CALL_VALUES_H

#include "user/export/otlp.h"
#include "user/record/recorder.h"

bool call_value_is_missing(enum plan_kind kind, const struct jfr_user_value *v);

/* Append a value as otlp_put_value() takes it. Returns what the text is. */
enum otlp_kind call_value_put(struct bytes *out, enum plan_kind kind, const struct jfr_user_value *v);

/*
 * The values of a call that was just recorded: id=7 user="x" some=null, or as an object of JSON. The text may have any
 * characters. NULL: it has none, or there is no memory. The caller frees it.
 */
char *call_values_text(const struct recorded_call *call, bool json);

#endif
