/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The stack of a wait as lines of `slowest`: a few frames, and in any case the name of the system call and the first frame
 * that is not the JDK's; "..." stands for what is left out.
 */
#ifndef USER_VIEW_WAIT_STACK_H
#define USER_VIEW_WAIT_STACK_H

#include "format/jfr/jfr_read.h"

/* Append the lines, of `width` columns at most. `whole`: all frames, with the kernel's entry. */
void wait_stack_put(struct bytes *out, struct jfr_chunk *chunk, struct jfr_value stack, size_t width, bool whole);

/*
 * The same for native frames, with "..." at the end if frames up to Java's are missing: where the call frame information
 * ends, or what was copied.
 */
void wait_stack_put_native(struct bytes *out, struct jfr_chunk *chunk, struct jfr_value stack, size_t width,
			   bool whole);

#endif
