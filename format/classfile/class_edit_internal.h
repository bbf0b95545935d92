/* SPDX-License-Identifier: BSD-2-Clause */
/* One Code attribute (JVMS 4.7.3) on its way from the old form to the new: what the parts of the rewriter share. */
#ifndef FORMAT_CLASSFILE_CLASS_EDIT_INTERNAL_H
#define FORMAT_CLASSFILE_CLASS_EDIT_INTERNAL_H

#include "format/classfile/class_edit.h"
#include "format/classfile/class_frames.h"
#include "format/classfile/class_pool.h"

/* of each byte of the old code */
enum {
	MARK_START = 1, /* an instruction begins */
	MARK_EARLY = 2, /* ... before which `this` is not initialised, nor behind it */
	MARK_INIT = 64, /* ... the super() or this() call itself */
	MARK_FAR = 4,	/* ... a branch whose target is out of its reach */
	MARK_LATE = 8,	/* ... in the second half of the method */
	MARK_HEAD = 16, /* ... that far branches of the first half go to, over a goto_w at the head of the code */
	MARK_TAIL = 32, /* ... those of the second half, over one behind the body */
};

/* Constants that all edited methods of a class use. */
struct hook_constants {
	uint16_t enter, leave, thrown; /* Methodref */
	uint16_t throwable;	       /* Class */
	uint16_t stack_map;	       /* Utf8 */
};

/* A few inserted instructions, the same at each place of a method. */
struct snippet {
	uint8_t bytes[16];
	uint32_t size;
};

struct code {
	const struct class_file *c;
	const struct class_method *m;
	struct class_pool *pool;
	struct hook_constants hook;
	/* as it was */
	const uint8_t *bytes;
	uint32_t length, max_stack, max_locals;
	struct cursor exceptions; /* the entries */
	uint32_t exception_count;
	struct cursor attributes; /* the attributes, behind their number */
	uint32_t attribute_count;
	struct cursor frames; /* StackMapTable; NULL: none */
	bool branches;	      /* has targets or handlers, thus needs frames where there are frames */
	bool framed;	      /* frames are written */
	uint8_t *mark;	      /* [length] */
	uint32_t *returns;    /* offsets of the xreturn instructions */
	uint32_t return_count;
	struct frame initial;
	struct frame_reader reader;
	/* as it will be */
	struct snippet enter, leave, thrown;
	uint32_t *moved;       /* [length + 1]: new offset of each old one; of an xreturn, of the `leave` before it */
	uint32_t *head, *tail; /* [length]: offsets of the goto_w to a target, NULL without far branches */
	uint32_t heads, tails;
	uint32_t body_end; /* new */
	bool has_early, has_late;
	uint32_t early_handler, late_handler; /* offsets, where there is such code */
	uint32_t new_length;
	uint16_t *first_entry; /* [exception_count]: the first of the new entries that came from each old one */
};

/* class_flow.c: set MARK_EARLY and MARK_INIT in a constructor that has frames. */
enum edit_result code_mark_early(struct code *k);

/* class_layout.c: decide where each instruction goes; write the new code. */
enum edit_result code_layout(struct code *k, struct arena *scratch);
enum edit_result code_write_bytes(struct code *k, struct output *out);

/* class_tables.c: the tables that hold code offsets. */
enum edit_result code_write_exceptions(struct code *k, struct output *out);
enum edit_result code_write_attributes(struct code *k, struct output *out);

/*
 * class_code.c: write the Code attribute of `m`, with its header, to `out`.
 * On any result but EDIT_DONE what was written is to be thrown away.
 */
struct code_job {
	const struct class_file *c;
	const struct class_method *m;
	struct class_pool *pool;
	struct hook_constants hook;
	uint32_t id;
};
enum edit_result code_edit(const struct code_job *job, struct arena scratch, struct output *out);

/* Bytes of scratch arena that code_edit() of a method_info of `size` bytes needs at the most. */
static inline size_t code_scratch(size_t size)
{
	return size * 32 + 16384;
}

#endif
