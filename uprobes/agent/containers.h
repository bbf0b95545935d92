/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The virtual threads of the JVM. JVMTI has no list of them; the JDK's own
 * thread dump goes by jdk.internal.vm.ThreadContainers, and so do we. Threads that were started
 * without an executor are there unless the JVM runs with -Djdk.trackAllThreads=false.
 */
#ifndef AGENT_CONTAINERS_H
#define AGENT_CONTAINERS_H

#include <jni.h>
#include <stdbool.h>

/*
 * Show each thread of each container, platform threads too, until `see` says false. Nothing on a JDK without
 * such containers. Runs Java code of the JDK, none of the program's. References that `see` gets end with it.
 */
void containers_each(JNIEnv *env, bool (*visit)(void *context, jobject thread), void *context);

#endif
