// SPDX-License-Identifier: BSD-2-Clause
#include "user/trace/jfr_files.h"
#include "format/vec.h"
#include "user/exit.h"
#include "user/text/log.h"
#include "user/trace/file_list.h"
#include "user/trace/jfr_magic.h"
#include "user/trace/origin.h"
#include "user/trace/progress.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* The chunks of a file, or what follows its last whole chunk, which the reader judges. */
struct planned_chunk {
	int64_t order; /* ns since the epoch: its start, but never before that of an earlier chunk of the file */
	int64_t start_nanos, start_ticks;
	uint64_t at, size;
	uint32_t file;
	bool whole;
};

struct planned_file {
	uint64_t base, size; /* its place in all files together */
	struct origin origin;
	uint32_t recording;
	int copy;  /* descriptor of a copy that is read instead (spool.h); -1: none */
	bool gone; /* removed or replaced since it was listed */
};

/* All chunks, or those of one recording. */
struct planned_part {
	struct jfr_files_plan *plan;
	struct jfr_file file;
	struct jfr_pieces pieces;
	uint32_t *chunk; /* indexes of the plan's chunks; NULL: all */
	uint32_t first;	 /* file */
};

struct jfr_files_plan {
	struct file_list list;
	struct planned_file *file; /* as in `list` */
	struct planned_chunk *chunk;
	size_t chunks, capacity;
	struct planned_part all, *recording;
	size_t recordings;
	/* the file that was opened last; -1: none */
	int fd;
	uint32_t open;
	int error; /* errno of a mapping that failed */
};

static const char *plan_path(const struct jfr_files_plan *p, uint32_t file)
{
	return p->list.file[file].path;
}

/* A descriptor of the file, which is still the one that was listed; -1: it is not. */
static int plan_descriptor(struct jfr_files_plan *p, uint32_t file)
{
	const struct listed_file *l = &p->list.file[file];
	struct diag ignored;
	struct stat st;
	bool copied;

	if (p->file[file].copy >= 0)
		return p->file[file].copy;
	if (p->fd >= 0 && p->open == file)
		return p->fd;
	if (p->fd >= 0)
		close(p->fd);
	p->open = file;
	p->fd = jfr_file_descriptor(l->path, &copied, &ignored);
	if (p->fd >= 0 && !fstat(p->fd, &st) && st.st_dev == l->device && st.st_ino == l->inode &&
	    (uint64_t)st.st_size >= p->file[file].size)
		return p->fd;
	if (p->fd >= 0)
		close(p->fd);
	p->fd = -1;
	p->file[file].gone = true;
	return -1;
}

static uint64_t page_start(uint64_t at)
{
	return at & ~(uint64_t)(sysconf(_SC_PAGESIZE) - 1);
}

static bool plan_open_piece(void *context, size_t n, struct jfr_piece *out)
{
	const struct planned_part *part = context;
	struct jfr_files_plan *p = part->plan;
	const struct planned_chunk *c = &p->chunk[part->chunk ? part->chunk[n] : n];
	uint64_t page = page_start(c->at), before = c->at - page;
	int fd = plan_descriptor(p, c->file);
	unsigned char *data;

	if (fd < 0)
		return false;
	data = mmap(NULL, before + c->size, PROT_READ, MAP_PRIVATE, fd, page);
	if (data == MAP_FAILED) {
		p->error = errno;
		return false;
	}
	madvise(data, before + c->size, MADV_SEQUENTIAL);
	*out = (struct jfr_piece){data + before, c->size, p->file[c->file].base + c->at};
	return true;
}

static void plan_close_piece(const void *data, size_t size)
{
	uint64_t page = page_start((uintptr_t)data);

	munmap((void *)page, (uintptr_t)data - page + size);
}

static int plan_add_chunk(struct jfr_files_plan *p, const struct planned_chunk *c)
{
	if (p->chunks >= UINT32_MAX || vec_reserve(&p->chunk, &p->capacity, p->chunks + 1))
		return -ENOMEM;
	p->chunk[p->chunks++] = *c;
	return 0;
}

