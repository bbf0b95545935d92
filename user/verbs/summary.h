/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef USER_VERBS_SUMMARY_H
#define USER_VERBS_SUMMARY_H

#include "format/diag.h"

/* `frtrace summary FILE`: argv are the words behind the verb. An exit status, or -errno with the message. */
int cmd_summary(int argc, char **argv, struct diag *d);

#endif
