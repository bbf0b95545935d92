/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The commands of collectors (struct frt_command): recordings begin and end. The thread that executes them restores the
 * JVM, too, when a collector is gone.
 */
#ifndef AGENT_COMMANDS_H
#define AGENT_COMMANDS_H

#include <jni.h>
#include <jvmti.h>

/* The agent's thread, which lives as long as the JVM. Without a recording it sleeps until a command arrives. */
void JNICALL commands_serve(jvmtiEnv *jvmti, JNIEnv *env, void *unused);

#endif
