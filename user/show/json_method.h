/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints a method of the control segment as members of the open JSON object. */
#ifndef USER_SHOW_JSON_METHOD_H
#define USER_SHOW_JSON_METHOD_H

#include "user/text/json.h"
#include "user/segment/segment.h"

/* "class": com.acme.Cart, "method": checkout, "descriptor" (JVMS 4.3.3), "loader". */
void json_method(struct json *j, const struct segment *s, uint32_t id);

#endif
