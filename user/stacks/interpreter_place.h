/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where a thread is in HotSpot's interpreter that was interrupted anywhere. A method's entry takes the return address from
 * the stack, makes room for locals, and pushes it again, then the frame pointer, the caller's stack pointer, the Method, and so on to
 * the bytecode pointer. At the end all goes back at once. So the frame pointer may have the caller's frame, or one of an older
 * caller if that one is compiled; or this frame, not yet complete. The registers tell them apart.
 */
#ifndef USER_STACKS_INTERPRETER_PLACE_H
#define USER_STACKS_INTERPRETER_PLACE_H

#include "bpf/queue.h"
#include "bpf/frtrace.h"
#include "user/hotspot/mem.h"

#include <stdbool.h>

enum interpreter_place {
	INTERPRETER_UNKNOWN,
	INTERPRETER_RUNS,   /* a method whose frame is at the frame pointer: `bytecode` is its place */
	INTERPRETER_CALLS,  /* the same, but its place is the one that its frame has */
	INTERPRETER_BUILDS, /* a method, from `bytecode` on, whose frame is not complete: its caller follows */
};

struct interpreter_thread {
	const struct frt_layout *layout;
	const struct mem *mem;
	const struct frt_registers *at;
	const uint8_t *stack; /* copied, from at->sp on */
	size_t size;
};

struct interpreted {
	uint64_t bytecode; /* its address */
	uint64_t method;   /* INTERPRETER_BUILDS: the Method, and the caller's registers */
	uint64_t pc, sp, fp;
};

/* Members of *out that the place does not have are 0. */
enum interpreter_place interpreter_place(const struct interpreter_thread *t, struct interpreted *out);

bool is_in_code_cache(const struct frt_layout *l, uint64_t pc);

#endif
