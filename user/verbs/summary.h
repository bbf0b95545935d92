/* SPDX-License-Identifier: BSD-2-Clause */
/* Implements `frtrace summary`. */
#ifndef USER_VERBS_SUMMARY_H
#define USER_VERBS_SUMMARY_H

#include "format/diag.h"
#include "user/verbs/verb_args.h"

/* frtrace summary FILE. Returns an exit status, or -errno with the message. */
int cmd_summary(const struct verb_args *a, struct diag *d);

#endif
