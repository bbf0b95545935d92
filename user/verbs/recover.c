// SPDX-License-Identifier: BSD-2-Clause
/*
 * If the writer is killed or the machine loses power, a recording ends with a truncated chunk, or with a chunk that the
 * JVM had not finished. The header of the latter says how much was flushed.
 */
#include "user/verbs/verbs.h"
#include "format/vec.h"
#include "user/trace/jfr_file.h"
#include "user/text/log.h"
#include "user/text/new_file.h"
#include "user/text/io.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define STATE 64 /* offset of the state in a chunk header; 0: finished */

struct piece {
	uint64_t at, size;
	bool unfinished;
};

struct pieces {
	struct piece *piece;
	size_t count, capacity;
	uint64_t bytes;
};

/* True if all events are readable. Finished chunks are not checked. */
static bool is_whole(struct jfr_chunk *chunk)
{
	unsigned int before = chunk->fault->more + (chunk->fault->what != NULL);
	uint64_t position = JFR_HEADER_SIZE;
	struct jfr_event e;

	if (!chunk->header.state)
		return true;
	while (jfr_chunk_next(chunk, &position, &e))
		;
	return chunk->fault->more + (chunk->fault->what != NULL) == before;
}

static int add_piece(struct pieces *p, const struct jfr_chunk *chunk)
{
	if (vec_reserve(&p->piece, &p->capacity, p->count + 1))
		return -ENOMEM;
	p->piece[p->count++] = (struct piece){chunk->at, chunk->header.size, chunk->header.state};
	p->bytes += chunk->header.size;
	return 0;
}

static int find_pieces(struct jfr_file_map *map, const char *path, struct pieces *p, struct diag *d)
{
	struct jfr_chunk *chunk;
	int err = 0;

	while (!err && (chunk = jfr_file_next(&map->file))) {
		if (is_whole(chunk) && add_piece(p, chunk))
			err = diag_set(d, ENOMEM, "no memory for the chunks of '%s'", path);
		jfr_chunk_put(chunk);
	}
	if (!err && !p->count)
		return diag_set(d, ENODATA, "nothing to recover in '%s': no chunk of it is whole", path);
	return err;
}

static int recover_finish_chunk(int fd, uint64_t at)
{
	return io_write_at(fd, "", 1, at + STATE);
}

/*
 * Fail if the file is in use. A write lease is granted only if nobody else has it open; not every file system supports
 * leases.
 */
static int check_alone(int fd, const char *path, uint64_t size, struct diag *d)
{
	struct stat st;

	if (fcntl(fd, F_SETLEASE, F_WRLCK) && errno == EAGAIN)
		return diag_set(d, EBUSY,
				"'%s' is open elsewhere: a recording that goes on needs no recovery (-o OUT copies it)",
				path);
	fcntl(fd, F_SETLEASE, F_UNLCK);
	if (fstat(fd, &st) || (uint64_t)st.st_size != size)
		return diag_set(d, EBUSY, "'%s' has changed meanwhile", path);
	return 0;
}

static int recover_mend(const char *path, const struct pieces *p, uint64_t size, struct diag *d)
{
	const struct piece *last = &p->piece[p->count - 1];
	int fd, err;

	if (last->at + last->size != p->bytes)
		return diag_set(d, EINVAL, "'%s' is damaged in the middle: -o OUT copies what is whole", path);
	fd = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return diag_errno(d, errno, "cannot write '%s'", path);
	err = check_alone(fd, path, size, d);
	if (!err &&
	    ((last->unfinished && recover_finish_chunk(fd, last->at)) || ftruncate(fd, p->bytes) || fdatasync(fd)))
		err = diag_errno(d, errno, "cannot write '%s'", path);
	close(fd);
	return err;
}

static int copy_pieces(int from, int to, const struct pieces *p)
{
	uint64_t at = 0;
	int err = 0;

	for (size_t i = 0; i < p->count && !err; i++) {
		err = io_copy_range(from, p->piece[i].at, to, at, p->piece[i].size);
		if (!err && p->piece[i].unfinished)
			err = recover_finish_chunk(to, at);
		at += p->piece[i].size;
	}
	return err;
}

static int recover_copy(int from, const char *to_path, const struct pieces *p, struct diag *d)
{
	struct new_file to;
	int err = new_file_open(&to, to_path, NEW_FILE_IS_NEW, d);

	if (err)
		return err;
	err = copy_pieces(from, to.fd, p);
	err = err ? diag_errno(d, -err, "cannot write '%s'", to_path) : new_file_finish(&to, d);
	new_file_close(&to);
	return err;
}

static void recover_report(const char *path, const char *to, const struct pieces *p, uint64_t size)
{
	bool unfinished = p->piece[p->count - 1].unfinished;

	if (p->bytes == size && !unfinished && !to) {
		log_line("nothing to recover: %s is whole, %s chunks", path, log_count(p->count));
		return;
	}
	log_line("%s: %s chunks, %s%s%s; %s left out", to ? to : path, log_count(p->count), log_bytes(p->bytes),
		 unfinished ? ", the last one as far as it was flushed" : "", p->bytes == size ? ", all of it" : "",
		 log_bytes(size - p->bytes));
}

static int recover(const char *path, const char *to, struct diag *d)
{
	struct jfr_file_map map = {0};
	struct pieces p = {0};
	uint64_t size;
	int err = jfr_file_open(&map, path, d);

	if (err)
		return err;
	size = map.size;
	if (map.copied && !to)
		err = diag_usage(d, "'%s' cannot be mended in place: -o OUT copies what is whole, unpacked", path);
	if (!err)
		err = find_pieces(&map, path, &p, d);
	if (!err && to)
		err = recover_copy(map.fd, to, &p, d);
	jfr_file_close(&map); /* nobody may have it open while it is mended */
	if (!err && !to && (p.bytes != size || p.piece[p.count - 1].unfinished))
		err = recover_mend(path, &p, size, d);
	if (!err)
		recover_report(path, to, &p, size);
	free(p.piece);
	return err;
}

int cmd_recover(const struct verb_args *a, struct diag *d)
{
	if (a->operands != 1)
		return diag_usage(d, a->operands ? "one file at a time: 'frtrace recover FILE'"
						 : "no file: 'frtrace recover FILE'");
	return recover(a->operand[0], a->output, d);
}
