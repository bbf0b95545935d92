/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The Java stack walker: plain code over struct frt_layout. It reads the target only through three macros, which
 * the including file defines first:
 *
 *    WALK_READ(w, to, size, address)  any memory of the target: 0, or nonzero on failure
 *    WALK_STACK(w, to, address)       a word of the walked stack: 0, or nonzero on failure
 *    WALK_CODE(w, pc, code)           walk_code_at(), or something faster with the same result
 *
 * and, if it walks there, a fourth one:
 *
 *    WALK_IN_CHUNK(w)                 the words are those of a StackChunk, where frames refer to each other by distances
 *
 * HotSpot's frames on a stack, which grows down:
 *
 *    compiled     sp -> [ frame_size words: locals, spills, ... saved fp, return address ]
 *                 The size is in the blob that contains the program counter. The last
 *                 two words are the caller's fp and the program counter in the caller.
 *    interpreted  fp -> [ saved fp, return address ]; below it the sender's sp, the Method, the bytecode pointer
 *    call stub    fp -> the same; below it the JavaCallWrapper, which has the anchor of the Java code that
 *                 called the native code that called Java; the C frames between them are skipped
 *    upcall stub  the same, made by the foreign function interface: the anchor is in its frame
 *
 * A walk begins at an anchor (JavaFrameAnchor): the sp, pc and fp that a thread saves when it leaves Java for C.
 * All frames but the first are at a call.
 */
#ifndef FRTRACE_WALK_H
#define FRTRACE_WALK_H

#include "bpf/frtrace.h"

#ifndef WALK_IN_CHUNK
#define WALK_IN_CHUNK(w) 0
#endif

#define WALK_INLINE static inline __attribute__((always_inline, unused))

#define WALK_HOPS      64u	 /* hops in the segment map to the start of a block; the most seen: 9 */
#define WALK_FRAME     (1 << 24) /* maximum words of a frame */
#define WALK_CROSSINGS 16u	 /* maximum number of frames without Java code in a row */
#define WALK_BYTECODES 65536u	 /* more than a method can have (JVMS 4.7.3) */
#define WALK_NAME      255u	 /* bytes of a name in a fingerprint */
#define WALK_LINES     64u	 /* bytes of a line table in a fingerprint */
#define WALK_PAGE      4096u

struct walk {
	const struct frt_layout *layout;
	frt_u64 pc, sp, fp; /* of the next frame */
	enum frt_walk_end end;
	int last;	   /* the last frame returned is the end of the stack */
	frt_u64 low, high; /* stack bounds, for a WALK_STACK that checks them */
	void *context;	   /* for the macros */
};

/* Kinds of code that a program counter can be in. */
enum walk_kind {
	WALK_NO_CODE = 0, /* unknown code: the walk ends */
	WALK_INTERPRETER,
	WALK_COMPILED,
	WALK_NATIVE, /* the compiled wrapper of a native method */
	WALK_STUB,   /* a frame of fixed size without Java code */
	WALK_CALL_STUB,
	WALK_UPCALL_STUB,
	WALK_CONTINUATION, /* enterSpecial: the outermost frame of a virtual thread */
	WALK_BARRIER,	   /* the return barrier: the callers' frames are in the heap */
};

struct walk_code {
	frt_u64 blob;
	frt_u32 cookie; /* compile id */
	frt_u32 size;	/* of the blob, bytes */
	frt_u32 frame;	/* bytes, with the return address */
	int at_sp;	/* offset from sp: of the real pc in a deoptimised frame, or of the anchor in an upcall stub */
	frt_u16 kind;	/* enum walk_kind */
	frt_u16 deoptimised; /* the pc is a deopt handler */
};

WALK_INLINE int walk_u8(struct walk *w, frt_u8 *to, frt_u64 address)
{
	return WALK_READ(w, to, 1, address);
}

WALK_INLINE int walk_u16(struct walk *w, frt_u16 *to, frt_u64 address)
{
	return WALK_READ(w, to, 2, address);
}

