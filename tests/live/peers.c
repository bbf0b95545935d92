// SPDX-License-Identifier: BSD-2-Clause
/* The native methods of live.Peers: descriptors are replaced by others, without an end. */
#include <jni.h>
#include <stdbool.h>
#include <unistd.h>

static volatile bool stopped;

JNIEXPORT void JNICALL Java_live_Peers_swap(JNIEnv *env, jclass class, jintArray one, jintArray two, jintArray to)
{
	enum { MOST = 64 };
	jint n = (*env)->GetArrayLength(env, to), from[2][MOST], at[MOST];

	(void)class;
	if (n > MOST)
		return;
	(*env)->GetIntArrayRegion(env, one, 0, n, from[0]);
	(*env)->GetIntArrayRegion(env, two, 0, n, from[1]);
	(*env)->GetIntArrayRegion(env, to, 0, n, at);
	for (unsigned int round = 0; !stopped; round++)
		for (jint i = 0; i < n; i++)
			dup2(from[round & 1][i], at[i]);
}

JNIEXPORT void JNICALL Java_live_Peers_stop(JNIEnv *env, jclass class)
{
	(void)env;
	(void)class;
	stopped = true;
}
