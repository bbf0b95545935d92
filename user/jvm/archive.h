/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * JVMs that write an AOT cache (JEP 483, 514) or a CDS archive (JEP 350). HotSpot marks each class that has ever been
 * redefined, leaves it out, and crashes while it assembles an AOT cache without some classes of the JDK. So they are not
 * traced. `jcmd VM.cds static_dump` is harmless: it loads the classes anew, in a JVM of its own.
 */
#ifndef USER_JVM_ARCHIVE_H
#define USER_JVM_ARCHIVE_H

#include "user/process/target.h"

/*
 * Returns 0: this JVM writes none, or -ENOTSUP with the reason: it does, at its end or when jcmd tells it to. A JVM that has
 * just been started may not have read its flags yet.
 */
int archive_check(const struct target *t, struct diag *why);

/* The same for a program to be started: what its words and the environment's say. */
int archive_check_program(char *const *argv, struct diag *why);

#endif
