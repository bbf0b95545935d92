/* SPDX-License-Identifier: BSD-2-Clause */
/* Implements the verbs that control a background recording. */
#ifndef USER_VERBS_CONTROL_H
#define USER_VERBS_CONTROL_H

#include "format/diag.h"
#include "user/verbs/verb_args.h"

/*
 * frtrace status [TARGET] | dump [TARGET] -o FILE [--last TIME] | stop [TARGET]. Each returns an exit status, or -errno
 * with the message.
 */
int cmd_status(const struct verb_args *a, struct diag *d);
int cmd_dump(const struct verb_args *a, struct diag *d);
int cmd_stop(const struct verb_args *a, struct diag *d);

#endif
