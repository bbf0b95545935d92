/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The walker (walk.h) in the kernel: the Java frames of the running thread, as the agent and the collector see them.
 *
 * A load by bpf_probe_read_user() costs some 45 ns, and a compiled frame takes 13 loads, most of them on the way from
 * the program counter to its nmethod. So nmethods are cached by return address in the map `codes`, which the including
 * file defines. ns per frame, in a loop (stacks of 110 interpreted and 58 compiled frames, JDK 17 and 25, kernel 6.18,
 * AMD EPYC VM with 2 CPUs); after a sleep of 1 ms up to half as much again:
 *
 *			interpreted	compiled	instructions that the verifier processes
 *   no cache		226 - 228	523 - 650	34,000
 *   cache		217 - 254	241 - 246	39,000
 *   cache, stack	 79 -  96	188 - 191	47,000
 *
 * The last row copies 2 KiB of the stack at a time. That would need a buffer per task, since one program on a uprobe
 * can interrupt another. It is not implemented.
 *
 * For the verifier, the loop is bpf_loop(), the number of frames is kept where it cannot track it, and the number of
 * crossings comes from the loop's index. A counter on the stack makes it unroll the loop ("The sequence of 8193 jumps
 * is too complex").
 */
#ifndef BPF_STACK_H
#define BPF_STACK_H

#include "bpf/kernel.h"

#include <bpf/bpf_helpers.h>

#define WALK_READ(w, to, size, address) bpf_probe_read_user(to, size, (const void *)(address))
#define WALK_STACK(w, to, address)	WALK_READ(w, to, 8, address)
#define WALK_CODE(w, pc, code)		stack_code_at(w, pc, code)

struct walk;
struct walk_code;
static __always_inline void stack_code_at(struct walk *w, __u64 pc, struct walk_code *code);

#include "bpf/walk.h"

/* The nmethod that a return address is in. */
struct known_code {
	__u64 pc; /* written first if the element is reused while it is read, so it is checked last */
	struct walk_code code;
};

struct code_map {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 16384);
	__type(key, __u64);
	__type(value, struct known_code);
};
extern struct code_map codes;

#ifndef STACK_FRAMES
#define STACK_FRAMES 128u /* maximum; the including file may set another one */
#endif

struct stack_walk {
	struct walk walk;
	struct frt_frame *frames;
	__u32 *count;
	__u32 last; /* the step that found the last frame with Java code */
};

static __always_inline bool is_nmethod(const struct walk_code *code)
{
	return code->kind == WALK_COMPILED || code->kind == WALK_NATIVE || code->kind == WALK_CONTINUATION;
}

/* The compile id identifies an nmethod. */
static __always_inline bool stack_known_code(struct walk *w, __u64 pc, struct walk_code *code)
{
	const struct known_code *known = bpf_map_lookup_elem(&codes, &pc);
	__u32 id;

	if (!known)
		return false;
	*code = known->code;
	barrier();
	return *(volatile const __u64 *)&known->pc == pc &&
	       !walk_u32(w, &id, code->blob + w->layout->nmethod_compile_id) && id == code->cookie;
}

static __always_inline void stack_code_at(struct walk *w, __u64 pc, struct walk_code *code)
{
	struct known_code found = {.pc = pc};

	if (pc - w->layout->interpreter < w->layout->interpreter_end - w->layout->interpreter) {
		*code = (struct walk_code){.kind = WALK_INTERPRETER};
		return;
	}
	if (stack_known_code(w, pc, code))
		return;
	walk_code_at(w, pc, &found.code);
	if (is_nmethod(&found.code))
		bpf_map_update_elem(&codes, &pc, &found, BPF_ANY);
	*code = found.code;
}

/* One frame of any kind, like walk_next(), with the loop in bpf_loop(). */
static long stack_step(__u32 i, struct stack_walk *s)
{
	struct frt_frame f;
	__u32 count;

	if (!walk_cross(&s->walk, &f))
		return 1;
	if (!f.kind) {
		s->walk.end = FRT_WALK_STUCK;
		return i - s->last >= WALK_CROSSINGS;
	}
	s->last = i;
	s->walk.end = FRT_WALK_DEPTH;
	count = *s->count;
	barrier_var(count); /* the index is the register that was compared: Linux 6.1 knows nothing of a copy */
	if (count >= STACK_FRAMES)
		return 1;
	s->frames[count] = f;
	*s->count = count + 1;
	return 0;
}

/*
 * Walk the running thread's stack, innermost frame first, from the anchor at this address. `frames` has room for
 * STACK_FRAMES; `count` must also point into a map or a ring buffer record. Returns why the walk ended:
 * FRT_WALK_UNREADABLE also for a page that is not in memory, since the program cannot sleep.
 */
static __always_inline enum frt_walk_end stack_walk_own(const struct frt_layout *l, __u64 anchor,
							struct frt_frame *frames, __u32 *count)
{
	struct stack_walk s = {.walk = {.layout = l}, .frames = frames, .count = count, .last = -1u};

	*count = 0;
	if (walk_anchor(&s.walk, anchor))
		bpf_loop((STACK_FRAMES + 1) * WALK_CROSSINGS, stack_step, &s, 0);
	return s.walk.end;
}

/* The same from a frame of Java code that has called C code. */
static __always_inline enum frt_walk_end stack_walk_from(const struct frt_layout *l, __u64 pc, __u64 sp, __u64 fp,
							 struct frt_frame *frames, __u32 *count)
{
	struct stack_walk s = {
		.walk = {.layout = l, .pc = pc, .sp = sp, .fp = fp}, .frames = frames, .count = count, .last = -1u};

	*count = 0;
	bpf_loop((STACK_FRAMES + 1) * WALK_CROSSINGS, stack_step, &s, 0);
	return s.walk.end;
}

#endif
