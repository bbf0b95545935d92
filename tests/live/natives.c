// SPDX-License-Identifier: BSD-2-Clause
/* The native methods of live.Blocked: functions of many depths and sizes, which wait until they are let go. */
#include <alloca.h>
#include <jni.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int open_now;

static __attribute__((noinline)) int wait_until_open(void)
{
	int rounds = 0;

	pthread_mutex_lock(&lock);
	for (; !open_now; rounds++)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
	return rounds;
}

/* Frames with buffers of any size, and an aligned one in between. */
static __attribute__((noinline)) int descend(int depth, int size)
{
	volatile char *buffer = alloca(size * (depth & 3) + 1);
	__attribute__((aligned(64))) volatile char aligned[64];

	buffer[0] = aligned[1] = depth;
	return buffer[0] + aligned[1] + (depth ? descend(depth - 1, size) : wait_until_open());
}

JNIEXPORT jint JNICALL Java_live_Blocked_descend(JNIEnv *env, jclass class, jint depth, jint size)
{
	return descend(depth, size) + 1; /* no jump: its frame is on the stack */
}

JNIEXPORT void JNICALL Java_live_Blocked_open(JNIEnv *env, jclass class)
{
	pthread_mutex_lock(&lock);
	open_now = 1;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
}
