/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * map_holder FILE LIBRARY: holds the lock of its own memory map (mmap_lock) until the file system of FILE has ended,
 * which is that of mute_fuse --written: the kernel asks to write back a page of the file while it maps the file, and gets no
 * answer. Before that it maps LIBRARY as code. Prints "ready" before and "free" after it.
 *
 * As a library that is preloaded (-shared -fPIC), a thread of the process does so once the file $MAP_HOLDER_GO exists, with
 * FILE in $MAP_HOLDER, and makes $MAP_HOLDER_GO.ready.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static int fail(const char *what)
{
	perror(what);
	return 1;
}

static int library_map(const char *path)
{
	int fd = open(path, O_RDONLY);
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		return fail(path);
	if (mmap(NULL, st.st_size, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0) == MAP_FAILED)
		return fail("mmap");
	return 0;
}

static char *page;

static int page_write(const char *path)
{
	int fd = open(path, O_RDWR);

	if (fd < 0)
		return fail(path);
	page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (page == MAP_FAILED)
		return fail("mmap");
	page[0] = 1;
	return 0;
}

static int page_replace(const char *path)
{
	int fd = open(path, O_RDWR);

	return fd < 0 || mmap(page, 4096, PROT_READ, MAP_PRIVATE | MAP_FIXED, fd, 0) == MAP_FAILED;
}

static void *hold_later(void *context)
{
	const char *path = getenv("MAP_HOLDER"), *go = getenv("MAP_HOLDER_GO");
	char ready[4096];

	while (access(go, F_OK))
		usleep(10000);
	snprintf(ready, sizeof(ready), "%s.ready", go);
	if (page_write(path))
		return NULL;
	close(open(ready, O_WRONLY | O_CREAT, 0644));
	page_replace(path);
	return NULL;
}

__attribute__((constructor)) static void preload(void)
{
	pthread_t thread;

	if (getenv("MAP_HOLDER") && getenv("MAP_HOLDER_GO"))
		pthread_create(&thread, NULL, hold_later, NULL);
}

int main(int argc, char **argv)
{
	if (argc < 3 || library_map(argv[2]) || page_write(argv[1]))
		return 1;
	puts("ready");
	fflush(stdout);
	page_replace(argv[1]);
	puts("free");
	fflush(stdout);
	pause();
	return 0;
}
