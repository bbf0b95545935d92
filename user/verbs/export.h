/* SPDX-License-Identifier: BSD-2-Clause */
/* Implements `frtrace export`. */
#ifndef USER_VERBS_EXPORT_H
#define USER_VERBS_EXPORT_H

#include "format/diag.h"
#include "user/verbs/verb_args.h"

/*
 * frtrace export --collapsed [--weight calls|time] | --perfetto | --pprof | --otlp | --chrome | --csv | --jdk FILE. Returns an exit
 * status, or -errno with the message.
 */
int cmd_export(const struct verb_args *a, struct diag *d);

#endif
