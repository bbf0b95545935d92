/* SPDX-License-Identifier: BSD-2-Clause */
/* Implements `frtrace view`. */
#ifndef USER_VERBS_VIEW_H
#define USER_VERBS_VIEW_H

#include "format/diag.h"
#include "user/verbs/verb_args.h"

/* frtrace view [OPTIONS] NAME FILE. Returns an exit status, or -errno with the message. */
int cmd_view(const struct verb_args *a, struct diag *d);

#endif
