// SPDX-License-Identifier: BSD-2-Clause
#include "user/capture/ringbuf_pos.h"

#include <errno.h>
#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

static const uint64_t *map_page(int fd, long number)
{
	long size = sysconf(_SC_PAGESIZE);
	void *page = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, number * size);

	return page == MAP_FAILED ? NULL : page;
}

static void unmap_page(const uint64_t *page)
{
	if (page)
		munmap((void *)page, sysconf(_SC_PAGESIZE));
}

int ringbuf_pos_open(struct ringbuf_pos *p, int map_fd, struct diag *d)
{
	int err;

	p->consumed = map_page(map_fd, 0);
	p->produced = p->consumed ? map_page(map_fd, 1) : NULL;
	if (p->produced)
		return 0;
	err = diag_errno(d, errno, "cannot map the positions of the BPF ring buffer");
	ringbuf_pos_close(p);
	return err;
}

void ringbuf_pos_close(struct ringbuf_pos *p)
{
	unmap_page(p->consumed);
	unmap_page(p->produced);
	*p = (struct ringbuf_pos){0};
}
