/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef USER_VERBS_RECOVER_H
#define USER_VERBS_RECOVER_H

#include "format/diag.h"
#include "user/verbs/verb_args.h"

/*
 * frtrace recover [-o OUT] FILE: cut what is behind the last whole chunk, and finish a chunk of which a part was
 * flushed. An exit status, or -errno with the message; the file is then as it was.
 */
int cmd_recover(const struct verb_args *a, struct diag *d);

#endif
