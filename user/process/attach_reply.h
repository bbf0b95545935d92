/* SPDX-License-Identifier: BSD-2-Clause */
/* The words of the attach protocol, version 1, which every HotSpot from 8 to 28 speaks. */
#ifndef USER_PROCESS_ATTACH_REPLY_H
#define USER_PROCESS_ATTACH_REPLY_H

#include "format/diag.h"

#include <stddef.h>

#define ATTACH_ARGUMENTS   3
#define ATTACH_ARGUMENT	   1024 /* longest that HotSpot takes, without the 0 */
#define ATTACH_REQUEST_MAX (2 + 17 + ATTACH_ARGUMENTS * (ATTACH_ARGUMENT + 1))

/* "1" 0 command 0 argument 0 argument 0 argument 0. Its length, or -errno when something is too long or too many. */
int attach_request_write(const char *command, const char *const *arguments, char out[ATTACH_REQUEST_MAX],
			 struct diag *d);

/* Take the code from the reply's first line; the rest is moved to the front of `text`. 0, or -EPROTO. */
int attach_reply_parse(char *text, size_t *length, int *code, struct diag *d);

/* What Agent_OnAttach returned, from the reply to `load`. Where it was never called: -EIO, and the JVM's words. */
int attach_load_parse(int code, const char *text, int *result, struct diag *d);

#endif