/* Find the chunks of a file by their headers. */
static int plan_scan_file(struct jfr_files_plan *p, uint32_t file, int fd, struct diag *d)
{
	struct planned_chunk chunk = {.order = INT64_MIN, .file = file, .whole = true};
	uint64_t size = p->file[file].size;
	struct cursor c;
	int err = 0;

	for (uint64_t at = 0; at < size && chunk.whole && !err; at += chunk.size) {
		unsigned char bytes[JFR_HEADER_SIZE];
		struct jfr_header h = {0};
		ssize_t n = pread(fd, bytes, sizeof(bytes), at);
		bool header;

		if (n < 0)
			return diag_errno(d, errno, "cannot read '%s'", plan_path(p, file));
		if (!at)
			err = jfr_magic_check(plan_path(p, file), bytes, n, d);
		if (err)
			return err;
		cursor_init(&c, bytes, n);
		header = !jfr_header_read(&h, &c);
		chunk.whole = header && !h.state && h.size >= JFR_HEADER_SIZE && h.size <= size - at;
		chunk.at = at;
		chunk.size = chunk.whole ? h.size : size - at;
		chunk.start_nanos = h.start_nanos;
		chunk.start_ticks = h.start_ticks;
		if (header && h.start_nanos > chunk.order)
			chunk.order = h.start_nanos;
		err = plan_add_chunk(p, &chunk);
	}
	return err ? diag_errno(d, -err, "cannot read '%s'", plan_path(p, file)) : 0;
}

/* Takes the descriptor. */
static int plan_read_origin(struct jfr_files_plan *p, uint32_t file, int fd, struct diag *d)
{
	struct jfr_file_map m;
	int err = jfr_file_open_at(&m, fd, plan_path(p, file), d);

	if (err)
		return err;
	origin_read(&m.file, &p->file[file].origin);
	jfr_file_close(&m);
	return 0;
}

/* A file in a directory that a recording still writes may go at any time. */
static bool plan_is_gone(const struct jfr_files_plan *p, uint32_t file)
{
	struct stat st;

	return p->list.file[file].found && stat(plan_path(p, file), &st) && errno == ENOENT;
}

static int plan_add_file(struct jfr_files_plan *p, uint32_t file, uint64_t base, struct diag *d)
{
	struct planned_file *f = &p->file[file];
	bool copied = false;
	int fd = jfr_file_descriptor(plan_path(p, file), &copied, d), err = fd < 0 ? fd : 0;
	struct stat st = {0};

	f->base = base;
	if (!err && fstat(fd, &st))
		err = diag_errno(d, errno, "cannot look at '%s'", plan_path(p, file));
	f->size = st.st_size;
	if (!err && !f->size)
		err = diag_set(d, EINVAL, "'%s' is empty, and so no recording", plan_path(p, file));
	if (!err)
		err = plan_scan_file(p, file, fd, d);
	if (!err && copied) {
		f->copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
		if (f->copy < 0)
			err = diag_errno(d, errno, "cannot keep '%s' open", plan_path(p, file));
	}
	if (!err)
		err = plan_read_origin(p, file, fd, d);
	else if (fd >= 0)
		close(fd);
	f->gone = err && plan_is_gone(p, file);
	if (f->gone)
		f->size = 0;
	return f->gone ? 0 : err;
}

/* Refuse files of different JVMs. Files that do not name theirs go with any. */
static int plan_check_jvm(const struct jfr_files_plan *p, const char *task, struct diag *d)
{
	uint32_t known = UINT32_MAX;
	int err = 0;

	for (uint32_t i = 0; i < p->list.count && !err; i++) {
		const struct origin *o = &p->file[i].origin;

		if (p->file[i].gone || o->pid == ORIGIN_UNKNOWN)
			continue;
		if (known == UINT32_MAX)
			known = i;
		err = origin_check_jvm(plan_path(p, known), &p->file[known].origin, plan_path(p, i), o, task, d);
	}
	return err;
}

