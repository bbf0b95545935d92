/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The parts of a JVM that a stack walk reads, in this process: a code heap with blobs, methods, a JavaThread, and
 * Java frames laid out by hand. No real JVM has this layout, so nothing can be right by chance.
 */
#ifndef TESTS_LIB_FAKE_JAVA_H
#define TESTS_LIB_FAKE_JAVA_H

#include "bpf/frtrace.h"

#include <stddef.h>

#define FAKE_SEGMENT   256u
#define FAKE_HEAP      (1u << 20) /* reserved; the first half is committed, the rest is unreadable */
#define FAKE_COMMITTED (FAKE_HEAP / 2)
#define FAKE_METHODS   64u

/* Addresses of code that is only compared. */
#define FAKE_INTERPRETER     0x5a0000010000ULL
#define FAKE_INTERPRETER_END 0x5a0000018000ULL
#define FAKE_CALL_STUB	     0x5a000001a123ULL

struct fake_blob {
	unsigned char block[40]; /* HeapBlock; byte 5: used */
	uint64_t nothing;
	uint64_t name;
	uint32_t size, words;
	uint32_t frame_data;
	uint32_t compile_id, orig_pc;
	uint32_t handler_offset[2];
	uint32_t nothing_either;
	uint64_t handler[2];
	unsigned char code[];
};

struct fake_symbol {
	uint32_t hash;
	uint16_t refcount, length;
	char body[56];
};

struct fake_constants {
	uint64_t nothing, pool;
	uint16_t name, signature, flags, code_size;
	unsigned char code[8], lines[64]; /* the code, then the line table */
};

struct fake_method {
	uint64_t nothing[2], constants;
	/* the objects that it refers to */
	struct fake_constants its_constants;
	uint64_t pool[5];  /* unused, holder, slots 0 to 2 */
	uint64_t klass[4]; /* the last word is the name */
	struct fake_symbol symbol[3];
};

struct fake_anchor {
	uint64_t fp, pc, sp;
};

struct fake_thread {
	char before[400];
	struct fake_anchor anchor;
	char between[56];
	void *env; /* a JNIEnv * points to this */
	char behind[80];
};

struct fake_java {
	struct frt_layout layout;
	unsigned char *heap;
	uint64_t committed; /* its end */
	unsigned char segmap[FAKE_HEAP / FAKE_SEGMENT];
	struct fake_method method[FAKE_METHODS];
};

struct fake_java *fake_java_new(void);
void fake_java_free(struct fake_java *j);

/* Allocate a blob in `segments` segments from `segment` on. compile id 0: no nmethod. */
struct fake_blob *fake_blob_new(struct fake_java *j, uint32_t segment, uint32_t segments, const char *name,
				uint32_t words, uint32_t compile_id);

/* Free the segments as HotSpot does: only the block's header changes. */
void fake_blob_free(struct fake_java *j, struct fake_blob *b);

static inline uint64_t fake_pc(const struct fake_blob *b, uint32_t offset)
{
	return (uint64_t)b->code + offset;
}

/* Write (or rewrite) method `i`. */
uint64_t fake_java_method(struct fake_java *j, uint32_t i, const char *klass, const char *name, const char *descriptor);

/* The registers of the youngest frame. Frames are laid out from the outermost inwards. */
struct frames {
	uint64_t *sp;
	uint64_t pc, fp;
};

/* Begin without Java frames; the array grows down from its end. */
struct frames lay_begin(uint64_t *end);

/* Add C frames and the call stub: the VM, or native code, calls Java. */
void lay_call_stub(struct frames *f);
void lay_interpreted(struct frames *f, uint64_t method, uint64_t bcp);

/* Add a frame of the blob's size with `pc` in it: compiled, native, or a stub. */
void lay_fixed(struct frames *f, const struct fake_blob *b, uint64_t pc);
void lay_upcall(struct frames *f, const struct fake_blob *b);

/* Go from Java to C: the youngest frame goes into the thread's anchor. */
void lay_leave(const struct frames *f, struct fake_thread *t);

#endif