WALK_INLINE int walk_u32(struct walk *w, frt_u32 *to, frt_u64 address)
{
	return WALK_READ(w, to, 4, address);
}

WALK_INLINE int walk_u64(struct walk *w, frt_u64 *to, frt_u64 address)
{
	return WALK_READ(w, to, 8, address);
}

/*
 * The blob that contains pc. 0: there is none, because the memory is free, not committed, not in this heap, or
 * unreadable.
 */
WALK_INLINE frt_u64 walk_blob(struct walk *w, const struct frt_code_heap *h, frt_u64 pc)
{
	const struct frt_layout *l = w->layout;
	frt_u64 segment = (pc - h->low) >> l->segment_log2, committed, block;
	frt_u8 back = 0, used;

	if (walk_u64(w, &committed, h->committed) || pc >= committed || committed > h->high)
		return 0;
	for (frt_u32 hop = 0; hop < WALK_HOPS; hop++) {
		if (walk_u8(w, &back, h->segmap + segment) || back == 0xff || back > segment)
			return 0;
		if (!back)
			break;
		segment -= back;
	}
	block = h->low + (segment << l->segment_log2);
	if (back || walk_u8(w, &used, block + l->block_used) || used != 1)
		return 0;
	return block + l->block_size;
}

/* A blob's name is a literal in libjvm. Its first eight bytes identify the kind. */
#define WALK_NAME_NMETHOD 0x00646f6874656d6eULL /* "nmethod\0" */
#define WALK_NAME_NATIVE  0x6e2065766974616eULL /* "native n" */
#define WALK_NAME_UPCALL  0x735f6c6c61637075ULL /* "upcall_s" */
#define WALK_NAME_STUBS	  0x74756f5262757453ULL /* "StubRout" */
#define WALK_NAME_STUBS2 \
	0x746e6f63 /* "cont" of "StubRoutines (continuation stubs)", at offset 14; there are also "(compiler stubs)" */

WALK_INLINE int walk_deopt(struct walk *w, frt_u64 pc, struct walk_code *code)
{
	const struct frt_layout *l = w->layout;
	frt_u32 offset = 0;
	frt_u64 handler;

	if (walk_u32(w, &offset, code->blob + l->nmethod_orig_pc))
		return -1;
	code->at_sp = (int)offset;
	for (int i = 0; i < 2; i++) {
		if (l->nmethod_deopt[i] == FRT_NO_OFFSET)
			continue;
		if (!l->nmethod_deopt_is_offset) {
			if (walk_u64(w, &handler, code->blob + l->nmethod_deopt[i]))
				return -1;
		} else {
			if (walk_u32(w, &offset, code->blob + l->nmethod_deopt[i]))
				return -1;
			handler = code->blob + offset;
		}
		code->deoptimised |= pc == handler;
	}
	return 0;
}

WALK_INLINE void walk_blob_kind(struct walk *w, frt_u64 pc, struct walk_code *code)
{
	const struct frt_layout *l = w->layout;
	frt_u64 name_at, name = 0;
	frt_u32 more = 0;

	if (walk_u64(w, &name_at, code->blob + l->blob_name) || walk_u64(w, &name, name_at))
		return;
	if (name == WALK_NAME_NMETHOD || name == WALK_NAME_NATIVE) {
		if (walk_u32(w, &code->cookie, code->blob + l->nmethod_compile_id) || walk_deopt(w, pc, code))
			return;
		code->kind = name == WALK_NAME_NMETHOD ? WALK_COMPILED : WALK_NATIVE;
	} else if (name == WALK_NAME_UPCALL && l->upcall_frame_data != FRT_NO_OFFSET) {
		if (!walk_u32(w, (frt_u32 *)&code->at_sp, code->blob + l->upcall_frame_data))
			code->kind = WALK_UPCALL_STUB;
	} else if (code->frame) {
		code->kind = WALK_STUB;
	} else if (name == WALK_NAME_STUBS && !walk_u32(w, &more, name_at + 14) && more == WALK_NAME_STUBS2) {
		code->kind = WALK_BARRIER;
	}
}

