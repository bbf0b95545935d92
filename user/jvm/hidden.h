/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Methods of ordinary classes that HotSpot hides from stack traces: those with @Hidden in java.base. The resolver
 * reads the flag from the method. JVMTI does not report it, so this table serves frames that the agent has named.
 */
#ifndef USER_JVM_HIDDEN_H
#define USER_JVM_HIDDEN_H

#include <stdbool.h>

/* True if a method of a boot loader class is hidden. Names and descriptor as in JVMS 4.2 and 4.3. */
bool hidden_method(const char *class_name, const char *name, const char *descriptor);

#endif
