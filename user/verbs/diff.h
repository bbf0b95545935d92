/* SPDX-License-Identifier: BSD-2-Clause */
/* Implements `frtrace diff`. */
#ifndef USER_VERBS_DIFF_H
#define USER_VERBS_DIFF_H

#include "format/diag.h"
#include "user/compare/condition.h"
#include "user/verbs/verb_args.h"

/* frtrace diff [--json | --collapsed] OLD NEW. Returns an exit status, or -errno with the message. */
int cmd_diff(const struct verb_args *a, struct filter_list *methods, const struct condition_list *conditions,
	     struct diag *d);

#endif
