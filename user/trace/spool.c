// SPDX-License-Identifier: BSD-2-Clause
#include "user/trace/spool.h"
#include "format/gzip.h"
#include "user/trace/jfr_magic.h"
#include "user/text/io.h"
#include "user/text/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define SPOOL_PIECE (64u << 10)
/* All copies of a process together stay below SPOOL_MOST; in memory below MEMORY_MOST. */
#define MEMORY_MOST (256ull << 20)
/* A copy is at most SPOOL_TIMES as large as its file, plus SPOOL_FREE. Recordings shrink to a third or a tenth. */
#define SPOOL_TIMES 200
#define SPOOL_FREE  (16ull << 20)

uint64_t spool_used;

struct spool {
	const char *path;
	int to;
	uint64_t most, read, written; /* bytes */
	struct gunzip *gunzip;	      /* NULL: not compressed */
	struct diag *d;
};

bool spool_is_input(const char *path)
{
	return strcmp(path, "-") == 0;
}

static bool is_gzip(const unsigned char *data, size_t size)
{
	return size >= 2 && data[0] == 0x1f && data[1] == 0x8b;
}

bool spool_is_compressed(int fd)
{
	unsigned char magic[2];

	return pread(fd, magic, sizeof(magic), 0) == sizeof(magic) && is_gzip(magic, sizeof(magic));
}

static int spool_open(struct spool *s)
{
	const char *directories[] = {getenv("TMPDIR"), "/var/tmp", "/tmp"};

	s->most = SPOOL_MOST;
	for (size_t i = 0; i < sizeof(directories) / sizeof(directories[0]); i++) {
		if (!directories[i] || !*directories[i])
			continue;
		s->to = open(directories[i], O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
		if (s->to >= 0)
			return 0;
	}
	s->most = MEMORY_MOST;
	s->to = memfd_create("recording", MFD_CLOEXEC);
	return s->to < 0 ? diag_errno(s->d, errno, "cannot make a temporary file for '%s'", s->path) : 0;
}

/* What is no recording is refused before it takes room. */
static int spool_write(void *context, const void *data, size_t size)
{
	struct spool *s = context;
	uint64_t times = SPOOL_FREE + SPOOL_TIMES * s->read;
	int err = s->written || size < 4 ? 0 : jfr_magic_check(s->path, data, size, s->d);

	if (err)
		return err;
	s->written += size;
	if (s->gunzip && s->written > times)
		return diag_set(s->d, EFBIG,
				"cannot read '%s': more than %s come out of %s; unpack it to a file that you trust",
				s->path, log_bytes(times), log_bytes(s->read));
	if (spool_used + s->written > s->most)
		return diag_set(
			s->d, EFBIG,
			"cannot read '%s': all that is unpacked or copied is more than %s; unpack or copy it to "
			"files that you trust",
			s->path, log_bytes(s->most));
	err = io_write_all(s->to, data, size);
	return err ? diag_errno(s->d, -err, "cannot copy '%s' to a temporary file; TMPDIR says where", s->path) : 0;
}

static int spool_unpack(struct spool *s, const unsigned char *data, size_t size)
{
	int err = gunzip_put(s->gunzip, data, size, spool_write, s);

	if (err == -EBADMSG)
		return diag_set(s->d, EBADMSG, "cannot unpack '%s': its compressed data is damaged", s->path);
	return err == -ENOMEM ? diag_set(s->d, ENOMEM, "no memory to unpack '%s'", s->path) : err;
}

/* Read until the piece is full, so that the first one shows what it is. The number of bytes, or -errno. */
static ssize_t spool_read(int from, unsigned char *piece)
{
	size_t size = 0;
	ssize_t n;

	while (size < SPOOL_PIECE && (n = read(from, piece + size, SPOOL_PIECE - size))) {
		if (n < 0 && errno != EINTR)
			return -errno;
		size += n > 0 ? n : 0;
	}
	return size;
}

static int spool_all(struct spool *s, int from)
{
	unsigned char piece[SPOOL_PIECE];
	ssize_t n;
	int err = 0;

	while (!err && (n = spool_read(from, piece))) {
		if (n < 0)
			return diag_errno(s->d, -n, "cannot read '%s'", s->path);
		if (!s->read && is_gzip(piece, n)) {
			s->gunzip = gunzip_new();
			if (!s->gunzip)
				return diag_set(s->d, ENOMEM, "no memory to unpack '%s'", s->path);
		}
		s->read += n;
		err = s->gunzip ? spool_unpack(s, piece, n) : spool_write(s, piece, n);
	}
	if (!err && s->gunzip && !gunzip_is_whole(s->gunzip))
		err = diag_set(s->d, EINVAL, "cannot unpack '%s': its compressed data ends early", s->path);
	return err;
}

int spool_copy(int from, const char *path, struct diag *d)
{
	struct spool s = {.path = path, .to = -1, .d = d};
	int err = spool_open(&s);

	if (!err)
		err = spool_all(&s, from);
	gunzip_free(s.gunzip);
	if (!err) {
		spool_used += s.written;
		return s.to;
	}
	if (s.to >= 0)
		close(s.to);
	return err;
}
