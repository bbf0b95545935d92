/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The virtual threads of the JVM. JVMTI cannot list them. Like the JDK's own thread dump, this module uses
 * jdk.internal.vm.ThreadContainers. It includes threads that were started without an executor, unless the JVM runs
 * with -Djdk.trackAllThreads=false.
 */
#ifndef AGENT_CONTAINERS_H
#define AGENT_CONTAINERS_H

#include <jni.h>
#include <stdbool.h>

/*
 * Call `visit` for each thread of each container, platform threads included, until it returns false. Does nothing
 * on a JDK without thread containers. Runs Java code of the JDK, but none of the program. Local references that
 * `visit` creates are released when it returns.
 */
void containers_each(JNIEnv *env, bool (*visit)(void *context, jobject thread), void *context);

#endif
