// SPDX-License-Identifier: BSD-2-Clause
#include "user/stacks/copied_stacks.h"
#include "format/hash.h"
#include "user/hotspot/nmethod.h"
#include "user/hotspot/page_cache.h"
#include "user/stacks/code_place.h"
#include "user/stacks/interpreter_place.h"
#include "user/stacks/machine/machine.h"
#include "user/text/monotonic.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define KNOWN	    (1u << 14) /* stacks by hash */
#define CODES	    (1u << 12) /* return addresses */
#define WAIT_MOST   256u       /* frames */
#define NATIVE_MOST 64u
#define OPEN_STACK  (256u << 10) /* bytes of the stack of an open call */
#define WAKER_SETS  (1u << 9)	 /* by hash; of those whose waits have not arrived yet */
#define WAKER_SET   8u		 /* the youngest ones stay */

struct walk;
struct walk_code;
static int image_read(struct walk *w, void *to, size_t size, uint64_t address);
static int image_word(struct walk *w, uint64_t *to, uint64_t address);
static void image_code(struct walk *w, uint64_t pc, struct walk_code *code);

#define WALK_READ(w, to, size, address) image_read(w, to, size, address)
#define WALK_STACK(w, to, address)	image_word(w, to, address)
#define WALK_CODE(w, pc, code)		image_code(w, pc, code)
#include "bpf/walk.h"

struct known_copy {
	uint64_t hash;
	uint32_t id;
};

struct known_code {
	uint64_t pc;
	struct walk_code code;
};

/* The stacks of the thread that ended a wait, which is named by its thread and its start. */
struct known_waker {
	uint64_t off, at;
	uint32_t thread;
	uint32_t java, kernel;
	uint64_t java_id;
};

struct copied_stacks {
	struct copied_stacks_setup setup;
	struct page_cache now; /* of the JVM's memory */
	uint64_t now_since;    /* CLOCK_MONOTONIC, ns: everything in it was read later */
	const uint8_t *image;
	uint32_t last; /* id */
	uint64_t behind;
	struct known_copy known[KNOWN];
	struct known_code codes[CODES];
	struct known_waker wakers[WAKER_SETS][WAKER_SET];
	struct stack stack;
};

int copied_stacks_new(struct copied_stacks **out, const struct copied_stacks_setup *setup, struct diag *d)
{
	struct copied_stacks *s = calloc(1, sizeof(*s));

	*out = s;
	if (!s)
		return diag_errno(d, ENOMEM, "cannot make room for stacks");
	s->setup = *setup;
	if (setup->memory)
		page_cache_init(&s->now, setup->memory);
	return 0;
}

void copied_stacks_free(struct copied_stacks *s)
{
	free(s);
}

static int image_read(struct walk *w, void *to, size_t size, uint64_t address)
{
	const struct copied_stacks *s = w->context;

	return mem_read(&s->now.mem, address, to, size);
}

/* Only the copy is used: the thread's present stack may be another one. */
static int image_word(struct walk *w, uint64_t *to, uint64_t address)
{
	const struct copied_stacks *s = w->context;

	if (address < w->low || w->high - w->low < 8 || address > w->high - 8)
		return -1;
	memcpy(to, s->image + (address - w->low), sizeof(*to));
	return 0;
}

/* A compile id identifies an nmethod, as in the agent and in BPF. */
static bool copied_stacks_is_current(struct walk *w, const struct known_code *k, uint64_t pc)
{
	uint32_t id;

	return k->pc == pc && !walk_u32(w, &id, k->code.blob + w->layout->nmethod_compile_id) && id == k->code.cookie;
}

static void image_code(struct walk *w, uint64_t pc, struct walk_code *code)
{
	struct copied_stacks *s = w->context;
	struct known_code *k = &s->codes[pc * FRT_CELL_HASH >> 52];

	if (!copied_stacks_is_current(w, k, pc)) {
		walk_code_at(w, pc, &k->code);
		k->pc = k->code.kind == WALK_COMPILED || k->code.kind == WALK_NATIVE ? pc : 0;
	}
	*code = k->code;
}

