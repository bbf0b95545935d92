/* SPDX-License-Identifier: BSD-2-Clause */
/* Implements `frtrace view`. */
#ifndef USER_VERBS_VIEW_H
#define USER_VERBS_VIEW_H

#include "filters/filter_list.h"
#include "user/compare/condition.h"
#include "user/verbs/verb_args.h"

/* frtrace view [OPTIONS] NAME FILE; `methods`: those of --method. Returns an exit status, or -errno with the message. */
int cmd_view(const struct verb_args *a, struct filter_list *methods, const struct condition_list *conditions,
	     struct diag *d);

#endif
