/* SPDX-License-Identifier: BSD-2-Clause */
/* Requests and replies of the attach protocol, version 1, which every HotSpot from 8 to 28 supports. */
#ifndef USER_PROCESS_ATTACH_REPLY_H
#define USER_PROCESS_ATTACH_REPLY_H

#include "format/diag.h"

#include <stddef.h>

#define ATTACH_ARGUMENTS   3
#define ATTACH_ARGUMENT	   1024 /* HotSpot's maximum, without the 0 */
#define ATTACH_REQUEST_MAX (2 + 17 + ATTACH_ARGUMENTS * (ATTACH_ARGUMENT + 1))

/* Write "1" 0 command 0 argument 0 argument 0 argument 0. Returns its length, or -errno if there is too much. */
int attach_request_write(const char *command, const char *const *arguments, char out[ATTACH_REQUEST_MAX],
			 struct diag *d);

/* Take the code from the reply's first line and move the rest to the front of `text`. Returns 0 or -EPROTO. */
int attach_reply_parse(char *text, size_t *length, int *code, struct diag *d);

/*
 * The return value of Agent_OnAttach, from the reply to `load`. Returns -EIO with the JVM's text if it was never
 * called.
 */
int attach_load_parse(int code, const char *text, int *result, struct diag *d);

#endif