/* Determine the code that contains pc. Unreadable code is WALK_NO_CODE. */
WALK_INLINE void walk_code_at(struct walk *w, frt_u64 pc, struct walk_code *code)
{
	const struct frt_layout *l = w->layout;
	struct frt_code_heap heap = {0}; /* a copy: the BPF verifier would explore each possible pointer */
	int words;

	*code = (struct walk_code){.kind = WALK_NO_CODE};
	if (pc == l->call_stub_return) {
		code->kind = WALK_CALL_STUB;
		return;
	}
	if (pc - l->interpreter < l->interpreter_end - l->interpreter) {
		code->kind = WALK_INTERPRETER;
		return;
	}
	for (frt_u32 i = 0; i < FRT_CODE_HEAPS && i < l->heaps; i++) {
		if (pc - l->heap[i].low < l->heap[i].high - l->heap[i].low)
			heap = l->heap[i];
	}
	if (pc - heap.low < heap.high - heap.low)
		code->blob = walk_blob(w, &heap, pc);
	if (!code->blob || walk_u32(w, (frt_u32 *)&words, code->blob + l->blob_frame_size) ||
	    walk_u32(w, &code->size, code->blob + l->blob_size))
		return;
	/* -1 in stubs whose frames have no fixed size */
	code->frame = words > 0 && words < WALK_FRAME ? (frt_u32)words * 8 : 0;
	if (pc == l->return_barrier)
		code->kind = WALK_BARRIER;
	else
		walk_blob_kind(w, pc, code);
	if (code->kind == WALK_NATIVE && l->continuation_return - code->blob < code->size)
		code->kind = WALK_CONTINUATION;
}

/* Begin or continue at an anchor on the stack. Returns false with w->end set. */
WALK_INLINE int walk_anchor(struct walk *w, frt_u64 anchor)
{
	const struct frt_layout *l = w->layout;

	w->end = FRT_WALK_UNREADABLE;
	if (WALK_STACK(w, &w->sp, anchor + l->anchor_sp) || WALK_STACK(w, &w->pc, anchor + l->anchor_pc) ||
	    WALK_STACK(w, &w->fp, anchor + l->anchor_fp))
		return 0;
	if (!w->sp) {
		w->end = FRT_WALK_BOTTOM;
		return 0;
	}
	/* a call from the interpreter into the VM leaves only sp and fp */
	return w->pc || !WALK_STACK(w, &w->pc, w->sp - 8);
}

/*
 * Read the sender's pc, and its fp from the word below. In a chunk that of an interpreted frame is a distance from the
 * word in which it lies.
 */
WALK_INLINE int walk_return(struct walk *w, frt_u64 at)
{
	const struct frt_layout *l = w->layout;

	if (WALK_STACK(w, &w->pc, at) || WALK_STACK(w, &w->fp, at - 8))
		return 0;
	if (WALK_IN_CHUNK(w) && WALK_ADDRESS(w->pc) - l->interpreter < l->interpreter_end - l->interpreter)
		w->fp = at - 8 + 8 * w->fp;
	return 1;
}

/* Step from a frame of fixed size to its sender. */
WALK_INLINE int walk_fixed(struct walk *w, const struct walk_code *code)
{
	frt_u64 sender = w->sp + code->frame;

	w->sp = sender;
	return walk_return(w, sender - 8);
}

/*
 * In JDK 8 a full collection replaces the bytecode pointers of all frames by indices and turns them back at its end.
 * A thread in native code may be walked meanwhile. A native method's index is 0.
 */
WALK_INLINE int walk_bytecode(struct walk *w, struct frt_frame *f)
{
	const struct frt_layout *l = w->layout;
	frt_u64 constants;

	if (l->jdk_version > 8 || f->at >= WALK_BYTECODES)
		return 1;
	if (walk_u64(w, &constants, f->code + l->method_const))
		return 0;
	f->at += constants + l->const_size;
	return 1;
}

