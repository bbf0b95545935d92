/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A loaded class as a parsed class file, for code that judges class files: names, flags, superclass, annotations, methods. It
 * has no fields; no interfaces, because a Klass has all of its supertypes (see class_each_above()); and of code only the
 * length, because HotSpot rewrites bytecode.
 */
#ifndef USER_HOTSPOT_CLASS_IMAGE_H
#define USER_HOTSPOT_CLASS_IMAGE_H

#include "format/bytes.h"
#include "format/classfile/class_file.h"
#include "user/hotspot/layout.h"

/* Facts about a method that the file lacks, in the order of its methods. */
struct class_image_method {
	uint64_t method;	   /* address */
	uint64_t code;		   /* address of its first bytecode */
	uint16_t name, descriptor; /* constants */
};

struct class_image {
	struct class_file file; /* what it points to belongs to the image */
	struct class_image_method *method;
	uint32_t methods;
	size_t constant_capacity, method_capacity, file_capacity; /* file_capacity: of file.method */
	struct bytes bytes;					  /* of the file */
};

/* A zeroed struct is valid. It can be read into repeatedly. */
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
