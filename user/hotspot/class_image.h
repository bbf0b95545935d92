/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A loaded class as a class file (JVMS 4), for code that judges class files: names, flags, superclass,
 * annotations, methods. It has no fields; no interfaces, because a Klass has all of its supertypes (see
 * class_each_above()); and no code except that of one-byte methods, because HotSpot rewrites bytecode.
 */
#ifndef USER_HOTSPOT_CLASS_IMAGE_H
#define USER_HOTSPOT_CLASS_IMAGE_H

#include "format/bytes.h"
#include "user/hotspot/layout.h"
#include "format/hash.h"

#include <stdbool.h>

/* Facts about a method that the file lacks, in the order of its methods. */
struct class_image_method {
	uint64_t method; /* address */
	uint64_t code;	 /* address of its first bytecode */
	uint32_t code_size;
};

struct class_image {
	struct bytes file;
	struct class_image_method *method;
	uint32_t methods;
	size_t method_capacity;

	/* while the file is being written */
	struct bytes pool, body;
	struct hash_index lookup; /* the constants by address of their symbol */
	struct class_image_constant {
		uint64_t symbol;
		uint16_t index;
	} *constant;
	size_t constant_capacity;
	uint32_t constants, last;	      /* last: the highest index in use */
	uint16_t annotations_name, code_name; /* of attributes; 0: not added yet */
};

/* A zeroed struct is valid. It can be written repeatedly. */
void class_image_release(struct class_image *c);

/*
 * Read the class at an address. Returns 0; -EBADMSG: there is no class, or it is changing; -EFBIG: it would take more than
 * 16 MB; -ENOMEM; other -errno: unreadable.
 */
int class_image_read(struct class_image *c, const struct hotspot_layout *l, const struct mem *m, uint64_t klass);

/*
 * Visit the names of the class itself, its superclasses and all superinterfaces, in internal form; for an
 * interface without java/lang/Object. `name` is valid until `visit` returns. Returns as above.
 */
int class_each_above(const struct hotspot_layout *l, const struct mem *m, uint64_t klass,
		     void (*visit)(const char *name, size_t length, void *context), void *context);

#endif
