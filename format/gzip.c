// SPDX-License-Identifier: BSD-2-Clause
/*
 * zlib's deflate. Stored blocks would need no library, but libbpf and libelf, without which nothing runs, bring zlib
 * along, and a profile shrinks to a fifth.
 */
#include "format/gzip.h"

#include <zlib.h>

#define GZIP_WINDOW 31	       /* the largest window, in a gzip file */
#define GZIP_PIECE  (1u << 16) /* bytes of output at a time */

void gzip_put(struct bytes *out, const void *data, size_t size)
{
	z_stream z = {.next_in = (Bytef *)data};
	int result = deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_WINDOW, 8, Z_DEFAULT_STRATEGY);

	out->failed |= result != Z_OK;
	while (result == Z_OK) {
		size_t left = size - (size_t)(z.next_in - (const Bytef *)data);

		z.avail_in = left < UINT32_MAX ? left : UINT32_MAX;
		z.next_out = bytes_reserve(out, GZIP_PIECE);
		z.avail_out = GZIP_PIECE;
		if (!z.next_out)
			break;
		result = deflate(&z, z.avail_in == left ? Z_FINISH : Z_NO_FLUSH);
		out->size += GZIP_PIECE - z.avail_out;
	}
	deflateEnd(&z);
}
