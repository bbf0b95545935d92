/* SPDX-License-Identifier: BSD-2-Clause */
/* Threads as constants of the file, remembered for the chunk in which they were asked for. */
#ifndef USER_RECORD_THREAD_KEYS_H
#define USER_RECORD_THREAD_KEYS_H

#include "format/jfr/jfr_write.h"
#include "user/capture/stream.h"
#include "user/capture/segment.h"

struct thread_keys;

/* Both are borrowed. NULL: no memory. */
struct thread_keys *thread_keys_new(struct jfr_writer *writer, const struct segment *segment);
void thread_keys_free(struct thread_keys *k);

/* To be called when the writer has begun a chunk: keys are asked for anew. */
void thread_keys_next_chunk(struct thread_keys *k);

/* The key of a thread, or of the virtual one when that is given; 0: nothing is known of it. */
uint64_t thread_keys_of(struct thread_keys *k, uint32_t serial, const struct stream_vthread *v);

/* May it carry virtual threads? Also true of one of which nothing is known. */
bool thread_keys_is_carrier(struct thread_keys *k, uint32_t serial);

/*
 * The key of who woke a thread: `tid` in the target's pid namespace, or 0, then it is of that process (as the initial
 * pid namespace numbers it; 0: nobody is known, and neither is a key). `name` is the kernel's, of 16 bytes at most.
 */
uint64_t thread_keys_of_waker(struct thread_keys *k, uint32_t tid, uint32_t process, const char name[16]);

#endif
