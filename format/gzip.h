/* SPDX-License-Identifier: BSD-2-Clause */
/* Compression of bytes (RFC 1952). */
#ifndef FORMAT_GZIP_H
#define FORMAT_GZIP_H

#include "format/bytes.h"

/* Append `data` as a gzip file without a name and a time. Without memory out->failed is set. */
void gzip_put(struct bytes *out, const void *data, size_t size);

#endif
