/* SPDX-License-Identifier: BSD-2-Clause */
/* StackMapTable (JVMS 4.7.4): read frame by frame, written with an additional local. */
#ifndef FORMAT_CLASSFILE_CLASS_FRAMES_H
#define FORMAT_CLASSFILE_CLASS_FRAMES_H

#include "format/classfile/class_file_internal.h"

/* verification_type_info tags */
enum {
	VTYPE_TOP = 0,
	VTYPE_INTEGER = 1,
	VTYPE_FLOAT = 2,
	VTYPE_DOUBLE = 3,
	VTYPE_LONG = 4,
	VTYPE_UNINIT_THIS = 6,
	VTYPE_OBJECT = 7,
	VTYPE_UNINIT = 8,
};

struct vtype {
	uint16_t tag;
	uint16_t data; /* OBJECT: the Class constant; UNINIT: offset of the `new` */
};

struct frame {
	uint32_t at; /* offset in the code */
	struct vtype *locals, *stack;
	uint32_t local_count, local_slots; /* a long or double is one local of two slots */
	uint32_t stack_count;
	uint32_t this_count; /* locals that are uninitializedThis */
	bool same_locals;    /* as in the previous frame */
};

struct frame_reader {
	struct cursor in;
	uint32_t left;	      /* remaining frames */
	uint32_t local_limit; /* slots: max_locals */
	uint32_t stack_limit; /* slots: max_stack */
	uint32_t capacity;    /* entries of frame.locals and of frame.stack */
	bool begun;
	struct frame frame; /* the last frame read; at first the initial frame */
};

/*
 * Begin with the initial frame, whose locals the caller has put into frame.locals. `table` starts at
 * number_of_entries; NULL: there is no table.
 */
void frames_begin(struct frame_reader *r, struct cursor table, const struct frame *initial, uint32_t max_locals,
		  uint32_t max_stack);

/* Returns 1 with the next frame in r->frame, 0 if there are no more, -1 if the table is malformed. */
int frames_next(struct frame_reader *r);

/*
 * The locals of a method's initial frame without class constants (data 0). Returns false for a bad descriptor or
 * if max_locals is too small.
 */
bool frame_initial(struct frame *f, const struct class_file *c, const struct class_method *m, uint32_t max_locals);

struct frame_writer {
	struct output *out;
	const uint8_t *code; /* the old code and the new offset of each of its bytes, to relocate UNINIT */
	const uint32_t *moved;
	uint32_t code_length;
	uint32_t max_locals;	   /* old value: the slot of the new long */
	const struct vtype *extra; /* `extras` new locals behind it */
	uint32_t extras;
	uint32_t count, last; /* frames written; offset of the last one */
	bool stale;	      /* the last frame written is not the reader's previous one */
	bool bad;	      /* an UNINIT does not refer to a `new` */
};

/* Write `f` at offset `at`, with a long at slot max_locals and the extra locals after its own. Offsets must increase. */
void frame_put(struct frame_writer *w, const struct frame *f, uint32_t at);

#endif
