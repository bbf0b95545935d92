/* SPDX-License-Identifier: BSD-2-Clause */
/* Names from the control segment. A name of more than SEGMENT_NAME bytes is cut. */
#ifndef USER_SEGMENT_SEGMENT_NAMES_H
#define USER_SEGMENT_SEGMENT_NAMES_H

#include "format/bytes.h"
#include "user/segment/segment.h"

#define SEGMENT_NAME 8192

/* A method as class files name it: "com/acme/Cart", "checkout", "(Lcom/acme/Order;)V" */
struct segment_method_text {
	char class_name[SEGMENT_NAME], name[SEGMENT_NAME], descriptor[SEGMENT_NAME];
};

/* The method's row. NULL: there is no such method, and all is "". */
const struct frt_method *segment_method_text(const struct segment *s, uint32_t id, struct segment_method_text *out);

/* Append "com.acme.Cart.checkout(Order)"; with string 0 as `method`, "com.acme.Cart". */
void segment_put_name(struct bytes *out, const struct segment *s, uint32_t class_name, uint32_t method,
		      uint32_t descriptor);

/* Append "checkout(Order)". */
void segment_put_signature(struct bytes *out, const struct segment *s, const struct frt_method *m);

/* The first for a row of the method table; "unknown" when there is no such method. */
void segment_put_method(struct bytes *out, const struct segment *s, uint32_t id);

/* Append "boot", the loader's name, or its class when it has no name. */
void segment_put_loader(struct bytes *out, const struct segment *s, uint32_t number);

#endif