/* The id of s->stack, which is added if it is new. */
static uint32_t copied_stacks_intern(struct copied_stacks *s)
{
	struct stack *t = &s->stack;
	uint64_t hash = hash_mix(t->count, t->end | t->flags << 16);
	struct known_copy *k;

	for (uint32_t i = 0; i < t->count; i++) {
		const struct frt_frame *f = &t->frame[i];

		hash = hash_mix(hash_mix(hash, f->code), f->at ^ (uint64_t)f->cookie << 32 ^ f->kind);
	}
	k = &s->known[hash % KNOWN];
	if (k->id && k->hash == hash && frames_are_kept(s->setup.frames, k->id))
		return k->id;
	t->id = s->last = FRT_STACK_AFTER(s->last);
	*k = (struct known_copy){hash, t->id};
	frames_feed(s->setup.frames, t);
	return t->id;
}

/* The fingerprint of an interpreted frame contains its Method. */
static bool copied_stacks_next_frame(struct walk *w, struct frt_frame *f)
{
	if (!walk_next(w, f))
		return false;
	if (f->kind != FRT_FRAME_INTERPRETED)
		return true;
	f->cookie = walk_fingerprint(w, f->code);
	w->end = FRT_WALK_UNREADABLE;
	return f->cookie;
}

/* Drop cached memory that was read before a stack was copied. */
static void read_since(struct copied_stacks *s, uint64_t copied)
{
	if (copied < s->now_since)
		return;
	s->now_since = (uint64_t)monotonic_ns();
	page_cache_clear(&s->now);
}

/* Add the frames from here on to the stack. Returns their number, with those before them. */
static uint32_t copied_stacks_walk_on(struct copied_stacks *s, struct walk *w)
{
	while (s->stack.count < WAIT_MOST && copied_stacks_next_frame(w, &s->stack.frame[s->stack.count]))
		s->stack.count++;
	s->stack.end = s->stack.count == WAIT_MOST ? FRT_WALK_DEPTH : w->end;
	return s->stack.count;
}

static uint32_t copied_stacks_walk(struct copied_stacks *s, struct walk *w)
{
	s->stack.count = 0;
	/* the interpreter's calls into the VM store only sp and fp */
	if (!w->pc && image_word(w, &w->pc, w->sp - 8)) {
		s->stack.end = w->end;
		return 0;
	}
	return copied_stacks_walk_on(s, w);
}

static uint32_t take_java(struct copied_stacks *s, const struct frt_long_wait *l)
{
	const struct frt_wait *wait = &l->wait;
	struct walk w = {.layout = s->setup.layout,
			 .context = s,
			 .pc = wait->stack_pc,
			 .sp = wait->stack_pointer,
			 .fp = wait->stack_fp,
			 .low = wait->stack_pointer - 8,
			 .high = wait->stack_pointer - 8 + wait->stack_size};

	if (!wait->stack_size || wait->stack_size > sizeof(l->stack) || !s->setup.memory)
		return 0;
	read_since(s, wait->off);
	s->image = l->stack;
	return copied_stacks_walk(s, &w) ? copied_stacks_intern(s) : 0;
}

static uint32_t take_kernel(struct copied_stacks *s, const uint64_t kernel[FRT_KERNEL_FRAMES], uint32_t frames)
{
	if (s->setup.no_kernel)
		return 0;
	s->stack.count = frames < FRT_KERNEL_FRAMES ? frames : FRT_KERNEL_FRAMES;
	s->stack.end = s->stack.count == FRT_KERNEL_FRAMES ? FRT_WALK_DEPTH : FRT_WALK_BOTTOM;
	for (uint32_t i = 0; i < s->stack.count; i++)
		s->stack.frame[i] = (struct frt_frame){.kind = FRT_FRAME_KERNEL, .code = kernel[i]};
	return s->stack.count ? copied_stacks_intern(s) : 0;
}

static void take_native(struct copied_stacks *s, const struct frt_native *native, unsigned int reason,
			struct wait_stack_ids *ids)
{
	enum frt_walk_end end;

