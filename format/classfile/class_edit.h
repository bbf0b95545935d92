/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Inserts calls of static methods at the entry and at every exit of selected methods of a class file. This is
 * mechanism only: bytes in, bytes out, so that `javap` and `-Xverify:all` can judge the result. Freestanding like
 * class_file.h.
 *
 * An edited method becomes
 *
 *     start = owner.enter(id);               // (I)J, kept in a new local after all others
 *     ... body; before each xRETURN: owner.leave(start, id);   // (JI)V
 *     handler, last in the table, catch type any, over the body:
 *         owner.thrown(start, id); throw it; // (JI)V
 *
 * so each activation calls exactly one of `leave` and `thrown`. The calls of `leave` and the handler itself are
 * outside the handler's range. A constructor has one range before and one after its super()/this() call. No
 * verifier of HotSpot lets a handler cover the call itself (class_flow.c), so an activation that ends with an
 * exception out of super() or this() calls `enter` only.
 *
 * With captures, values are handed over at the exits of calls for which the hooks say so. Parameters are copied at the
 * entry, because the body may overwrite them:
 *
 *     start = owner.enter(id); copy = parameter;
 *     ... before each xRETURN: set = owner.left(start, id);    // (JI)I
 *         owner.i(copy, set, number);                          // (III)V, for each capture; does nothing if set is 0
 *     handler: set = owner.threw(start, id); ...
 *
 * The hook is `leave` where all captures are of exceptions: such a method costs what it costs without captures, unless it
 * throws. Captures that are always handed over need no other hooks either.
 *
 * The branch is in `i`, so that the method itself gets no new one, which would need a frame with types that only a
 * complete verifier knows.
 *
 * A method of a subclass of java.lang.Thread may begin with another call,
 *
 *     owner.NAME(this.threadId());           // (J)V
 *
 * instead of these or before them. The local is then set to 0 if nothing else sets it, so that all frames are alike.
 *
 * The hooks of a method may get a value besides (enum edit_form): a parameter or `this` at the entry, or what is returned.
 */
#ifndef FORMAT_CLASSFILE_CLASS_EDIT_H
#define FORMAT_CLASSFILE_CLASS_EDIT_H

#include "format/classfile/class_file.h"

struct class_hooks {
	const char *owner; /* internal name of the class with the three static methods */
	const char *enter, *leave, *thrown;
	const char *left, *threw; /* instead of the last two, in a method with captures */
};

enum capture_source {
	CAPTURE_LOCAL,	/* a parameter, or `this`, as it was at the entry */
	CAPTURE_THIS,	/* of a constructor: null if it ends with an exception */
	CAPTURE_RETURN, /* only where the call returns */
	CAPTURE_THROWN, /* only where it throws */
	CAPTURE_NOTHING /* null: `number` says all */
};

/* A value, given to the static method of `owner` with the name of its type in lower case: i, j, f, d or l. */
struct capture {
	enum capture_source source;
	char type;	 /* I, J, F, D or L, of a local or of the returned value */
	uint16_t local;	 /* its slot */
	uint16_t number; /* passed on, at most 32767 - CAPTURE_LAST */
	bool begins;	 /* of a LOCAL of type L: owner.b(value, number) at the entry, (LI)L, is handed over instead */
	/*
	 * Where the call returns it is handed over with the set CAPTURE_ALWAYS, whatever the hook says. Those are the last captures,
	 * and the caller gives their numbers the CAPTURE_LAST.
	 */
	uint16_t always;
};

#define CAPTURES_MAX   512u
#define CAPTURE_LAST   0x4000u /* added to the number of the last one at an exit */
#define CAPTURE_ALWAYS 0x10u   /* in a set, with any number in the bits above */

/* What the hooks of a method get besides its number; without captures and without `call`. */
enum edit_form {
	EDIT_NUMBER,   /* nothing, as above */
	EDIT_TELLS,    /* owner.enter(object, id), (Ljava/lang/Object;I)V, and no other hook */
	EDIT_ENCLOSES, /* start = owner.enter(object, id), (Ljava/lang/Object;I)J; then as above */
	EDIT_HANDS,    /* before each ARETURN owner.leave(result, id), (Ljava/lang/Object;I)V; else as above */
	EDIT_COUNTS,   /* EDIT_ENCLOSES with an int, (II)J: the first parameter */
};

enum edit_result {
	EDIT_DONE = 0,
	EDIT_NO_CODE,	/* abstract or native */
	EDIT_JSR,	/* has jsr or ret */
	EDIT_TOO_LARGE, /* would exceed 65535 bytes of code, 65535 locals or the maximum stack */
	EDIT_HUGE,	/* had at most 8000 bytes of code and would have more: HotSpot would no longer compile it */
	EDIT_MALFORMED, /* its Code attribute violates JVMS 4.7.3 or 4.9.1, or its StackMapTable cannot be followed */
	/*
	 * a constructor that moves `this` before its super()/this() call, so that the call cannot be identified; or `call`
	 * in a method without `this`; or a form that does not fit the method
	 */
	EDIT_SHAPE,
};

struct method_edit {
	uint16_t method;		 /* in: index into class_file.method, in ascending order */
	uint32_t id;			 /* in: the constant passed to the hooks */
	const struct class_hooks *hooks; /* in: NULL, or others than those of class_edit(), of the same owner */
	const struct capture *capture;	 /* in: `captures` of them */
	uint32_t captures;
	const char *call; /* in: NULL, or what to call first. With id 0 it is the only call */
	enum edit_form form;
	uint8_t object; /* in: the local with the value; 0: `this`, or the first parameter of a static method */
	enum edit_result result; /* out: on any result except EDIT_DONE the method is unchanged, byte for byte */
};

/*
 * May hooks make a method EDIT_TOO_LARGE or EDIT_HUGE, and has it perhaps jsr or ret? For code as a JVM has it in memory, where
 * some instructions are others: each byte that looks like an instruction of interest counts as one.
 */
#define CLASS_CODE_SHORT 666u /* shorter code never gets too long */
bool class_code_may_get_long(const uint8_t *code, uint32_t size);
bool class_code_may_have_jsr(const uint8_t *code, uint32_t size);

/* Maximum arena size that class_parse() and class_edit() need for a class file of `size` bytes. */
size_t class_edit_memory(size_t size);

/*
 * Build the new class file in the arena. Methods without an edit, and everything else in the class, stay
 * unchanged; constants are appended. If no edit succeeds, *out is the original. CLASS_MALFORMED also means that
 * the pool would exceed 65535 constants.
 */
enum class_status class_edit(const struct class_file *c, const struct class_hooks *hooks, struct method_edit *edits,
			     uint32_t count, struct arena *a, const uint8_t **out, size_t *out_size);

#endif
