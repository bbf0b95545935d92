/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A class file (JVMS 25, chapter 4), parsed in place with bounds checks. Freestanding: it needs only memcpy,
 * memset, memcmp and memmove, and allocates only from an arena, so the agent can use it inside a JVM.
 */
#ifndef FORMAT_CLASSFILE_CLASS_FILE_H
#define FORMAT_CLASSFILE_CLASS_FILE_H

#include "format/slice.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Memory that is allocated piece by piece and freed as a whole by its owner. */
struct arena {
	unsigned char *at; /* next free byte */
	size_t left;
};

/* Zeroed memory, aligned to 8 bytes. NULL if the arena is used up. */
void *arena_alloc(struct arena *a, size_t size);

enum class_status {
	CLASS_OK = 0,
	CLASS_MALFORMED,   /* violates a rule of JVMS chapter 4 that this code relies on */
	CLASS_UNSUPPORTED, /* an unknown version or constant */
	CLASS_NO_MEMORY,   /* the arena is used up */
};

struct class_method {
	uint16_t access; /* JVMS 4.6 */
	struct slice name, descriptor;
	uint32_t offset;      /* of the method_info in the file */
	uint32_t size;	      /* of the method_info */
	uint32_t code_offset; /* of the Code attribute (its name index), 0: none */
	uint32_t code_length; /* bytes of bytecode */
};

struct class_file {
	const uint8_t *bytes;
	size_t size;
	uint16_t major, minor;
	uint16_t constants; /* constant_pool_count */
	uint32_t *constant; /* offset of each constant's tag, 0 for unusable ones */
	uint32_t pool_end;  /* offset of access_flags, after the constant pool */
	uint16_t access;
	struct slice name, super;   /* internal form; super.length is 0 for java/lang/Object */
	uint32_t interfaces_offset; /* offset of interfaces_count */
	uint32_t methods_offset;    /* offset of methods_count */
	uint16_t methods;
	struct class_method *method;
	uint32_t attributes_offset; /* offset of the class's attributes_count */
};

/*
 * Parse the structure of a class file. `c` points into `bytes`, which must outlive it. Tables come from the arena
 * (about 4 bytes per constant and 64 per method).
 */
enum class_status class_parse(struct class_file *c, const void *bytes, size_t size, struct arena *a);

#define CLASS_STATIC 0x0008u /* of a field's or a method's access */

/* The first field of that name that the class declares. False: there is none. */
bool class_find_field(const struct class_file *c, struct slice name, uint16_t *access, struct slice *descriptor);

/* The type of a parameter, counted from 0, and the slot of its local variable. False: there is none. */
bool class_parameter(const struct class_method *m, uint32_t number, struct slice *type, uint16_t *slot);

/* The number of the parameter that has this name in MethodParameters or a LocalVariableTable; -1: none has. */
int class_parameter_named(const struct class_file *c, const struct class_method *m, struct slice name);

/* Called for each text until it returns false. */
typedef bool (*class_visit)(struct slice t, void *context);

/* Visit the direct superinterfaces, in internal form. */
void class_each_interface(const struct class_file *c, class_visit visit, void *context);

/*
 * Visit the annotation types (Ljava/lang/Deprecated;) in RuntimeVisibleAnnotations (JVMS 4.7.16) of a method, or
 * of the class if m is NULL.
 */
void class_each_annotation(const struct class_file *c, const struct class_method *m, class_visit visit, void *context);

/*
 * Visit the content of a RuntimeVisibleAnnotations attribute (after its length): the constant pool index of each
 * annotation's type, until `visit` returns false. Returns false then, and for malformed bytes. Does not need
 * class_parse().
 */
bool class_each_annotation_type(const void *bytes, size_t size, bool (*visit)(uint16_t type, void *context),
				void *context);

/*
 * Visit the Utf8 constants of a constant pool. `pool` begins after constant_pool_count, `count` is its value. Does
 * not need class_parse().
 */
void class_each_utf8(const void *pool, size_t size, uint16_t count, class_visit visit, void *context);

/*
 * True if RuntimeVisibleAnnotations (JVMS 4.7.16) of the class or method contain `descriptor`, for example
 * "Ljava/lang/Deprecated;".
 */
bool class_has_annotation(const struct class_file *c, const char *descriptor);
bool class_method_has_annotation(const struct class_file *c, const struct class_method *m, const char *descriptor);

/*
 * True for an empty finalize(). HotSpot recognises it by its bytecode. A class with any other finalize() gets a
 * Finalizer for each object, so an empty one must never be edited (least of all Object's).
 */
bool class_method_is_empty_finalizer(const struct class_file *c, const struct class_method *m);

/*
 * Take the first field type (JVMS 4.3.2) off `left`: "I", "Ljava/lang/String;", "[[J". Returns false if there is
 * none.
 */
bool class_descriptor_next(struct slice *left, struct slice *type);

#endif
