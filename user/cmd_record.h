/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef USER_CMD_RECORD_H
#define USER_CMD_RECORD_H

#include "format/diag.h"
#include "user/settings.h"

/* Exit statuses of the command line contract. */
enum exit_status { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_INCOMPLETE = 3 };

/* Trace a running JVM until something ends it. -errno with the message, or an exit status. */
int cmd_record(struct settings *settings, struct diag *d);

#endif
