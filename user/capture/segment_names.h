/* SPDX-License-Identifier: BSD-2-Clause */
/* Names out of the control segment, as a person reads them. What does not fit is cut. */
#ifndef USER_CAPTURE_SEGMENT_NAMES_H
#define USER_CAPTURE_SEGMENT_NAMES_H

#include "user/capture/segment.h"

/* "com.acme.Cart.checkout(Order)"; of the string 0 for the method "com.acme.Cart". */
void segment_name_full(const struct segment *s, uint32_t class_name, uint32_t method, uint32_t descriptor, char *out,
		       size_t size);

/* The same of a row; "unknown" when there is no such method. */
void segment_name_method(const struct segment *s, uint32_t id, char *out, size_t size);

/* "boot", the loader's name, or its class when it has none. */
void segment_name_loader(const struct segment *s, uint32_t number, char *out, size_t size);

#endif