WALK_INLINE int walk_interpreted(struct walk *w, struct frt_frame *f)
{
	const struct frt_layout *l = w->layout;
	frt_u64 fp = w->fp;

	f->kind = FRT_FRAME_INTERPRETED;
	if (WALK_STACK(w, &f->code, fp + 8 * (long)l->interpreter_method) ||
	    WALK_STACK(w, &f->at, fp + 8 * (long)l->interpreter_bcp) || !walk_bytecode(w, f) ||
	    WALK_STACK(w, &w->sp, fp + 8 * (long)l->interpreter_sender_sp))
		return 0;
	if (WALK_IN_CHUNK(w))
		w->sp = fp + 8 * w->sp;
	return walk_return(w, fp + 8);
}

WALK_INLINE int walk_compiled(struct walk *w, const struct walk_code *code, struct frt_frame *f)
{
	frt_u64 pc;

	f->kind = code->kind == WALK_COMPILED ? FRT_FRAME_COMPILED : FRT_FRAME_NATIVE;
	f->code = code->blob;
	f->at = w->pc;
	f->cookie = code->cookie;
	if (code->deoptimised) {
		f->flags = FRT_FRAME_DEOPTIMISED;
		if (WALK_STACK(w, &pc, w->sp + (long)code->at_sp))
			return 0;
		if (WALK_ADDRESS(pc) - code->blob < code->size)
			f->at = WALK_ADDRESS(pc);
	}
	return walk_fixed(w, code);
}

WALK_INLINE int walk_call_stub(struct walk *w)
{
	const struct frt_layout *l = w->layout;
	frt_u64 wrapper;

	return !WALK_STACK(w, &wrapper, w->fp + 8 * (long)l->call_wrapper) &&
	       walk_anchor(w, wrapper + l->wrapper_anchor);
}

/* Cross one frame. Returns false with w->end set if the walk is over. f->kind is 0 if it was no Java frame. */
WALK_INLINE int walk_step(struct walk *w, const struct walk_code *code, struct frt_frame *f)
{
	frt_u64 before = w->sp;
	int crossed = 0;

	*f = (struct frt_frame){.kind = 0};
	w->end = FRT_WALK_UNREADABLE;
	switch (code->kind) {
	case WALK_INTERPRETER: crossed = walk_interpreted(w, f); break;
	case WALK_COMPILED:
	case WALK_NATIVE: crossed = walk_compiled(w, code, f); break;
	case WALK_STUB: crossed = walk_fixed(w, code); break;
	case WALK_CALL_STUB: crossed = walk_call_stub(w); break;
	case WALK_UPCALL_STUB: crossed = walk_anchor(w, w->sp + (long)code->at_sp); break;
	case WALK_CONTINUATION: /* the outermost method of its thread */
		w->last = crossed = walk_compiled(w, code, f);
		break;
	case WALK_BARRIER: w->end = FRT_WALK_CHUNK; break;
	default: w->end = FRT_WALK_CODE;
	}
	if (!crossed)
		return 0;
	if (w->sp > before && !(w->sp & 7))
		return 1;
	w->end = FRT_WALK_STUCK;
	return 0;
}

/* Cross the next frame of any kind. Returns as walk_step(). */
WALK_INLINE int walk_cross(struct walk *w, struct frt_frame *f)
{
	struct walk_code code;

	if (w->last) {
		w->end = FRT_WALK_BOTTOM;
		return 0;
	}
	WALK_STRIP(w->pc);
	WALK_CODE(w, w->pc, &code);
	return walk_step(w, &code, f);
}

/*
 * The next Java frame, innermost first. Returns false with w->end set if there is none. The cookie of an
 * interpreted frame stays 0.
 */
