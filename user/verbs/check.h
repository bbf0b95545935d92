/* SPDX-License-Identifier: BSD-2-Clause */
/* Implements `frtrace check`. */
#ifndef USER_VERBS_CHECK_H
#define USER_VERBS_CHECK_H

#include "format/diag.h"
#include "user/options/settings.h"

/*
 * Print on stdout what this kernel, the caller's privileges and the JVM settings->target (may be NULL) allow, what is
 * missing, and which features that affects. Changes nothing on the machine or in the JVM. Returns an exit status,
 * EXIT_FAILED if tracing is impossible; -errno with the message if there is no such JVM.
 */
int cmd_check(const struct settings *settings, struct diag *d);

#endif
