// SPDX-License-Identifier: BSD-2-Clause
/*
 * poll() reports a pipe writable if it has room for a page. Each write is at most a page (PIPE_BUF), so no write
 * blocks. A terminal may have less room than reported, so it is opened a second time with O_NONBLOCK: setting the flag
 * on the inherited descriptor would affect everyone who shares it, including the shell.
 */
#include "user/show/stdout_queue.h"
#include "user/text/io.h"
#include "user/text/log.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define QUEUE_SIZE  (1u << 20)
#define FRAME_EXTRA 64
#define PATIENCE_MS 3000

struct stdout_queue {
	int fd;
	bool terminal, in_place, closed;
	char *waiting;
	size_t size;
	unsigned int frame_lines; /* of the frame directly above the cursor; 0: none */
	unsigned int frame_width, frame_height;
	uint64_t log_lines; /* log_lines() when the frame was printed */
};

static bool can_move_cursor(void)
{
	const char *term = getenv("TERM");

	return term && *term && strcmp(term, "dumb") != 0;
}

static int open_fd(int fd, bool terminal)
{
	char path[] = "/dev/fd/0123456789";
	int own = -1;

	if (terminal) {
		snprintf(path, sizeof(path), "/dev/fd/%d", fd);
		own = open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	}
	return own >= 0 ? own : fcntl(fd, F_DUPFD_CLOEXEC, 3);
}

int stdout_queue_open(struct stdout_queue **out, int fd, bool shared, struct diag *d)
{
	struct stdout_queue *o = calloc(1, sizeof(*o));
	int err;

	*out = NULL;
	if (o)
		o->waiting = malloc(QUEUE_SIZE);
	if (!o || !o->waiting) {
		free(o);
		return diag_errno(d, ENOMEM, "cannot print");
	}
	o->terminal = isatty(fd);
	o->in_place = o->terminal && !shared && can_move_cursor();
	o->fd = open_fd(fd, o->terminal);
	if (o->fd < 0) {
		err = diag_errno(d, errno, "cannot print on standard output");
		stdout_queue_close(o);
		return err;
	}
	*out = o;
	return 0;
}

void stdout_queue_close(struct stdout_queue *o)
{
	if (!o)
		return;
	io_close(o->fd);
	free(o->waiting);
	free(o);
}

bool stdout_queue_is_terminal(const struct stdout_queue *o)
{
	return o->terminal;
}

bool stdout_queue_is_in_place(const struct stdout_queue *o)
{
	return o->in_place;
}

void stdout_queue_size(const struct stdout_queue *o, unsigned int *width, unsigned int *height)
{
	struct winsize w;

	*width = *height = 0;
	if (!o->terminal)
		return;
	if (ioctl(o->fd, TIOCGWINSZ, &w) || !w.ws_col || !w.ws_row)
		w = (struct winsize){.ws_col = 80, .ws_row = 24};
	*width = w.ws_col;
	*height = w.ws_row;
}

/* Wait up to timeout_ms for room, then write what fits. False: no room, or closed. */
static bool write_some(struct stdout_queue *o, int timeout_ms)
{
	struct pollfd p = {.fd = o->fd, .events = POLLOUT};
	size_t part = o->size < PIPE_BUF ? o->size : PIPE_BUF;
	ssize_t n;

	if (poll(&p, 1, timeout_ms) <= 0)
		return false;
	if (p.revents & (POLLERR | POLLHUP | POLLNVAL)) {
		o->closed = true;
		return false;
	}
	n = part ? write(o->fd, o->waiting, part) : 0;
	if (n < 0 && errno != EAGAIN && errno != EINTR)
		o->closed = true;
	if (n <= 0)
		return false;
	o->size -= n;
	memmove(o->waiting, o->waiting + n, o->size);
	return true;
}

bool stdout_queue_flush(struct stdout_queue *o)
{
	while (write_some(o, 0))
		;
	return !o->closed;
}

bool stdout_queue_finish(struct stdout_queue *o)
{
	while (o->size && write_some(o, PATIENCE_MS))
		;
	return o->closed || !o->size;
}

bool stdout_queue_put(struct stdout_queue *o, const char *text, size_t size)
{
	if (size > QUEUE_SIZE - o->size)
		stdout_queue_flush(o);
	if (o->closed || size > QUEUE_SIZE - o->size)
		return false;
	memcpy(o->waiting + o->size, text, size);
	o->size += size;
	return true;
}

/* True if nothing was written below the frame and the terminal has not been resized. */
static bool frame_stands(const struct stdout_queue *o, unsigned int width, unsigned int height)
{
	return o->frame_lines && o->frame_width == width && o->frame_height == height && o->log_lines == log_lines();
}

/* Disable line wrapping for the frame, whatever the terminal considers the width of a character. */
bool stdout_queue_frame(struct stdout_queue *o, const char *text, size_t size, unsigned int lines)
{
	unsigned int width, height;
	char begin[FRAME_EXTRA] = "\033[?7l";

	if (!o->in_place)
		return stdout_queue_put(o, text, size);
	stdout_queue_flush(o);
	if (o->closed || o->size || size + 2 * FRAME_EXTRA > QUEUE_SIZE)
		return false;
	stdout_queue_size(o, &width, &height);
	if (frame_stands(o, width, height))
		snprintf(begin, sizeof(begin), "\033[?7l\033[%uA\r\033[J", o->frame_lines);
	stdout_queue_put(o, begin, strlen(begin));
	stdout_queue_put(o, text, size);
	stdout_queue_put(o, "\033[?7h", 5);
	o->frame_lines = lines;
	o->frame_width = width;
	o->frame_height = height;
	o->log_lines = log_lines();
	return true;
}
