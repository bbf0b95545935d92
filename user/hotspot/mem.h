/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A JVM's memory, as the HotSpot model sees it: a live process, or an image built by a test. Nothing here knows a
 * pid. Numbers are little-endian, as on x86-64, the only supported machine.
 */
#ifndef USER_HOTSPOT_MEM_H
#define USER_HOTSPOT_MEM_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct mem {
	/* Read all of `size` bytes. On -errno `to` is undefined. The struct is embedded in its implementation. */
	int (*read)(const struct mem *m, uint64_t address, void *to, size_t size);
};

static inline int mem_read(const struct mem *m, uint64_t address, void *to, size_t size)
{
	return m->read(m, address, to, size);
}

static inline int mem_u8(const struct mem *m, uint64_t address, uint8_t *to)
{
	return m->read(m, address, to, sizeof(*to));
}

static inline int mem_u16(const struct mem *m, uint64_t address, uint16_t *to)
{
	return m->read(m, address, to, sizeof(*to));
}

static inline int mem_u32(const struct mem *m, uint64_t address, uint32_t *to)
{
	return m->read(m, address, to, sizeof(*to));
}

static inline int mem_u64(const struct mem *m, uint64_t address, uint64_t *to)
{
	return m->read(m, address, to, sizeof(*to));
}

/* An unsigned number of 1, 2, 4 or 8 bytes. The width may be what the JVM says: -EBADMSG for any other. */
static inline int mem_unsigned(const struct mem *m, uint64_t address, unsigned int width, uint64_t *to)
{
	*to = 0;
	if (width != 1 && width != 2 && width != 4 && width != 8)
		return -EBADMSG;
	return m->read(m, address, to, width);
}

/*
 * Read a 0-terminated text of less than `size` bytes; -E2BIG if it is longer. Reads small pieces, because memory
 * may end with the page.
 */
static inline int mem_text(const struct mem *m, uint64_t address, char *to, size_t size)
{
	for (size_t at = 0; at < size;) {
		size_t piece = 64 - (address + at) % 64;
		int r;

		if (piece > size - at)
			piece = size - at;
		r = m->read(m, address + at, to + at, piece);
		if (r)
			return r;
		if (memchr(to + at, 0, piece))
			return 0;
		at += piece;
	}
	return -E2BIG;
}

#endif