	if (!native || !s->setup.natives)
		return;
	s->stack.count = native_stacks_unwind(s->setup.natives, native, s->stack.frame, NATIVE_MOST, &end);
	s->stack.end = end;
	if (reason == FRT_WAIT_FUTEX)
		ids->jvm = native_stacks_reason(s->setup.natives, s->stack.frame, s->stack.count);
	ids->native = s->stack.count ? copied_stacks_intern(s) : 0;
}

static struct known_waker *waker_set(struct copied_stacks *s, uint32_t thread, uint64_t off)
{
	return s->wakers[(off * FRT_CELL_HASH ^ thread * 0x9e3779b97f4a7c15ULL) >> 55];
}

/* A new waker takes the place of the oldest one of its set. */
static struct known_waker *place_for_waker(struct copied_stacks *s, const struct frt_waker *w)
{
	struct known_waker *set = waker_set(s, w->thread, w->off), *oldest = set;

	for (struct known_waker *k = set; k < set + WAKER_SET; k++)
		if (k->at < oldest->at)
			oldest = k;
	return oldest;
}

/*
 * Where the thread calls the VM as a leaf, its anchor is not set, and the interpreter's bytecode pointer is in a register only.
 */
static bool waker_begin_at_registers(struct copied_stacks *s, const struct frt_waker *waker, struct walk *w,
				     uint64_t *bcp)
{
	static const uint8_t saved[FRT_SAVED] = CFI_SAVED;
	const uint64_t needed = 1ull << CFI_PC | 1ull << CFI_SP | 1ull << CFI_FP;
	const int bytecode = saved[FRT_SAVED_BYTECODE];
	struct cfi_frame f;

	if (!s->setup.natives || !native_stacks_find_java(s->setup.natives, waker, &f) || (f.known & needed) != needed)
		return false;
	w->pc = f.reg[CFI_PC];
	w->sp = f.reg[CFI_SP];
	w->fp = f.reg[CFI_FP];
	*bcp = f.known >> bytecode & 1 ? f.reg[bytecode] : 0;
	return true;
}

static uint32_t take_waker_java(struct copied_stacks *s, const struct frt_waker *waker)
{
	struct walk w = {.layout = s->setup.layout,
			 .context = s,
			 .pc = waker->anchor_pc,
			 .sp = waker->anchor_sp,
			 .fp = waker->anchor_fp,
			 .low = waker->low,
			 .high = waker->low + waker->low_size};
	struct frt_frame *first = &s->stack.frame[0];
	uint64_t bcp = 0;

	if (!waker->low_size || !s->setup.memory)
		return 0;
	read_since(s, waker->at);
	s->image = (const uint8_t *)(waker + 1);
	if (!w.sp && !waker_begin_at_registers(s, waker, &w, &bcp))
		return 0;
	if (w.sp - waker->high < waker->high_size) {
		w.low = waker->high;
		w.high = waker->high + waker->high_size;
		s->image += FRT_WAKER_LOW;
	}
	if (!copied_stacks_walk(s, &w))
		return 0;
	if (first->kind == FRT_FRAME_INTERPRETED && bcp)
		first->at = bcp;
	first->flags |= first->kind == FRT_FRAME_COMPILED ? FRT_FRAME_LEAF : 0;
	return copied_stacks_intern(s);
}

void copied_stacks_take_waker(struct copied_stacks *s, const struct frt_waker *w)
{
	struct known_waker *k = place_for_waker(s, w);
	struct budget *budget = s->setup.budget;

	*k = (struct known_waker){.off = w->off, .at = w->at, .thread = w->thread, .java_id = w->java_id};
	if (budget_over(budget)) {
		s->behind++;
		return;
	}
	budget_begin(budget);
	k->java = take_waker_java(s, w);
	k->kernel = take_kernel(s, w->kernel, w->kernel_frames);
	budget_end(budget);
}

/* Its frame is not complete, or is given back: go on at its caller. False: the caller is unknown. */
static bool leave_frame(struct walk *w, enum code_place place, uint64_t link, uint32_t frame)
{
	if (place == CODE_LINK || place == CODE_EMPTY) {
		w->sp += place == CODE_EMPTY ? frame : 0;
		w->pc = link;
		return true;
	}
	if (place == CODE_SAVED && image_word(w, &w->fp, w->sp))
		return false;
	w->sp += place == CODE_SAVED ? 16 : 8;
	return !image_word(w, &w->pc, w->sp - 8);
}

