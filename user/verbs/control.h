/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef USER_VERBS_CONTROL_H
#define USER_VERBS_CONTROL_H

#include "format/diag.h"

/* frtrace status [TARGET] | dump [TARGET] -o FILE [--last TIME] | stop [TARGET]: an exit status, or -errno with the message. */
int cmd_status(int argc, char **argv, struct diag *d);
int cmd_dump(int argc, char **argv, struct diag *d);
int cmd_stop(int argc, char **argv, struct diag *d);

#endif
