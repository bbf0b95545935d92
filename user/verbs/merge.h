/* SPDX-License-Identifier: BSD-2-Clause */
/* Implements `frtrace merge`: merges simultaneous recordings into one. */
#ifndef USER_VERBS_MERGE_H
#define USER_VERBS_MERGE_H

#include "format/diag.h"
#include "user/verbs/verb_args.h"

/* Returns an exit status, or -errno with the message. */
int cmd_merge(const struct verb_args *a, struct diag *d);

#endif
