/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef USER_VERBS_CHECK_H
#define USER_VERBS_CHECK_H

#include "format/diag.h"
#include "user/options/settings.h"

/*
 * Say on stdout what this kernel, these rights and (settings->target, may be NULL) that JVM allow, what is
 * missing, and for what. Changes nothing, neither here nor in the JVM. An exit status: EXIT_FAILED
 * when it cannot be traced; -errno with the message: there is no such JVM.
 */
int cmd_check(const struct settings *settings, struct diag *d);

#endif
