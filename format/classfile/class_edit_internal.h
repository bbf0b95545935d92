/* SPDX-License-Identifier: BSD-2-Clause */
/* The state of one Code attribute (JVMS 4.7.3) during its edit, shared by the parts of the rewriter. */
#ifndef FORMAT_CLASSFILE_CLASS_EDIT_INTERNAL_H
#define FORMAT_CLASSFILE_CLASS_EDIT_INTERNAL_H

#include "format/classfile/class_edit.h"
#include "format/classfile/class_frames.h"
#include "format/classfile/class_pool.h"

/* marks for each byte of the old code */
enum {
	MARK_START = 1, /* an instruction begins */
	MARK_EARLY = 2, /* ... with `this` uninitialised before and after it */
	MARK_INIT = 64, /* ... the super() or this() call itself */
	MARK_FAR = 4,	/* ... a branch that may not reach its target */
	MARK_LATE = 8,	/* ... in the second half of the method */
	MARK_HEAD = 16, /* ... the target of far branches in the first half, through a goto_w at the head of the code */
	MARK_TAIL = 32, /* ... the same for the second half, through a goto_w after the body */
};

/* Constants that all edited methods of a class use. */
struct hook_constants {
	uint16_t enter, leave, thrown; /* Methodref */
	uint16_t throwable;	       /* Class */
	uint16_t stack_map;	       /* Utf8 */
	uint16_t thread_id, call;      /* Methodref, for the first call of this method; 0: there is none */
	uint16_t begun;		       /* Methodref; 0: no capture begins at the entry */
	uint16_t put[5];	       /* Methodref, of the methods that take captures; 0: not needed */
	uint16_t object;	       /* Class */
};

/* A few inserted instructions, the same at each place in a method. */
struct snippet {
	uint8_t *bytes;
	uint32_t size;
};

struct code {
	const struct class_file *c;
	const struct class_method *m;
	struct class_pool *pool;
	struct hook_constants hook;
	/* the old form */
	const uint8_t *bytes;
	uint32_t length, max_stack, max_locals;
	struct cursor exceptions; /* the entries */
	uint32_t exception_count;
	struct cursor attributes; /* the attributes, after their number */
	uint32_t attribute_count;
	struct cursor frames; /* StackMapTable; NULL: none */
	bool branches;	      /* has branch targets or handlers, and therefore needs frames if the class uses them */
	bool framed;	      /* frames are written */
	uint8_t *mark;	      /* [length] */
	uint32_t *returns;    /* offsets of the xreturn instructions */
	uint32_t return_count;
	struct frame initial;
	struct frame_reader reader;
	/* the new form */
	struct snippet enter, leave, thrown;
	enum edit_form form;
	uint8_t object; /* a local */
	const struct capture *capture;
	uint32_t captures;
	struct vtype *extra; /* the new locals behind `start`: the set, and the copies */
	uint32_t extras, extra_slots;
	uint32_t *moved; /* [length + 1]: new offset of each old one; for an xreturn, that of the `leave` before it */
	uint32_t *head, *tail; /* [length]: offset of the goto_w to a target; NULL without far branches */
	uint32_t heads, tails;
	uint32_t body_end; /* new offset */
	bool has_early, has_late;
	uint32_t early_handler, late_handler; /* their offsets, if they exist */
	uint32_t new_length;
	uint16_t *first_entry; /* [exception_count]: the first new entry that comes from each old one */
};

/* class_flow.c: set MARK_EARLY and MARK_INIT in a constructor with frames. */
enum edit_result code_mark_early(struct code *k);

/* class_layout.c: compute the place of each instruction; write the new code. */
enum edit_result code_layout(struct code *k, struct arena *scratch);
enum edit_result code_write_bytes(struct code *k, struct output *out);

/* class_tables.c: write the tables that contain code offsets. */
enum edit_result code_write_exceptions(struct code *k, struct output *out);
enum edit_result code_write_attributes(struct code *k, struct output *out);

/*
 * class_code.c: write the Code attribute of `m`, with its header, to `out`. On any result except EDIT_DONE,
 * discard what was written.
 */
struct code_job {
	const struct class_file *c;
	const struct class_method *m;
	struct class_pool *pool;
	struct hook_constants hook;
	uint32_t id;
	const struct capture *capture;
	uint32_t captures;
	enum edit_form form;
	uint8_t object;
};
enum edit_result code_edit(const struct code_job *job, struct arena scratch, struct output *out);

/* True if some of the captures have a value where the call returns. */
bool captures_ask(const struct capture *capture, uint32_t captures, bool thrown);

#define SNIPPET_CAPTURE 16u /* most bytes for one capture */

/* Maximum scratch arena size that code_edit() needs for a method_info of `size` bytes. */
static inline size_t code_scratch(size_t size)
{
	return size * 32 + 16384 + CAPTURES_MAX * SNIPPET_CAPTURE * 3;
}

#endif
