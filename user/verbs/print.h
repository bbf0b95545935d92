/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef USER_VERBS_PRINT_H
#define USER_VERBS_PRINT_H

#include "format/diag.h"

/* `frtrace print [OPTIONS] FILE`: argv are the words behind the verb. An exit status, or -errno with the message. */
int cmd_print(int argc, char **argv, struct diag *d);

#endif
