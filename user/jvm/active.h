/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reports active methods. A method that is on a stack while its class is rewritten stays in the interpreter until
 * it returns. The thread dump shows these methods before anything is changed.
 */
#ifndef USER_JVM_ACTIVE_H
#define USER_JVM_ACTIVE_H

#include "user/options/settings.h"
#include "user/process/find.h"

/*
 * Print the active methods to stderr; with --skip-active exclude their classes. The JVM's memory tells which
 * methods match (user/jvm/matches.h), and the line of the frame tells overloads apart; if the memory is
 * unreadable, names decide.
 */
void active_report(const char *thread_dump, const struct target *t, struct settings *settings);

#endif
