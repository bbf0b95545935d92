/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Put calls of static methods at the entry and at every way out of chosen
 * methods of a class file. Mechanism only: bytes in, bytes out, so that
 * `javap` and `-Xverify:all` can judge it. Freestanding like class_file.h.
 *
 * An edited method becomes
 *
 *     start = owner.enter(id);               // (I)J, kept in a new local behind all others
 *     ... body; before each xRETURN: owner.leave(start, id);   // (JI)V
 *     handler, last in the table, catch type any, over the body:
 *         owner.thrown(start, id); throw it; // (JI)V
 *
 * so that each activation calls exactly one of `leave` and `thrown`. `leave`
 * and the handler stand outside the handler's range. A constructor has one
 * range before and one behind its super()/this() call, but no verifier of
 * HotSpot lets a handler cover the call itself (class_flow.c): an activation
 * that ends by an exception out of super() or this() calls `enter` alone.
 */
#ifndef FORMAT_CLASSFILE_CLASS_EDIT_H
#define FORMAT_CLASSFILE_CLASS_EDIT_H

#include "format/classfile/class_file.h"

struct class_hooks {
	const char *owner; /* internal name of the class that has the three static methods */
	const char *enter, *leave, *thrown;
};

enum edit_result {
	EDIT_DONE = 0,
	EDIT_NO_CODE,	/* abstract or native */
	EDIT_JSR,	/* has jsr or ret */
	EDIT_TOO_LARGE, /* would pass 65535 bytes of code, or 65535 locals or stack */
	EDIT_HUGE,	/* was at most 8000 bytes of code and would be more: HotSpot would not compile it any more */
	EDIT_MALFORMED, /* its Code attribute breaks JVMS 4.7.3 or 4.9.1, or has a StackMapTable that we cannot follow */
	EDIT_SHAPE, /* a constructor that hides `this` before its super()/this() call, so that the call cannot be told */
};

struct method_edit {
	uint16_t method;	 /* in: index into class_file.method; edits stand in ascending order of it */
	uint32_t id;		 /* in: the constant handed to the hooks */
	enum edit_result result; /* out; all but EDIT_DONE leave that method as it was, byte for byte */
};

/* Bytes of arena that class_parse() and class_edit() of a class file of `size` bytes need at the most. */
size_t class_edit_memory(size_t size);

/*
 * Build the new class file in the arena. Methods without an edit, and
 * everything else in the class, stay as they are; constants are appended.
 * With no edit done, *out is the original. CLASS_MALFORMED also when the pool
 * would pass 65535 constants.
 */
enum class_status class_edit(const struct class_file *c, const struct class_hooks *hooks, struct method_edit *edits,
			     uint32_t count, struct arena *a, const uint8_t **out, size_t *out_size);

#endif
