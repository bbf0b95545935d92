/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The native part of a waiting thread's stack: from the copy that the kernel has taken through the C library, libjvm and
 * JNI libraries, by their call frame information, to the frame that Java code has called. A frame is never guessed:
 * where the information ends, or the copy has a hole, the part ends, and is marked as truncated.
 *
 * A library that takes the place of another one within a second of the wait is mistaken for it.
 */
#ifndef USER_STACKS_NATIVE_STACKS_H
#define USER_STACKS_NATIVE_STACKS_H

#include "bpf/queue.h"
#include "uprobes/dwarf/cfi.h"
#include "user/process/target.h"

struct native_stacks;

/* `t` is borrowed. NULL: no memory. */
struct native_stacks *native_stacks_new(const struct target *t);
void native_stacks_free(struct native_stacks *n);

/*
 * Unwind a copy into at most `most` frames (FRT_FRAME_FUNCTION), innermost first. Returns their number. *end is
 * FRT_WALK_BOTTOM if the last one was called by Java code.
 */
uint32_t native_stacks_unwind(struct native_stacks *n, const struct frt_native *copy, struct frt_frame *frame,
			      uint32_t most, enum frt_walk_end *end);

/*
 * Unwind a waker's stack, which is copied from its stack pointer on, to the first frame that is in no library: the Java
 * code that called the innermost native part. False: the information or the copy ends before, or there is no native
 * part.
 */
bool native_stacks_find_java(struct native_stacks *n, const struct frt_waker *w, struct cfi_frame *out);

/*
 * What a thread waits for whose frames these are, just unwound, if it is a lock of the JVM itself: FRT_WAIT_JIT,
 * FRT_WAIT_CLASS or FRT_WAIT_JVM. 0: it is not, or libjvm has no symbols.
 */
unsigned int native_stacks_reason(struct native_stacks *n, const struct frt_frame *frame, uint32_t count);

#define NATIVE_STACKS_NAME 512 /* bytes */

/*
 * The function of a frame that has just been unwound: "libc.so.6" and "read"; "libx.so" and "+0x1a2b", its place in the
 * file, if the library has no symbol there. False: the library is gone.
 */
bool native_stacks_name(struct native_stacks *n, const struct frt_frame *frame, char library[NATIVE_STACKS_NAME],
			char function[NATIVE_STACKS_NAME]);

#endif
