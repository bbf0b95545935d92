/* SPDX-License-Identifier: BSD-2-Clause */
/* Which fields the calls of a recording can be selected and told apart by, as far as its descriptions of types say. */
#ifndef USER_TRACE_CALL_FIELDS_H
#define USER_TRACE_CALL_FIELDS_H

#include "format/jfr/jfr_read.h"

/*
 * True if an event that is a call, or that -e made about one, has the field. Else append what is near (near_put()) of all
 * these fields. If none is, those of -e are listed, or all of `type`. `type`: look at this one alone; NULL: at all.
 */
bool call_fields_have(const struct jfr_file *file, const char *type, const char *field, struct bytes *near);

#endif
