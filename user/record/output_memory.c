// SPDX-License-Identifier: BSD-2-Clause
/*
 * Chunks in memory: a ring of bytes that is allocated and touched before the recording begins, because the first write
 * to a page costs several times as much as the chunk's bytes. A chunk may continue at the ring's begin.
 */
#include "user/record/output_internal.h"
#include "user/process/cgroup_limit.h"
#include "user/process/machine.h"
#include "user/text/io.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE 4096
#define HUGE (2u << 20)

/* At most a quarter of the container's limit, which others need, too, and four fifths of what is available now. */
static int check_memory(uint64_t size, struct diag *d)
{
	uint64_t total, used, limit = cgroup_limit_own_memory();

	if (size > limit / 4)
		return diag_set(d, ENOMEM,
				"refuse to keep %llu MB in memory: the limit of this container is %llu MB, and three "
				"quarters are left to others",
				(unsigned long long)(size >> 20), (unsigned long long)(limit >> 20));
	if (!machine_memory(&total, &used) || size <= (total - used) / 5 * 4)
		return 0;
	return diag_set(d, ENOMEM,
			"refuse to keep %llu MB in memory: %llu MB are available, and a fifth is left to others",
			(unsigned long long)(size >> 20), (unsigned long long)((total - used) >> 20));
}

static void touch(unsigned char *memory, uint64_t size)
{
	for (uint64_t at = 0; at < size; at += PAGE)
		*(volatile unsigned char *)(memory + at) = 0;
}

static int output_memory_open(struct output *o, struct diag *d)
{
	uint64_t size = o->limits.size;
	int err = check_memory(size, d);
	void *memory;

	if (err)
		return err;
	memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		return diag_errno(d, errno, "cannot keep %llu MB in memory", (unsigned long long)(size >> 20));
	o->memory = memory;
	/* A forked helper would make each page shared, and the next write to it a copy. */
	if (madvise(memory, size, MADV_DONTFORK))
		return diag_errno(d, errno, "cannot keep %llu MB in memory", (unsigned long long)(size >> 20));
	if (size >= HUGE)
		(void)madvise(memory, size, MADV_HUGEPAGE); /* fewer faults; may be switched off */
	touch(memory, size);
	return 0;
}

static int output_memory_append(struct output *o, struct output_chunk *c, const void *bytes, size_t size,
				struct diag *d)
{
	uint64_t at = o->stream % o->limits.size, first = o->limits.size - at;

	if (first > size)
		first = size;
	memcpy(o->memory + at, bytes, first);
	memcpy(o->memory, (const char *)bytes + first, size - first);
	c->at = o->stream;
	o->stream += size;
	return 0;
}

static int output_memory_copy(const struct output *o, size_t first, int to, struct diag *d)
{
	uint64_t from = o->chunk[first].at, size = o->stream - from;
	uint64_t at = from % o->limits.size, until_end = o->limits.size - at;
	int err;

	if (until_end > size)
		until_end = size;
	err = io_write_at(to, o->memory + at, until_end, 0);
	if (!err)
		err = io_write_at(to, o->memory, size - until_end, until_end);
	return err ? diag_errno(d, -err, "cannot write what is in memory") : 0;
}

static void close_memory(struct output *o)
{
	if (o->memory)
		munmap(o->memory, o->limits.size);
}

const struct output_form output_memory = {.in_memory = true,
					  .open = output_memory_open,
					  .append = output_memory_append,
					  .copy = output_memory_copy,
					  .close = close_memory};
