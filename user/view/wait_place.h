/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The place of a wait for a lock: the innermost frame of its stack outside the JDK's lock code. That code is what
 * threads wait with, such as Object.wait(), Unsafe.park() and all of java.util.concurrent; who asked for the lock or
 * the task is its caller. docs/reading.md describes it; the list is in wait_place.c.
 */
#ifndef USER_VIEW_WAIT_PLACE_H
#define USER_VIEW_WAIT_PLACE_H

#include "user/files/wait_iter.h"

/* Append "a.b.C.m(int):17"; the outermost frame if all are lock code. Appends nothing if the wait has no stack. */
void put_wait_place(struct bytes *out, const struct thread_wait *wait);

#endif
