/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Prepares a filter that asks for more than a call by itself: which calls have one inside them that has the value
 * (value_filter.h), and which waits are in calls that pass?
 */
#ifndef USER_TRACE_CALL_SCOPE_H
#define USER_TRACE_CALL_SCOPE_H

#include "user/trace/trace.h"

/*
 * Reads the file for what the filter needs to know: not at all if it has no condition on a value, and for SCOPE_WAITS no
 * methods. `type`: calls are the events of this type; NULL: the usual ones. 0, or -errno: no call has such a field.
 */
int call_scope_prepare(struct call_filter *f, enum call_scope scope, const char *type, const struct jfr_file *file,
		       struct diag *d);

#endif