/* Where in the method's code the thread was. */
static enum code_place place_in_method(const struct copied_stacks *s, const struct walk *w,
				       const struct walk_code *code)
{
	uint8_t begin[CODE_PLACE_BEGIN], next[CODE_PLACE_NEXT];
	struct nmethod n;

	if (nmethod_read(&n, s->setup.hotspot, &s->now.mem, code->blob) || w->pc < n.code ||
	    mem_read(&s->now.mem, n.code, begin, sizeof(begin)) || mem_read(&s->now.mem, w->pc, next, sizeof(next)))
		return CODE_FRAME;
	return code_place(begin, sizeof(begin), w->pc - n.code, next, code->frame);
}

/* Is this a place in code of methods? */
static bool is_in_method(struct walk *w, uint64_t pc)
{
	struct walk_code code;

	walk_code_at(w, pc, &code);
	return code.kind == WALK_INTERPRETER || code.kind == WALK_COMPILED || code.kind == WALK_NATIVE;
}

/*
 * HotSpot's stubs have no frame, or one that the frame pointer points to. Which of them is found by what a method's code can be: its
 * caller.
 */
static bool leave_stub(struct walk *w, uint64_t link)
{
	uint64_t pc = 0, called = link;
	bool framed = w->fp >= w->sp && !image_word(w, &pc, w->fp + 8) && is_in_method(w, WALK_ADDRESS(pc));

	if (CODE_CALLED == CODE_RETURN && image_word(w, &called, w->sp))
		called = 0;
	if (is_in_method(w, WALK_ADDRESS(called)) && !(CODE_CALLED == CODE_LINK && framed && pc == called))
		return leave_frame(w, CODE_CALLED, link, 0);
	if (!framed)
		return false;
	w->sp = w->fp;
	return leave_frame(w, CODE_SAVED, link, 0);
}

static bool begin_in_interpreter(struct copied_stacks *s, const struct frt_waker *sample, struct walk *w, uint64_t *bcp)
{
	struct interpreter_thread t = {.layout = w->layout, .mem = &s->now.mem, .at = &sample->at_entry};
	enum interpreter_place place;
	struct interpreted found;

	if (w->sp < w->low || w->sp > w->high)
		return false;
	t.stack = s->image + (w->sp - w->low);
	t.size = w->high - w->sp;
	place = interpreter_place(&t, &found);
	if (place == INTERPRETER_RUNS)
		*bcp = found.bytecode;
	if (place != INTERPRETER_BUILDS)
		return place != INTERPRETER_UNKNOWN;
	s->stack.frame[0] = (struct frt_frame){.code = found.method,
					       .at = found.bytecode,
					       .cookie = walk_fingerprint(w, found.method),
					       .kind = FRT_FRAME_INTERPRETED};
	s->stack.count = 1;
	w->pc = found.pc;
	w->sp = found.sp;
	w->fp = found.fp;
	return s->stack.frame[0].cookie;
}

/*
 * Begin in the middle of Java code. What the walk meets first may be a method without a complete frame, which is then the
 * first frame of the stack, or a stub. *bcp: of an interpreted method; else 0.
 */
static bool begin_anywhere(struct copied_stacks *s, const struct frt_waker *sample, struct walk *w, uint64_t *bcp)
{
	struct frt_frame *first = &s->stack.frame[0];
	enum code_place place;
	struct walk_code code;

	walk_code_at(w, w->pc, &code);
	if (code.kind == WALK_INTERPRETER)
		return begin_in_interpreter(s, sample, w, bcp);
	if (code.kind == WALK_NO_CODE || code.kind == WALK_STUB)
		return code.kind == WALK_STUB || leave_stub(w, link_of(&sample->at_entry));
	if (code.kind != WALK_COMPILED)
		return true;
	place = place_in_method(s, w, &code);
	if (place == CODE_FRAME)
		return true;
	*first = (struct frt_frame){.code = code.blob,
				    .at = w->pc,
				    .cookie = code.cookie,
				    .kind = FRT_FRAME_COMPILED,
				    .flags = FRT_FRAME_EXACT | FRT_FRAME_LEAF};
	s->stack.count = 1;
	return leave_frame(w, place, link_of(&sample->at_entry), code.frame);
}

