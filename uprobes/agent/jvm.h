/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef AGENT_JVM_H
#define AGENT_JVM_H

#include <jni.h>
#include <jvmti.h>

/* The agent's environment in the JVM, since it was loaded. */
extern jvmtiEnv *jvmti;

#endif
