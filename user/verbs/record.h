/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef USER_VERBS_RECORD_H
#define USER_VERBS_RECORD_H

#include "format/diag.h"
#include "user/options/settings.h"

/* Trace a running JVM until something ends it. -errno with the message, or an enum exit_status. */
int cmd_record(struct settings *settings, struct diag *d);

#endif
