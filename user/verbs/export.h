/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef USER_VERBS_EXPORT_H
#define USER_VERBS_EXPORT_H

#include "format/diag.h"

/* frtrace export --collapsed [--weight calls|time] | --chrome | --csv FILE: an exit status, or -errno with the message. */
int cmd_export(int argc, char **argv, struct diag *d);

#endif
