/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A method that is on a stack while its class is rewritten stays in the
 * interpreter until it returns. The thread dump tells which these are, before
 * anything is done.
 */
#ifndef USER_ACTIVE_H
#define USER_ACTIVE_H

#include "user/settings.h"
#include "user/target/process.h"

/* Name them on stderr; with --skip-active exclude their classes. A JVM that gives no dump is only noted. */
void active_report(const struct target *t, struct settings *settings);

#endif
