/* SPDX-License-Identifier: BSD-2-Clause */
/* `frtrace report`: a page that shows a recording. */
#ifndef USER_VERBS_REPORT_H
#define USER_VERBS_REPORT_H

#include "format/diag.h"
#include "user/verbs/verb_args.h"

int cmd_report(const struct verb_args *a, struct diag *d);

/*
 * The same for what `path` has, a recording or a directory of them, when it is complete. `to`: the page, NULL: beside it.
 * An exit status, or -errno with the message.
 */
int report_recording(const char *path, const char *to, struct diag *d);

#endif
