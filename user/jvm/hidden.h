/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Methods that HotSpot hides from stack traces though their class is an
 * ordinary one: those with @Hidden in java.base. The resolver reads it off the
 * method; JVMTI does not tell it, so for what the agent named it is known here.
 */
#ifndef USER_JVM_HIDDEN_H
#define USER_JVM_HIDDEN_H

#include <stdbool.h>

/* Is a method of a class of the boot loader hidden? Names and descriptor as in JVMS 4.2 and 4.3. */
bool hidden_method(const char *class_name, const char *name, const char *descriptor);

#endif
