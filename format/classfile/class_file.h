/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A class file (JVMS 25, chapter 4), read in place with bounds. Freestanding:
 * no libc but memcpy/memset/memcmp/memmove, no allocation but from the arena,
 * so that the agent can use it inside a JVM.
 */
#ifndef FORMAT_CLASSFILE_CLASS_FILE_H
#define FORMAT_CLASSFILE_CLASS_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Memory that is given once and freed as a whole by its owner. */
struct arena {
	unsigned char *at; /* next free byte */
	size_t left;
};

/* Zeroed, aligned to 8; NULL when the arena is used up. */
void *arena_alloc(struct arena *a, size_t size);

enum class_status {
	CLASS_OK = 0,
	CLASS_MALFORMED,   /* breaks a rule of JVMS chapter 4 that we rely on */
	CLASS_UNSUPPORTED, /* a version or a constant that we do not know */
	CLASS_NO_MEMORY,   /* the arena is used up */
};

/* Modified UTF-8 inside the class file; not 0-terminated. */
struct class_text {
	const char *text;
	uint16_t length;
};

struct class_method {
	uint16_t access; /* JVMS 4.6 */
	struct class_text name, descriptor;
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
	uint32_t *constant; /* offset of the tag of each constant, 0 for unusable ones */
	uint32_t pool_end;  /* offset behind the constant pool, where access_flags stand */
	uint16_t access;
	struct class_text name, super; /* internal form; super.length 0 for java/lang/Object */
	uint32_t interfaces_offset;    /* of interfaces_count */
	uint32_t methods_offset;       /* of methods_count */
	uint16_t methods;
	struct class_method *method;
	uint32_t attributes_offset; /* of the class's attributes_count */
};

/*
 * Read the structure of a class file. `c` points into `bytes`, which must
 * outlive it; tables come from the arena (about 4 bytes a constant, 64 a method).
 */
enum class_status class_parse(struct class_file *c, const void *bytes, size_t size, struct arena *a);

bool class_text_is(struct class_text t, const char *text);

/* Called with texts until it returns false. */
typedef bool (*class_visit)(struct class_text t, void *context);

/* The direct superinterfaces, in internal form. */
void class_each_interface(const struct class_file *c, class_visit visit, void *context);

/* The types (Ljava/lang/Deprecated;) in RuntimeVisibleAnnotations (JVMS 4.7.16) of a method, or with NULL of the class. */
void class_each_annotation(const struct class_file *c, const struct class_method *m, class_visit visit, void *context);

/*
 * The content of a RuntimeVisibleAnnotations attribute (behind its length): the number of each annotation's type in the
 * constant pool, until `see` returns false. False when it did, or when these are no such bytes. Needs no class_parse().
 */
bool class_each_annotation_type(const void *bytes, size_t size, bool (*visit)(uint16_t type, void *context),
				void *context);

/*
 * The Utf8 constants of a constant pool: `pool` are the bytes behind
 * constant_pool_count, which is `count`. Needs no class_parse().
 */
void class_each_utf8(const void *pool, size_t size, uint16_t count, class_visit visit, void *context);

/* RuntimeVisibleAnnotations (JVMS 4.7.16) of the class or of a method; descriptor like "Ljava/lang/Deprecated;". */
bool class_has_annotation(const struct class_file *c, const char *descriptor);
bool class_method_has_annotation(const struct class_file *c, const struct class_method *m, const char *descriptor);

/*
 * finalize() with nothing in it. HotSpot tells it by its bytecode: a class whose finalize() does
 * anything gets a Finalizer for each object, so this one must never be edited (in Object least of all).
 */
bool class_method_is_empty_finalizer(const struct class_file *c, const struct class_method *m);

#endif
