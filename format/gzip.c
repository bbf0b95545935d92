// SPDX-License-Identifier: BSD-2-Clause
/*
 * zlib's deflate. Stored blocks would need no library, but libbpf and libelf, without which nothing runs, bring zlib
 * along, and a profile shrinks to a fifth.
 */
#include "format/gzip.h"

#include <errno.h>
#include <stdlib.h>
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

struct gunzip {
	z_stream z;
	bool between; /* members: the next byte begins one */
	unsigned char piece[GZIP_PIECE];
};

struct gunzip *gunzip_new(void)
{
	struct gunzip *g = calloc(1, sizeof(*g));

	if (!g)
		return NULL;
	if (inflateInit2(&g->z, GZIP_WINDOW) == Z_OK)
		return g;
	free(g);
	return NULL;
}

void gunzip_free(struct gunzip *g)
{
	if (g)
		inflateEnd(&g->z);
	free(g);
}

/* Unpack until the piece is full or the input is used up. Zeros behind a member are padding, as gzip takes them. */
static int gunzip_step(struct gunzip *g, gunzip_take *take, void *context)
{
	int result;

	for (; g->between && g->z.avail_in && !*g->z.next_in; g->z.avail_in--)
		g->z.next_in++;
	if (g->between && !g->z.avail_in)
		return 0;
	if (g->between && inflateReset(&g->z) != Z_OK)
		return -EBADMSG;
	g->z.next_out = g->piece;
	g->z.avail_out = sizeof(g->piece);
	result = inflate(&g->z, Z_NO_FLUSH);
	g->between = result == Z_STREAM_END;
	if (result == Z_MEM_ERROR)
		return -ENOMEM;
	if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR)
		return -EBADMSG;
	return g->z.avail_out < sizeof(g->piece) ? take(context, g->piece, sizeof(g->piece) - g->z.avail_out) : 0;
}

int gunzip_put(struct gunzip *g, const void *data, size_t size, gunzip_take *take, void *context)
{
	int err = 0;

	g->z.next_in = (Bytef *)data;
	g->z.avail_in = size;
	do
		err = gunzip_step(g, take, context);
	while (!err && (g->z.avail_in || (!g->between && !g->z.avail_out)));
	return err;
}

bool gunzip_is_whole(const struct gunzip *g)
{
	return g->between;
}
