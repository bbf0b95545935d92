// SPDX-License-Identifier: BSD-2-Clause
#include "user/record/output_internal.h"
#include "format/jfr/jfr_chunk.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Written by the recorder; the generation is odd during a write. */
struct watched {
	atomic_uint generation;
	uint64_t device, inode, size;
	char name[NAME_MAX + 1];
};

/* Memory shared by the recorder and the guard. */
struct output_guard {
	struct watched watched;
	int pipe; /* a byte: something to sync; end of file: the recorder has ended */
	pid_t pid;
	char scratch[NAME_MAX + 1];
};

/* The guard's descriptors. */
enum { PIPE, DIRECTORY, DESCRIPTORS };

/* False while the recorder is writing it, or if it was killed then: nothing was being appended. */
static bool output_guard_read(const struct watched *shared, struct watched *out)
{
	unsigned int before = atomic_load_explicit(&shared->generation, memory_order_acquire);

	memcpy(out, shared, sizeof(*out));
	atomic_thread_fence(memory_order_acquire);
	return !(before & 1) && atomic_load_explicit(&shared->generation, memory_order_relaxed) == before;
}

/* Open the file if it is still the same one; else -1. */
static int open_watched(const struct watched *w)
{
	int fd = w->name[0] ? openat(DIRECTORY, w->name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC) : -1;
	struct stat st;

	if (fd < 0 || (!fstat(fd, &st) && st.st_dev == w->device && st.st_ino == w->inode))
		return fd;
	close(fd);
	return -1;
}

static void sync_directory(void)
{
	int fd = openat(DIRECTORY, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return;
	(void)!fsync(fd);
	close(fd);
}

static void sync_watched(const struct watched *shared, uint64_t *inode)
{
	struct watched w;
	int fd = output_guard_read(shared, &w) ? open_watched(&w) : -1;

	if (fd < 0)
		return;
	(void)!fdatasync(fd);
	if (w.inode != *inode)
		sync_directory();
	*inode = w.inode;
	close(fd);
}

/*
 * The size of the finished chunk at `at`; 0: there is none. A reader may have seen a chunk that the recorder died
 * before reporting.
 */
static uint64_t finished_chunk(int fd, uint64_t at, uint64_t file_size)
{
	unsigned char bytes[JFR_HEADER_SIZE];
	struct jfr_header header;
	struct cursor cursor;

	if (pread(fd, bytes, sizeof(bytes), at) != sizeof(bytes))
		return 0;
	cursor_init(&cursor, bytes, sizeof(bytes));
	if (jfr_header_read(&header, &cursor) || header.state)
		return 0;
	return header.size >= sizeof(bytes) && header.size <= file_size - at ? header.size : 0;
}

static void cut(const struct watched *shared)
{
	struct watched w;
	int fd = output_guard_read(shared, &w) ? open_watched(&w) : -1;
	struct stat st;
	uint64_t end, more;

	if (fd < 0)
		return;
	if (fstat(fd, &st))
		st.st_size = 0;
	end = w.size;
	while ((uint64_t)st.st_size > end && (more = finished_chunk(fd, end, st.st_size)))
		end += more;
	if ((uint64_t)st.st_size > end)
		(void)!ftruncate(fd, end);
	(void)!fdatasync(fd);
	close(fd);
}

/* Ignore signals, which are meant for the recorder, and close its other descriptors. */
static void output_guard_run(struct output_guard *g, int from, int directory)
{
	uint64_t inode = 0;
	pid_t writer;
	char bytes[256];
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	setsid();
	prctl(PR_SET_NAME, "jfr-guard");
	from = fcntl(from, F_DUPFD, DESCRIPTORS);
	directory = fcntl(directory, F_DUPFD, DESCRIPTORS);
	dup2(from, PIPE);
	dup2(directory, DIRECTORY);
	close_range(DESCRIPTORS, ~0U, 0);
	while (read(PIPE, bytes, sizeof(bytes)) > 0)
		sync_watched(&g->watched, &inode);
	cut(&g->watched);
	scratch_remove(DIRECTORY, g->scratch, &writer);
	_exit(0);
}

static bool fork_guard(struct output_guard *g, int directory)
{
	int ends[2];
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC))
		return false;
	fcntl(ends[1], F_SETFL, O_NONBLOCK);
	pid = fork();
	if (!pid) {
		close(ends[1]);
		output_guard_run(g, ends[0], directory);
	}
	close(ends[0]);
	g->pipe = ends[1];
	g->pid = pid; /* not in the child, where pid is 0: the memory is shared */
	if (pid > 0)
		return true;
	close(ends[1]);
	return false;
}

struct output_guard *output_guard_start(int directory, const char *scratch)
{
	struct output_guard *g = mmap(NULL, sizeof(*g), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (g == MAP_FAILED)
		return NULL;
	snprintf(g->scratch, sizeof(g->scratch), "%s", scratch);
	if (fork_guard(g, directory))
		return g;
	munmap(g, sizeof(*g));
	return NULL;
}

void output_guard_watch(struct output_guard *g, const char *name, uint64_t device, uint64_t inode, uint64_t size)
{
	struct watched *w;

	if (!g)
		return;
	w = &g->watched;
	atomic_fetch_add_explicit(&w->generation, 1, memory_order_relaxed);
	atomic_thread_fence(memory_order_release);
	if (strcmp(w->name, name) != 0)
		snprintf(w->name, sizeof(w->name), "%s", name);
	w->device = device;
	w->inode = inode;
	w->size = size;
	atomic_fetch_add_explicit(&w->generation, 1, memory_order_release);
	(void)!write(g->pipe, "", 1); /* if the pipe is full, the guard will wake up anyway */
}

void output_guard_end(struct output_guard *g)
{
	if (!g)
		return;
	close(g->pipe);
	while (waitpid(g->pid, NULL, 0) < 0 && errno == EINTR)
		;
	munmap(g, sizeof(*g));
}
