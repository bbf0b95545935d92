/* SPDX-License-Identifier: BSD-2-Clause */
/* Readable names from the control segment. Names that do not fit are cut. */
#ifndef USER_SEGMENT_SEGMENT_NAMES_H
#define USER_SEGMENT_SEGMENT_NAMES_H

#include "user/segment/segment.h"

/* "com.acme.Cart.checkout(Order)"; with string 0 as `method`, "com.acme.Cart". */
void segment_name_full(const struct segment *s, uint32_t class_name, uint32_t method, uint32_t descriptor, char *out,
		       size_t size);

/* The same for a row of the method table; "unknown" when there is no such method. */
void segment_name_method(const struct segment *s, uint32_t id, char *out, size_t size);

/* "boot", the loader's name, or its class when it has no name. */
void segment_name_loader(const struct segment *s, uint32_t number, char *out, size_t size);

#endif
