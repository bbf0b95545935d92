/* SPDX-License-Identifier: BSD-2-Clause */
/* Implements `frtrace recover`. */
#ifndef USER_VERBS_RECOVER_H
#define USER_VERBS_RECOVER_H

#include "format/diag.h"
#include "user/verbs/verb_args.h"

/*
 * frtrace recover [-o OUT] FILE: truncate the file after its last whole chunk, and finish a chunk that was only partly
 * flushed. Returns an exit status, or -errno with the message; the file is then unchanged.
 */
int cmd_recover(const struct verb_args *a, struct diag *d);

#endif