static uint32_t take_sampled(struct copied_stacks *s, const struct frt_waker *sample)
{
	struct walk w = {.layout = s->setup.layout,
			 .context = s,
			 .pc = sample->at_entry.pc,
			 .sp = sample->at_entry.sp,
			 .fp = sample->at_entry.fp,
			 .low = sample->low,
			 .high = sample->low + sample->low_size};
	struct frt_frame *first = &s->stack.frame[0];
	bool in_java = is_in_code_cache(w.layout, sample->at_entry.pc);
	uint64_t bcp = 0;

	if (!in_java)
		return take_waker_java(s, sample);
	read_since(s, sample->at);
	s->image = (const uint8_t *)(sample + 1);
	s->stack.count = 0;
	if (!sample->low_size || !begin_anywhere(s, sample, &w, &bcp) || !copied_stacks_walk_on(s, &w))
		return 0;
	if (first->kind == FRT_FRAME_INTERPRETED && bcp)
		first->at = bcp;
	if (first->kind == FRT_FRAME_COMPILED)
		first->flags |= FRT_FRAME_LEAF | (first->at == sample->at_entry.pc ? FRT_FRAME_EXACT : 0);
	return copied_stacks_intern(s);
}

uint32_t copied_stacks_take_sample(struct copied_stacks *s, const struct frt_waker *sample)
{
	struct budget *budget = s->setup.budget;
	uint32_t id = 0;

	if (budget_over(budget)) {
		s->behind++;
		return 0;
	}
	budget_begin(budget);
	if (s->setup.memory && s->setup.hotspot)
		id = take_sampled(s, sample);
	budget_end(budget);
	return id;
}

/* A thread that was woken twice before it ran has two: the last one counts, as in the wait's record. */
static const struct known_waker *waker_of_wait(struct copied_stacks *s, const struct frt_wait *w)
{
	const struct known_waker *set = waker_set(s, w->thread, w->off), *found = NULL;

	for (const struct known_waker *k = set; k < set + WAKER_SET; k++)
		if (k->thread == w->thread && k->off == w->off && (!found || k->at > found->at))
			found = k;
	return found;
}

static void take_known_waker(struct copied_stacks *s, const struct frt_wait *w, struct wait_stack_ids *ids)
{
	const struct known_waker *k = waker_of_wait(s, w);

	if (!k)
		return;
	ids->waker_java = k->java;
	ids->waker_kernel = k->kernel;
	ids->waker_virtual = k->java_id;
	ids->woken = k->at;
	ids->waker_exact = true;
}

void copied_stacks_take_wait(struct copied_stacks *s, const struct frt_long_wait *w, const struct frt_native *native,
			     struct wait_stack_ids *ids)
{
	struct budget *budget = s->setup.budget;

	*ids = (struct wait_stack_ids){0};
	take_known_waker(s, &w->wait, ids);
	if (!w->wait.stack_size && !w->wait.kernel_frames)
		return;
	if (budget_over(budget)) {
		s->behind++;
		return;
	}
	budget_begin(budget);
	ids->java = take_java(s, w);
	ids->in_code = frames_is_in_code(s->setup.frames, ids->java);
	take_native(s, native, w->wait.reason, ids);
	ids->kernel = take_kernel(s, w->kernel, w->wait.kernel_frames);
	budget_end(budget);
}

/* What the frames refer to may have changed since the cached memory was read. */
static void call_fingerprints(struct copied_stacks *s, struct frt_frame *frames, uint32_t count)
{
	struct walk w = {.layout = s->setup.layout, .context = s};

	page_cache_clear(&s->now);
	s->now_since = (uint64_t)monotonic_ns();
	for (uint32_t i = 0; i < count; i++)
		if (frames[i].kind == FRT_FRAME_INTERPRETED)
			frames[i].cookie = walk_fingerprint(&w, frames[i].code);
}

