// SPDX-License-Identifier: BSD-2-Clause
/*
 * Chunks to a pipe, socket or file that is open already. A reader that is slow must not hold up the recording, so chunks
 * wait in memory; the one that has been sent in part has left the table, because it cannot be dropped any more. poll()
 * calls a pipe writable if it has room for a page, and no write is longer, so none blocks. O_NONBLOCK would be seen by all
 * who share the pipe.
 */
#include "user/record/output_internal.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PATIENCE_MS 30000 /* at the end, with a reader that takes nothing */

static int output_stream_append(struct output *o, struct output_chunk *c, const void *bytes, size_t size,
				struct diag *d)
{
	c->bytes = malloc(size);
	if (!c->bytes)
		return diag_errno(d, ENOMEM, "cannot keep a chunk until it is read");
	memcpy(c->bytes, bytes, size);
	o->stream += size;
	return 0;
}

static int output_stream_drop(struct output *o, size_t drop, struct diag *d)
{
	for (size_t i = 0; i < drop; i++) {
		free(o->chunk[i].bytes);
		o->stream -= o->chunk[i].size;
	}
	return 0;
}

static void close_stream(struct output *o)
{
	for (size_t i = 0; i < o->chunks; i++)
		free(o->chunk[i].bytes);
	free(o->sending.bytes);
}

static bool is_pending(const struct output *o)
{
	return o->sent < o->sending.size || o->chunks;
}

static void take_next_chunk(struct output *o)
{
	if (o->sent < o->sending.size || !o->chunks)
		return;
	free(o->sending.bytes);
	o->sending = o->chunk[0];
	o->sent = 0;
	o->size -= o->sending.size;
	memmove(o->chunk, o->chunk + 1, --o->chunks * sizeof(*o->chunk));
}

/* Wait up to timeout_ms for room, then write what surely fits. 1; 0: no room; -EPIPE: the reader is gone; or -errno. */
static int send_some(struct output *o, int timeout_ms)
{
	struct pollfd p = {.fd = o->fd, .events = POLLOUT};
	size_t part;
	ssize_t n;

	take_next_chunk(o);
	part = o->sending.size - o->sent < PIPE_BUF ? o->sending.size - o->sent : PIPE_BUF;
	if (poll(&p, 1, timeout_ms) <= 0)
		return 0;
	if (p.revents & (POLLERR | POLLHUP | POLLNVAL))
		return -EPIPE;
	n = write(o->fd, o->sending.bytes + o->sent, part);
	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -errno;
	o->sent += n;
	return 1;
}

static int send_all(struct output *o, int timeout_ms, struct diag *d)
{
	int more = 1;

	while (more > 0 && is_pending(o))
		more = send_some(o, timeout_ms);
	if (more == -EPIPE)
		return diag_set(d, EPIPE, "nobody reads standard output any more");
	return more < 0 ? diag_errno(d, -more, "cannot write to standard output") : 0;
}

int output_pump(struct output *o, struct diag *d)
{
	return o->form->is_stream ? send_all(o, 0, d) : 0;
}

int output_stream_finish(struct output *o, struct diag *d)
{
	int err = send_all(o, PATIENCE_MS, d);

	if (!err && is_pending(o))
		return diag_set(d, ETIMEDOUT, "the reader of standard output has taken nothing for %d s",
				PATIENCE_MS / 1000);
	return err;
}

int output_pending_fd(const struct output *o)
{
	return o->form->is_stream && is_pending(o) ? o->fd : -1;
}

const struct output_form output_stream = {
	.is_stream = true, .append = output_stream_append, .drop = output_stream_drop, .close = close_stream};