static int plan_compare_chunks(const void *a, const void *b)
{
	const struct planned_chunk *x = a, *y = b;

	if (x->order != y->order)
		return x->order < y->order ? -1 : 1;
	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

/* The same chunk is in a dump and in the recording that was dumped, or in a copy. */
static int plan_check_chunks(const struct jfr_files_plan *p, struct diag *d)
{
	for (size_t i = 1; i < p->chunks; i++) {
		const struct planned_chunk *a = &p->chunk[i - 1], *b = &p->chunk[i];

		if (a->file != b->file && a->whole && b->whole && a->size == b->size &&
		    a->start_nanos == b->start_nanos && a->start_ticks == b->start_ticks)
			return diag_usage(d, "'%s' has a part of '%s' in it: its events would count twice",
					  plan_path(p, b->file), plan_path(p, a->file));
	}
	return 0;
}

static bool plan_number_recordings(struct jfr_files_plan *p)
{
	uint32_t *first = calloc(p->list.count + 1, sizeof(*first)), n; /* file of each recording */

	for (uint32_t i = 0; first && i < p->list.count; i++) {
		if (p->file[i].gone)
			continue;
		for (n = 0; n < p->recordings; n++)
			if (origin_is_same_recording(&p->file[first[n]].origin, &p->file[i].origin))
				break;
		if (n == p->recordings)
			first[p->recordings++] = i;
		p->file[i].recording = n;
	}
	p->recording = first ? calloc(p->recordings + 1, sizeof(*p->recording)) : NULL;
	for (n = 0; p->recording && n < p->recordings; n++)
		p->recording[n].first = first[n];
	free(first);
	return p->recording;
}

static void plan_begin_part(struct jfr_files_plan *p, struct planned_part *part, size_t chunks, bool mixed)
{
	part->plan = p;
	part->pieces = (struct jfr_pieces){plan_open_piece, plan_close_piece, part, chunks, mixed};
	jfr_file_init_pieces(&part->file, &part->pieces);
	part->file.progress = progress_reached;
}

/* Divide the chunks among the recordings. */
static int plan_divide(struct jfr_files_plan *p, struct diag *d)
{
	if (!plan_number_recordings(p))
		return diag_errno(d, ENOMEM, "cannot list the recordings");
	for (size_t n = 0; n < p->recordings; n++) {
		struct planned_part *part = &p->recording[n];
		size_t count = 0;

		part->chunk = calloc(p->chunks + 1, sizeof(*part->chunk));
		if (!part->chunk)
			return diag_errno(d, ENOMEM, "cannot list the recordings");
		for (uint32_t i = 0; i < p->chunks; i++)
			if (p->file[p->chunk[i].file].recording == n)
				part->chunk[count++] = i;
		plan_begin_part(p, part, count, false);
	}
	plan_begin_part(p, &p->all, p->chunks, p->recordings > 1);
	return 0;
}

static int plan_make(struct jfr_files_plan *p, const char *task, struct diag *d)
{
	uint64_t base = 0;
	int err;

	p->file = calloc(p->list.count + 1, sizeof(*p->file));
	err = p->file ? file_list_check_twice(&p->list, d) : diag_errno(d, ENOMEM, "cannot list the recordings");
	for (uint32_t i = 0; p->file && i < p->list.count; i++)
		p->file[i].copy = -1;
	for (uint32_t i = 0; i < p->list.count && !err; i++) {
		err = plan_add_file(p, i, base, d);
		base += p->file[i].size;
	}
	if (!err)
		err = plan_check_jvm(p, task, d);
	if (err)
		return err;
	if (p->chunks)
		qsort(p->chunk, p->chunks, sizeof(*p->chunk), plan_compare_chunks);
	err = plan_check_chunks(p, d);
	return err ? err : plan_divide(p, d);
}

static void plan_free(struct jfr_files_plan *p)
{
	if (!p)
		return;
	jfr_file_release(&p->all.file);
	for (size_t n = 0; p->recording && n < p->recordings; n++) {
		jfr_file_release(&p->recording[n].file);
		free(p->recording[n].chunk);
	}
	if (p->fd >= 0)
		close(p->fd);
	for (size_t i = 0; p->file && i < p->list.count; i++)
		if (p->file[i].copy >= 0)
			close(p->file[i].copy);
	free(p->recording);
	free(p->chunk);
	free(p->file);
	file_list_release(&p->list);
	free(p);
}

static int plan_new(struct jfr_files_plan **out, const char *const *paths, size_t count, const char *task,
		    struct diag *d)
{
	struct jfr_files_plan *p = calloc(1, sizeof(*p));
	int err = 0;

	if (!p)
		return diag_errno(d, ENOMEM, "cannot list the recordings");
	p->fd = -1;
	for (size_t i = 0; i < count && !err; i++)
		err = file_list_add(&p->list, paths[i], d);
	if (!err)
		err = plan_make(p, task, d);
	if (err) {
		plan_free(p);
		return err;
	}
	jfr_file_watch_shrinking();
	*out = p;
	return 0;
}

int jfr_files_open(struct jfr_files *f, const char *const *paths, size_t count, const char *task, struct diag *d)
{
	int err;

	*f = (struct jfr_files){.name = paths[0], .count = 1, .one = {.fd = -1}};
	if (count == 1 && !file_list_is_directory(paths[0])) {
		err = jfr_file_open(&f->one, paths[0], d);
		f->file = &f->one.file;
		f->file->progress = progress_reached;
		f->size = f->one.size;
		return err;
	}
	err = plan_new(&f->plan, paths, count, task, d);
	if (err)
		return err;
	f->file = &f->plan->all.file;
	f->count = f->plan->list.count;
	for (size_t i = 0; i < f->count; i++)
		f->size += f->plan->file[i].size;
	return 0;
}

void jfr_files_close(struct jfr_files *f)
{
	progress_end();
	plan_free(f->plan);
	jfr_file_close(&f->one);
	*f = (struct jfr_files){.one = {.fd = -1}};
}

/* The file of a position in all of them. */
static uint32_t plan_file_at(const struct jfr_files_plan *p, uint64_t at)
{
	uint32_t i = p->list.count - 1;

	while (i && (p->file[i].base > at || !p->file[i].size))
		i--;
	return i;
}

static int plan_report_gone(const struct jfr_files_plan *p)
{
	size_t gone = 0;

	for (size_t i = 0; i < p->list.count; i++)
		gone += p->file[i].gone;
	if (!gone)
		return EXIT_DONE;
	log_line("%s of %s files were removed or replaced meanwhile: what was in them is missing", log_count(gone),
		 log_count(p->list.count));
	return EXIT_INCOMPLETE;
}

static int plan_judge(const struct jfr_files_plan *p, const struct jfr_file *f, struct diag *d)
{
	uint32_t n = plan_file_at(p, f->fault.what ? f->fault.at : f->tail);
	const char *path = plan_path(p, n);
	struct stat st;
	bool grown = f->cut_off && !f->fault.more && p->file[n].copy < 0 && !stat(path, &st) &&
		     (uint64_t)st.st_size > p->file[n].size;
	int verdict = jfr_file_judge(f, path, p->file[n].base, grown, d);

	if (verdict >= 0 && p->error)
		return diag_errno(d, p->error, "cannot map '%s'", p->list.file[0].path);
	return verdict;
}

int jfr_files_verdict(const struct jfr_files *f, struct diag *d)
{
	int verdict = f->plan ? plan_judge(f->plan, f->file, d) : jfr_file_verdict(&f->one, d), v;

	for (size_t i = 0; f->plan && i < f->plan->recordings && verdict >= 0; i++) {
		v = plan_judge(f->plan, &f->plan->recording[i].file, d);
		verdict = v ? v : verdict;
	}
	if (verdict < 0 || !f->plan)
		return verdict;
	v = plan_report_gone(f->plan);
	return v ? v : verdict;
}

size_t jfr_files_recordings(const struct jfr_files *f)
{
	return f->plan ? f->plan->recordings : 1;
}

struct jfr_file *jfr_files_recording(struct jfr_files *f, size_t n, const char **name)
{
	*name = f->plan ? plan_path(f->plan, f->plan->recording[n].first) : f->name;
	return f->plan ? &f->plan->recording[n].file : f->file;
}
