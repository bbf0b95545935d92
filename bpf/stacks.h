/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The contract about stacks: how they are kept, and what one has to know about a JVM to walk them (bpf/walk.h). */
#ifndef BPF_STACKS_H
#define BPF_STACKS_H

#include "bpf/records.h"

#define FRT_STACKS	 65536u /* row = id % FRT_STACKS */
#define FRT_STACK_FRAMES (1u << 18)
/* the agent reuses only the latest FRT_STACK_LIVE ids; an older stack gets a new id */
#define FRT_STACK_LIVE	    49152u
#define FRT_STACK_LOST	    0xffffffffu
#define FRT_STACK_UNTAKEN   0xfffffffeu /* it is not worth its price; see frt_inside.brief */
#define FRT_STACK_AFTER(id) ((id) + 1 == FRT_STACK_UNTAKEN ? 1 : (id) + 1) /* ids wrap around */
#define FRT_MAX_DEPTH	    2048u

/*
 * A stack, from the frame of the traced method outwards. An interpreted frame of the traced method itself is left
 * out. A compiled one is kept, because its callers may be inlined into the same code; the reader then drops the
 * innermost method (FRT_STACK_INCLUSIVE).
 */
struct frt_stack {
	frt_u64 hash;  /* of the fields below and the frames */
	frt_u32 id;    /* stored last, with release order; row = id % FRT_STACKS */
	frt_u32 first; /* frame i is in row (first + i) % header.stack_frames */
	frt_u16 count;
	frt_u8 end;   /* enum frt_walk_end */
	frt_u8 flags; /* FRT_STACK_* */
	frt_u32 reserved[3];
};
_Static_assert(sizeof(struct frt_stack) == 32, "stack");

#define FRT_STACK_INCLUSIVE 0x1u

/* Why a walk ended. */
enum frt_walk_end {
	FRT_WALK_BOTTOM = 0, /* the thread's first Java frame, or the end of a virtual thread */
	FRT_WALK_DEPTH,	     /* --stack-depth reached */
	FRT_WALK_CHUNK,	     /* the other frames of a virtual thread are in the heap */
	FRT_WALK_UNREADABLE, /* an address that is unreadable or outside of the stack */
	FRT_WALK_CODE,	     /* a program counter in unknown code */
	FRT_WALK_STUCK,	     /* a sender that is not above its callee */
	FRT_WALK_UNASKED,    /* no walk: header.stacks_unasked and stacks_refused count these calls */
	FRT_WALK_ENDS
};

enum frt_frame_kind {
	FRT_FRAME_INTERPRETED =
		1, /* code: Method *, at: bytecode pointer (0: a native method), cookie: fingerprint, see walk.h */
	FRT_FRAME_COMPILED, /* code: nmethod *, at: return address, cookie: compile id */
	FRT_FRAME_NATIVE,   /* the same for the wrapper of a native method */
	FRT_FRAME_KERNEL,   /* code: an address in the kernel; used by the collector only */
	FRT_FRAME_NAMED,    /* code: method id, at: bytecode index (-1: unknown) << 32 | line */
	FRT_FRAME_FUNCTION, /* of a library; code: pc, at: the same in the file, cookie: library; collector only */
};

/* One activation record. A compiled one may contain several inlined methods. */
struct frt_frame {
	frt_u64 code;
	frt_u64 at;
	frt_u32 cookie;
	frt_u16 kind;
	frt_u16 flags;
};
_Static_assert(sizeof(struct frt_frame) == 24, "frame");

#define FRT_FRAME_DEOPTIMISED 0x1u
#define FRT_FRAME_EXACT	      0x2u /* pc is the next instruction, not a return address */
#define FRT_FRAME_LEAF	      0x4u /* in the collector only: it may be at a call for which HotSpot records no scope */

/* A segment of the code cache. */
struct frt_code_heap {
	frt_u64 low, high; /* reserved */
	frt_u64 committed; /* address of the pointer to the end of the committed part (VirtualSpace::_high) */
	/* one byte per segment: 0: a block begins, 0xff: free, else go back at least this many segments */
	frt_u64 segmap;
};

#define FRT_CODE_HEAPS 8u
#define FRT_NO_OFFSET  0xffffu

/*
 * What the walker needs to know about a JVM. The collector finds it in the tables that HotSpot exports
 * (gHotSpotVMStructs and others), and by JDK version where they are silent. Offsets are in bytes; FRT_NO_OFFSET:
 * this JVM has no such field.
 */
struct frt_layout {
	frt_u32 jdk_version; /* 8 to 28; 0: there is no layout */
	frt_u32 heaps;
	struct frt_code_heap heap[FRT_CODE_HEAPS];
	frt_u64 interpreter, interpreter_end; /* the interpreter's code */
	frt_u64 call_stub_return;	      /* return address in the stub through which the VM calls Java */
	frt_u64 continuation_return; /* an address in enterSpecial, which has two calls; 0: unknown or absent */
	frt_u64 return_barrier;	     /* StubRoutines::_cont_returnBarrier; 0: identified by its blob's name */
	frt_u32 segment_log2;

	/* JavaThread */
	frt_u16 thread_anchor, thread_env, thread_stack_base;
	/* JavaFrameAnchor */
	frt_u16 anchor_sp, anchor_pc, anchor_fp;
	/* JavaCallWrapper, and its address in the call stub's frame: words from the frame pointer */
	frt_u16 wrapper_anchor;
	short call_wrapper;
	/* interpreted frame: words from the frame pointer */
	short interpreter_method, interpreter_bcp, interpreter_sender_sp;
	/* HeapBlock: header before each blob */
	frt_u16 block_size, block_used;
	/* CodeBlob */
	frt_u16 blob_name, blob_size, blob_frame_size;
	/* UpcallStub: its int at this offset is the offset, from its frame's sp, of the calling Java code's anchor */
	frt_u16 upcall_frame_data;
	/* nmethod */
	frt_u16 nmethod_compile_id, nmethod_orig_pc;
	frt_u16 nmethod_deopt[2];	 /* the deopt handler, and that for method handle calls if the JDK has one */
	frt_u16 nmethod_deopt_is_offset; /* 1: each is an int relative to the blob; 0: each is an address */
	/* Method, ConstMethod, ConstantPool, Klass, Symbol: for the fingerprint of an interpreted method */
	frt_u16 method_const;
	frt_u16 const_pool, const_flags, const_code_size, const_name, const_signature, const_size;
	frt_u16 const_has_lines; /* the bit in const_flags */
	frt_u16 pool_holder, pool_size;
	frt_u16 klass_name;
	frt_u16 symbol_length, symbol_body;
	frt_u16 symbol_length_shift; /* 0, or 16: the upper half of an int */
	frt_u16 thread_owner_id;     /* in JavaThread, since JDK 24: id of the current thread, virtual or not */
	/* in JavaThread, before JDK 24: the ObjectMonitor that it wants to enter; in that: what tells its owner */
	frt_u16 thread_monitor, monitor_owner;
};

/*
 * What the JVM counts of each thread's allocations: the bytes of all but its present buffer (TLAB), in an int64_t, and the
 * pointers to the begin of that and to the end of its used part. In bytes from the thread's JNIEnv.
 */
struct frt_allocated {
	int count, buffer, used;
};
_Static_assert(sizeof(struct frt_allocated) == 12, "allocated");

#endif