WALK_INLINE int walk_next(struct walk *w, struct frt_frame *f)
{
	for (frt_u32 i = 0; i < WALK_CROSSINGS; i++) {
		if (!walk_cross(w, f))
			return 0;
		if (f->kind)
			return 1;
	}
	w->end = FRT_WALK_STUCK;
	return 0;
}

WALK_INLINE frt_u64 walk_hash(frt_u64 h, const frt_u8 *bytes, frt_u32 size)
{
	for (frt_u32 i = 0; i < size; i++)
		h = (h ^ bytes[i]) * 0x100000001b3ULL;
	return h * 0x9e3779b97f4a7c15ULL;
}

WALK_INLINE int walk_hash_symbol(struct walk *w, frt_u64 symbol, frt_u64 *h)
{
	const struct frt_layout *l = w->layout;
	frt_u8 bytes[WALK_NAME];
	frt_u16 length;

	if (walk_u16(w, &length, symbol + l->symbol_length + l->symbol_length_shift / 8))
		return -1;
	*h = (*h ^ length) * 0x100000001b3ULL;
	if (length > WALK_NAME)
		length = WALK_NAME;
	if (WALK_READ(w, bytes, length, symbol + l->symbol_body))
		return -1;
	*h = walk_hash(*h, bytes, length);
	return 0;
}

/* Hash the bytes before a zero. Returns 1 if a zero was found or memory ended. */
WALK_INLINE int walk_hash_text(struct walk *w, frt_u64 address, frt_u32 size, frt_u64 *h)
{
	frt_u8 bytes[WALK_LINES];
	frt_u32 n = 0;

	if (size > WALK_LINES || WALK_READ(w, bytes, size, address))
		return 1;
	while (n < size && bytes[n])
		n++;
	*h = walk_hash(*h, bytes, n);
	return n < size;
}

/*
 * The line table ends with a zero byte. The bytes after it may change, and the next page may become readable
 * between two looks.
 */
WALK_INLINE void walk_hash_lines(struct walk *w, frt_u64 table, frt_u64 *h)
{
	frt_u32 size = WALK_PAGE - table % WALK_PAGE;

	if (size > WALK_LINES)
		size = WALK_LINES;
	if (!walk_hash_text(w, table, size, h) && size < WALK_LINES)
		walk_hash_text(w, table + size, WALK_LINES - size, h);
}

/*
 * A 32-bit fingerprint of a Method: its class's name, its own name and descriptor, its code size and line numbers.
 * HotSpot reuses the memory of unloaded methods, possibly for one of the same shape at the same address, so an
 * address alone identifies nothing. 0: unreadable.
 */
WALK_INLINE frt_u32 walk_fingerprint(struct walk *w, frt_u64 method)
{
	const struct frt_layout *l = w->layout;
	frt_u64 constants, pool, holder, symbol, h = 0xcbf29ce484222325ULL;
	frt_u16 index[2], size, flags;

	if (walk_u64(w, &constants, method + l->method_const) || walk_u64(w, &pool, constants + l->const_pool) ||
	    walk_u16(w, &size, constants + l->const_code_size) || walk_u16(w, &flags, constants + l->const_flags) ||
	    walk_u16(w, &index[0], constants + l->const_name) ||
	    walk_u16(w, &index[1], constants + l->const_signature) || walk_u64(w, &holder, pool + l->pool_holder) ||
	    walk_u64(w, &symbol, holder + l->klass_name) || walk_hash_symbol(w, symbol, &h))
		return 0;
	for (int i = 0; i < 2; i++) {
		/* the lowest bit of a constant pool slot marks anything but a plain symbol */
		if (walk_u64(w, &symbol, pool + l->pool_size + 8ULL * index[i]) ||
		    walk_hash_symbol(w, symbol & ~1ULL, &h))
			return 0;
	}
	h = (h ^ size) * 0x100000001b3ULL;
	if (flags & l->const_has_lines)
		walk_hash_lines(w, constants + l->const_size + size, &h);
	return (frt_u32)(h ^ h >> 32) | 1;
}

#endif
