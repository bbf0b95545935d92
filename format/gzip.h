/* SPDX-License-Identifier: BSD-2-Clause */
/* Compression of bytes, and its reverse (RFC 1952). */
#ifndef FORMAT_GZIP_H
#define FORMAT_GZIP_H

#include "format/bytes.h"

/* Append `data` as a gzip file without a name and a time. Without memory out->failed is set. */
void gzip_put(struct bytes *out, const void *data, size_t size);

/* Unpacks a gzip file that comes in pieces. It may have several members, one behind the other, and zeros behind each. */
struct gunzip;

struct gunzip *gunzip_new(void); /* NULL: no memory */
void gunzip_free(struct gunzip *g);

/*
 * Unpack the next piece, and hand the result to `take` in pieces of its own. 0; what `take` returned if that is not 0; -ENOMEM;
 * -EBADMSG: this is no gzip file, or a damaged one.
 */
typedef int gunzip_take(void *context, const void *data, size_t size);
int gunzip_put(struct gunzip *g, const void *data, size_t size, gunzip_take *take, void *context);

/* True if what came so far ends with a member, or zeros behind it. */
bool gunzip_is_whole(const struct gunzip *g);

#endif
