/* SPDX-License-Identifier: BSD-2-Clause */
/* JFR's thread constants, cached for the chunk in which they were requested. */
#ifndef USER_RECORD_THREAD_KEYS_H
#define USER_RECORD_THREAD_KEYS_H

#include "format/jfr/jfr_write.h"
#include "user/capture/stream.h"
#include "user/segment/segment.h"
#include "user/record/thread_names.h"

struct thread_keys;

/*
 * The arguments are borrowed. `names` may be NULL: of threads that the agent has not met only the kernel's name is known. Returns NULL when
 * there is no memory.
 */
struct thread_keys *thread_keys_new(struct jfr_writer *writer, const struct segment *segment,
				    struct thread_names *names);
void thread_keys_free(struct thread_keys *k);

/* Call after the writer has begun a chunk: keys must then be requested again. */
void thread_keys_next_chunk(struct thread_keys *k);

/* The key of the virtual thread `v` if it is not NULL, else of the thread; 0: nothing is known about it. */
uint64_t thread_keys_of(struct thread_keys *k, uint32_t serial, const struct stream_vthread *v);

/* Could this thread carry virtual threads? True also for an unknown thread. */
bool thread_keys_is_carrier(struct thread_keys *k, uint32_t serial);

/* A thread with a slot; `started` as in struct frt_slot_owner. */
void thread_keys_note_owner(struct thread_keys *k, uint32_t serial, uint32_t started);

/* The same thread as a waker; both 0: unknown. */
void thread_keys_find_waker(const struct thread_keys *k, uint32_t serial, uint32_t *tid, uint32_t *origin);

/*
 * The key of a waker, `tid` and `origin` as in struct frt_wait; both 0: unknown, and the key is 0, too. `name` is the
 * kernel's name of the thread, at most 16 bytes. Sets *carrier: it may carry virtual threads.
 */
uint64_t thread_keys_of_waker(struct thread_keys *k, uint32_t tid, uint32_t origin, const char name[16], bool *carrier);

/* It has woken a thread at `woke` (CLOCK_MONOTONIC, ns). Call this as soon as possible, while it is alive. */
void thread_keys_see_waker(struct thread_keys *k, uint32_t tid, uint32_t origin, const char name[16], int64_t woke);

/* The id of a monitor's owner (thread_names_owner()); 0: unknown. And the key of a thread that has been found so, if it has no slot. */
uint32_t thread_keys_find_owner(struct thread_keys *k, uint64_t owner, int64_t then);
uint64_t thread_keys_of_owner(struct thread_keys *k, uint32_t tid);

/* The key of a waker that is a virtual thread. It has a name if the thread has been in a recorded call before. */
uint64_t thread_keys_of_virtual_waker(struct thread_keys *k, uint64_t java_id);

/*
 * The names of the two as readers of the file show them: a nameless Java thread is "thread #23". "": unknown. The arguments,
 * and *carrier, are as above.
 */
#define WAKER_NAME 72
void thread_keys_name_waker(struct thread_keys *k, uint32_t tid, uint32_t origin, const char name[16],
			    char out[WAKER_NAME], bool *carrier);
void thread_keys_name_virtual_waker(const struct thread_keys *k, uint64_t java_id, char out[WAKER_NAME]);

/* Is this waker a thread of the JVM's garbage collector? False also if that is unknown. */
bool thread_keys_is_collector(struct thread_keys *k, uint32_t tid, uint32_t origin, const char name[16]);

#endif