uint32_t copied_stacks_take_call(struct copied_stacks *s, struct frt_frame *frames, uint32_t count,
				 enum frt_walk_end end)
{
	struct budget *budget = s->setup.budget;
	uint32_t id;

	if (!s->setup.memory || !count || count > WAIT_MOST)
		return 0;
	if (budget_over(budget)) {
		s->behind++;
		return 0;
	}
	budget_begin(budget);
	call_fingerprints(s, frames, count);
	memcpy(s->stack.frame, frames, count * sizeof(*frames));
	s->stack.count = count;
	s->stack.end = end < FRT_WALK_ENDS ? end : FRT_WALK_ENDS;
	s->stack.flags = FRT_STACK_INCLUSIVE;
	id = copied_stacks_intern(s);
	s->stack.flags = 0;
	budget_end(budget);
	return id;
}

struct anchor {
	uint64_t sp, pc, fp;
};

static int anchor_read(const struct copied_stacks *s, uint64_t java_thread, struct anchor *out)
{
	const struct frt_layout *l = s->setup.layout;
	uint64_t at = java_thread + l->thread_anchor;
	int r = mem_u64(s->setup.memory, at + l->anchor_sp, &out->sp);

	r = r ?: mem_u64(s->setup.memory, at + l->anchor_pc, &out->pc);
	return r ?: mem_u64(s->setup.memory, at + l->anchor_fp, &out->fp);
}

/* Returns the size of the copy, which begins below the anchor's stack pointer; 0: the thread has gone on. */
static size_t copy_open_stack(const struct copied_stacks *s, uint64_t java_thread, const struct anchor *a, uint8_t *to)
{
	struct anchor again;
	uint64_t end, size;

	if (a->sp < 8 || mem_u64(s->setup.memory, java_thread + s->setup.layout->thread_stack_base, &end))
		return 0;
	size = end - (a->sp - 8);
	if (size < 8 || size > end)
		return 0;
	size = size < OPEN_STACK ? size : OPEN_STACK;
	if (mem_read(s->setup.memory, a->sp - 8, to, size) || anchor_read(s, java_thread, &again))
		return 0;
	return again.sp == a->sp && again.pc == a->pc && again.fp == a->fp ? size : 0;
}

static uint32_t walk_open_stack(struct copied_stacks *s, const struct anchor *a, const uint8_t *copy, size_t size,
				uint32_t *call)
{
	struct walk w = {.layout = s->setup.layout,
			 .context = s,
			 .pc = a->pc,
			 .sp = a->sp,
			 .fp = a->fp,
			 .low = a->sp - 8,
			 .high = a->sp - 8 + size};

	read_since(s, (uint64_t)monotonic_ns());
	s->image = copy;
	if (!copied_stacks_walk(s, &w))
		return 0;
	s->stack.flags = FRT_STACK_INCLUSIVE;
	*call = copied_stacks_intern(s);
	s->stack.flags = 0;
	return copied_stacks_intern(s);
}

uint32_t copied_stacks_take_open(struct copied_stacks *s, uint64_t java_thread, uint32_t *call)
{
	struct budget *budget = s->setup.budget;
	uint8_t *copy;
	struct anchor a;
	uint32_t id = 0;
	size_t size;

	*call = 0;
	if (budget_over(budget)) {
		s->behind++;
		return 0;
	}
	budget_begin(budget);
	copy = s->setup.memory ? malloc(OPEN_STACK) : NULL;
	if (copy && !anchor_read(s, java_thread, &a) && (size = copy_open_stack(s, java_thread, &a, copy)))
		id = walk_open_stack(s, &a, copy, size, call);
	budget_end(budget);
	free(copy);
	return id;
}

bool copied_stacks_is_call_of(const struct copied_stacks *s, uint32_t id, uint32_t method)
{
	return frames_is_call_of(s->setup.frames, id, method);
}

uint64_t copied_stacks_behind(const struct copied_stacks *s)
{
	return s->behind;
}
