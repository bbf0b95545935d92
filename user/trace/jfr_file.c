// SPDX-License-Identifier: BSD-2-Clause
#include "user/trace/jfr_file.h"
#include "user/exit.h"
#include "user/trace/jfr_magic.h"
#include "user/trace/spool.h"
#include "user/process/root_path.h"
#include "user/text/log.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static void file_shrank(int signal_number)
{
	static const char text[] = "frtrace: the file became shorter while it was read\n";

	(void)!write(STDERR_FILENO, text, sizeof(text) - 1);
	_exit(EXIT_FAILED);
}

void jfr_file_watch_shrinking(void)
{
	struct sigaction action = {.sa_handler = file_shrank};

	sigaction(SIGBUS, &action, NULL);
}

int jfr_file_descriptor(const char *path, bool *copied, struct diag *d)
{
	int fd, packed;
	struct stat st;

	*copied = spool_is_input(path);
	if (*copied)
		return spool_copy(STDIN_FILENO, path, d);
	fd = open(path, O_PATH | O_CLOEXEC);
	if (fd < 0)
		return diag_errno(d, errno, "cannot open '%s'", path);
	if (!fstat(fd, &st) && !S_ISREG(st.st_mode)) {
		close(fd);
		return diag_set(d, EINVAL, "cannot read '%s': it is no regular file", path);
	}
	fd = root_path_open_again(NULL, fd, O_RDONLY, INT64_MAX);
	if (fd < 0)
		return diag_errno(d, -fd, "cannot open '%s'", path);
	*copied = spool_is_compressed(fd);
	if (!*copied)
		return fd;
	packed = fd;
	fd = spool_copy(packed, path, d);
	close(packed);
	return fd;
}

static int map_file(struct jfr_file_map *m, struct diag *d)
{
	struct stat st;

	if (fstat(m->fd, &st))
		return diag_errno(d, errno, "cannot look at '%s'", m->path);
	if (st.st_size == 0)
		return diag_set(d, EINVAL, "'%s' is empty, and so no recording", m->path);
	m->size = st.st_size;
	m->data = mmap(NULL, m->size, PROT_READ, MAP_PRIVATE, m->fd, 0);
	if (m->data == MAP_FAILED) {
		m->data = NULL;
		return diag_errno(d, errno, "cannot map '%s'", m->path);
	}
	madvise(m->data, m->size, MADV_SEQUENTIAL);
	jfr_file_watch_shrinking();
	return 0;
}

/* Drop pages that have been read from the process; they stay in the page cache. */
static void forget_pages(const void *data, size_t size)
{
	uintptr_t page = sysconf(_SC_PAGESIZE), start = ((uintptr_t)data + page - 1) / page * page;
	uintptr_t end = ((uintptr_t)data + size) / page * page;

	if (end > start)
		madvise((void *)start, end - start, MADV_DONTNEED);
}

int jfr_file_open(struct jfr_file_map *m, const char *path, struct diag *d)
{
	bool copied = false;
	int fd = jfr_file_descriptor(path, &copied, d), err = jfr_file_open_at(m, fd, path, d);

	m->copied = copied;
	return err;
}

int jfr_file_open_at(struct jfr_file_map *m, int fd, const char *path, struct diag *d)
{
	int err;

	*m = (struct jfr_file_map){.path = path, .fd = fd};
	if (fd < 0)
		return fd;
	err = map_file(m, d);
	if (!err)
		err = jfr_magic_check(path, m->data, m->size, d);
	if (!err)
		jfr_file_init(&m->file, m->data, m->size);
	m->file.forget = forget_pages;
	if (err)
		jfr_file_close(m);
	return err;
}

void jfr_file_close(struct jfr_file_map *m)
{
	if (!m->path)
		return;
	if (m->data) {
		jfr_file_release(&m->file);
		munmap(m->data, m->size);
	}
	if (m->fd >= 0)
		close(m->fd);
	*m = (struct jfr_file_map){.fd = -1};
}

/* A chunk that was being written when the file was opened may be finished by now and end beyond the mapping. */
static bool has_grown(const struct jfr_file_map *m)
{
	struct stat st;

	return m->file.cut_off && !m->file.fault.more && !fstat(m->fd, &st) && (size_t)st.st_size > m->size;
}

int jfr_file_judge(const struct jfr_file *file, const char *path, uint64_t base, bool grown, struct diag *d)
{
	const struct jfr_fault *f = &file->fault;
	unsigned long at = f->at - base;

	if (f->what && f->more)
		return diag_set(d, EIO, "'%s' is damaged: %s, at byte %lu; and %u more faults", path, f->what, at,
				f->more);
	if (f->what && !grown)
		return diag_set(d, EIO, "'%s' is damaged: %s, at byte %lu", path, f->what, at);
	if (file->unfinished || grown) {
		log_line("'%s' is not finished: this is what was there at its last flush", path);
		return EXIT_INCOMPLETE;
	}
	return EXIT_DONE;
}

int jfr_file_verdict(const struct jfr_file_map *m, struct diag *d)
{
	return jfr_file_judge(&m->file, m->path, 0, has_grown(m), d);
}
