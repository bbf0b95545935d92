/* SPDX-License-Identifier: BSD-2-Clause */
/* frtrace merge: recordings of one time, as one. */
#ifndef USER_VERBS_MERGE_H
#define USER_VERBS_MERGE_H

#include "format/diag.h"
#include "user/verbs/verb_args.h"

/* An exit status, or -errno with the message. */
int cmd_merge(const struct verb_args *a, struct diag *d);

#endif
