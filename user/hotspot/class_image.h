/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A loaded class told as a class file (JVMS 4), for those who judge class files: names, flags, superclass,
 * annotations, methods. No fields, no interfaces (a Klass has all of those above it, see class_each_above()), and no
 * code but that of a method of one byte: HotSpot has rewritten it.
 */
#ifndef USER_HOTSPOT_CLASS_IMAGE_H
#define USER_HOTSPOT_CLASS_IMAGE_H

#include "format/bytes.h"
#include "user/hotspot/layout.h"
#include "user/hotspot/row_index.h"

#include <stdbool.h>

/* What the file does not say of its methods, in their order. */
struct class_image_method {
	uint64_t method; /* address */
	uint64_t code;	 /* address of its first bytecode */
	uint32_t code_size;
};

struct class_image {
	struct bytes file;
	struct class_image_method *method;
	uint32_t methods, method_capacity;

	/* while it is written */
	struct bytes pool, body;
	struct row_index lookup; /* of the constants by the symbol's address */
	struct class_image_constant {
		uint64_t symbol;
		uint16_t index;
	} *constant;
	uint32_t constants, constant_capacity, last; /* last: the highest index in use */
	uint16_t annotations_name, code_name;	     /* of attributes; 0: not there yet */
};

/* An all-zero struct is ready; it can be written again and again. */
void class_image_release(struct class_image *c);

/*
 * Read the class at an address. 0; -EBADMSG: what stands there is none, or changes just now; -ENOMEM; other -errno:
 * unreadable.
 */
int class_image_read(struct class_image *c, const struct hotspot_layout *l, const struct mem *m, uint64_t klass);

/*
 * Names of the class itself, its superclasses and all interfaces above it, in internal form; of an interface without
 * java/lang/Object. `name` is valid until `see` returns. Returns as above.
 */
int class_each_above(const struct hotspot_layout *l, const struct mem *m, uint64_t klass,
		     void (*visit)(const char *name, size_t length, void *context), void *context);

#endif
