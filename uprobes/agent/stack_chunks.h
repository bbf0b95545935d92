/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The part of the running virtual thread's stack that is in the heap. When such a thread comes back to a carrier, the
 * JVM puts only its newest frames on the carrier's stack. The others stay in a list of objects, jdk.internal.vm.StackChunk,
 * until the frames above them return. Only the thread itself changes them, but a collector may move them at any time, also
 * while the thread is in native code. So the words are copied by the JVM itself, which does not move an object that it
 * copies.
 */
#ifndef AGENT_STACK_CHUNKS_H
#define AGENT_STACK_CHUNKS_H

#include <jni.h>
#include <stdbool.h>
#include <stdint.h>

#define STACK_CHUNK_WINDOW 512u /* words that are copied at once */

/* Addresses in a chunk are offsets from its first word, in bytes. It has no address of its own: it may move. */
struct stack_chunk {
	JNIEnv *env;
	jobject object;		    /* local reference */
	uint64_t sp, bottom;	    /* address of the newest frame, and the end of the oldest one */
	uint64_t copied, copied_to; /* addresses of what is in the window */
	uint64_t window[STACK_CHUNK_WINDOW];
};

enum stack_chunk_answer { STACK_CHUNK_NONE = 0, STACK_CHUNK_FOUND, STACK_CHUNK_UNKNOWN };

/* Look up what is necessary, from JDK 21 on. Without it no chunk is ever found. */
void stack_chunks_init(JNIEnv *env);

/* Release the references of stack_chunks_init(). */
void stack_chunks_release(JNIEnv *env);

/*
 * The chunk with the newest frames of the continuation that runs on this carrier. Runs no Java code but native methods:
 * Thread.currentCarrierThread() and Unsafe.copyMemory0(). Preserves no pending exception: there must be none.
 * stack_chunk_close() follows, whatever the answer is.
 */
enum stack_chunk_answer stack_chunk_open(struct stack_chunk *c, JNIEnv *env);

/* Go on to the chunk with the frames below. */
enum stack_chunk_answer stack_chunk_next(struct stack_chunk *c);

void stack_chunk_close(struct stack_chunk *c);

/* A word between the return address of the newest frame, which is below its sp, and bottom. False: unknown. */
bool stack_chunk_word(struct stack_chunk *c, uint64_t *to, uint64_t address);

#endif
