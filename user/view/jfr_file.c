// SPDX-License-Identifier: BSD-2-Clause
#include "user/view/jfr_file.h"
#include "user/exit.h"
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

	_exit(write(STDERR_FILENO, text, sizeof(text) - 1) < 0 ? EXIT_FAILED : EXIT_FAILED);
}

static int map_file(struct jfr_file_map *m, struct diag *d)
{
	struct sigaction action = {.sa_handler = file_shrank};
	struct stat st;

	if (fstat(m->fd, &st))
		return diag_errno(d, errno, "cannot look at '%s'", m->path);
	if (!S_ISREG(st.st_mode))
		return diag_set(d, EINVAL, "cannot read '%s': it is no regular file", m->path);
	if (st.st_size == 0)
		return diag_set(d, EINVAL, "'%s' is empty, and so no recording", m->path);
	m->size = st.st_size;
	m->data = mmap(NULL, m->size, PROT_READ, MAP_PRIVATE, m->fd, 0);
	if (m->data == MAP_FAILED) {
		m->data = NULL;
		return diag_errno(d, errno, "cannot map '%s'", m->path);
	}
	madvise(m->data, m->size, MADV_SEQUENTIAL);
	sigaction(SIGBUS, &action, NULL);
	return 0;
}

static int check_magic(const struct jfr_file_map *m, struct diag *d)
{
	struct jfr_header h;
	struct cursor c;

	cursor_init(&c, m->data, m->size);
	if (m->size < 4 || memcmp(m->data, "FLR", 4) != 0)
		return diag_set(d, EINVAL, "'%s' is no Flight Recorder file", m->path);
	if (jfr_header_read(&h, &c) && m->size >= JFR_HEADER_SIZE)
		return diag_set(d, EINVAL, "cannot read '%s': version %u.%u of the format, only 2.0 and 2.1 are known",
				m->path, h.major, h.minor);
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
	int err;

	*m = (struct jfr_file_map){.path = path};
	m->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (m->fd < 0)
		return diag_errno(d, errno, "cannot open '%s'", path);
	err = map_file(m, d);
	if (!err)
		err = check_magic(m, d);
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

int jfr_file_verdict(const struct jfr_file_map *m, struct diag *d)
{
	const struct jfr_fault *f = &m->file.fault;
	bool grown = has_grown(m);

	if (f->what && f->more)
		return diag_set(d, EIO, "'%s' is damaged: %s, at byte %lu; and %u more faults", m->path, f->what, f->at,
				f->more);
	if (f->what && !grown)
		return diag_set(d, EIO, "'%s' is damaged: %s, at byte %lu", m->path, f->what, f->at);
	if (m->file.unfinished || grown) {
		log_line("'%s' is not finished: this is what was there at its last flush", m->path);
		return EXIT_INCOMPLETE;
	}
	return EXIT_DONE;
}
