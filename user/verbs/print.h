/* SPDX-License-Identifier: BSD-2-Clause */
/* Implements `frtrace print`. */
#ifndef USER_VERBS_PRINT_H
#define USER_VERBS_PRINT_H

#include "format/diag.h"
#include "user/verbs/verb_args.h"

/* frtrace print [OPTIONS] FILE. Returns an exit status, or -errno with the message. */
int cmd_print(const struct verb_args *a, struct diag *d);

#endif
