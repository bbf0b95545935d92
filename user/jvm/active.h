/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A method that is on a stack while its class is rewritten stays in the
 * interpreter until it returns. The thread dump tells which these are, before
 * anything is done.
 */
#ifndef USER_JVM_ACTIVE_H
#define USER_JVM_ACTIVE_H

#include "user/options/settings.h"
#include "user/process/find.h"

/*
 * Name them on stderr; with --skip-active exclude their classes. Which these are the JVM's memory tells
 * (user/jvm/matches.h), and of several overloads the line that the frame stands at; where it cannot be read, their names.
 */
void active_report(const char *thread_dump, const struct target *t, struct settings *settings);

#endif
