/* SPDX-License-Identifier: BSD-2-Clause */
/* frtrace merge: recordings of one time, as one. */
#ifndef USER_VERBS_MERGE_H
#define USER_VERBS_MERGE_H

#include "format/diag.h"

/* The words behind "merge". An exit status, or -errno with the message. */
int cmd_merge(int argc, char **argv, struct diag *d);

#endif
